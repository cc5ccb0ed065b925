"""The conversation of every game: whole at each moment of a match, and nothing twice."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from itertools import chain
from typing import Any

import pytest

from parlour.games.engine.dice import Dice
from parlour.games.engine.events import Event
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Outcome, Seat
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.engine.talk import (
    Action,
    Approvals,
    Aside,
    Ballot,
    Chosen,
    Ending,
    FaultLine,
    Heading,
    Note,
    Proposal,
    Said,
    Secret,
    TalkItem,
)
from parlour.games.testing.playthrough import openings, play, sampled, stumbling, variants

GAMES = {name: game for name, game in games().items() if game.name == name}
EVERY = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
MARK = "my word is mark{}, believe me"


class Speaker:
    """Plays as sampled, but gives every free text a mark of its own."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, table: Table, seat: Seat) -> object:
        """A legal answer with marked texts."""
        assert table.pending is not None
        answer: Any = sampled(table, seat)
        for name, field in type(answer).model_fields.items():
            if field.annotation in (str, str | None) and getattr(answer, name) is not None:
                self.count += 1
                marked = {**answer.model_dump(), name: MARK.format(self.count)}
                answer = table.pending.judge(seat, type(answer)(**marked))
        return answer


def talk(table: Table, events: Sequence[Event] | None = None) -> tuple[TalkItem, ...]:
    """The conversation of a table, or of some of its events."""
    shown = table.so_far if events is None else events
    return table.game.talk(table.seats, shown, table.outcome)


def tables(game: Game) -> Iterator[Table]:
    """Yields a fresh table for each variant of a game that plays it another way."""
    for variant in variants(game):
        yield from openings(game, variant, 1)


def texts(item: object) -> str:
    """All texts of an item."""
    return str(astuple(item))  # type: ignore[call-overload]


def of_kind(items: Sequence[TalkItem], *kinds: type) -> list[Any]:
    """The items of some kinds."""
    return [item for item in items if isinstance(item, kinds)]


@EVERY
def test_every_moment_of_a_match_has_a_talk_for_everyone_who_looks(game: Game) -> None:
    for table in tables(game):
        dice = Dice(table.seed, "order")
        while table.pending is not None:
            for seat in dice.shuffled(table.waiting):
                before = talk(table)
                for viewer in table.seats:
                    game.talk(table.seats, table.view(viewer).events, None)
                public = [event for event in table.events if event.to is None]
                game.talk(table.seats, public, table.outcome)
                choose = stumbling if dice.below(4) == 0 else sampled
                table.answer({seat: choose(table, seat)})
                assert talk(table) != before  # each answer is seen as it comes
        for end in range(len(table.events)):
            game.talk(table.seats, table.events[:end], None)
        public = [event for event in table.events if event.to is None]
        assert of_kind(game.talk(table.seats, public, table.outcome), Ending)


@EVERY
def test_all_that_was_said_aloud_and_every_reason_appears_once(game: Game) -> None:
    for table in tables(game):
        speaker = Speaker()
        play(table, speaker)
        items = talk(table)
        shown = Counter[str]()
        for number in range(1, speaker.count + 1):
            shown[MARK.format(number)] = sum(f"mark{number}," in texts(item) for item in items)
        unheard = {words for words, times in shown.items() if times == 0}
        # A report, a proposal or a vote that is told by its fields has no text of its own.
        loses_words = getattr(table.setting, "gossip_noise", 0)
        assert loses_words or not unheard, unheard
        assert max(shown.values(), default=1) == 1


@EVERY
def test_no_item_comes_twice_and_each_answer_has_its_place(game: Game) -> None:
    for table in tables(game):
        play(table, Speaker())
        items = talk(table)
        rounds = 0
        seen: Counter[tuple[int, TalkItem]] = Counter()
        for item in items:
            rounds += isinstance(item, Heading)
            seen[rounds, item] += 1
        assert {item for item, times in seen.items() if times > 1} == set()
        places = of_kind(items, Said, Action, Proposal)
        places += chain.from_iterable(each.votes for each in of_kind(items, Ballot, Approvals))
        answers = [event for event in table.events if event.by is not None]
        aside = sum(len(each.answers) for each in of_kind(items, Aside))
        private = [event for event in answers if event.kind in game.probes]
        assert aside == len(private)
        assert len(places) >= len(answers) - len(private)
        assert not of_kind(items, Chosen, FaultLine)


@EVERY
def test_each_fault_has_a_line(game: Game) -> None:
    for table in tables(game):
        play(table, stumbling)
        faults = [event.by for event in table.events if event.fault is not None]
        assert Counter(faults) == Counter(line.seat for line in of_kind(talk(table), FaultLine))


@EVERY
def test_the_end_names_players_as_the_game_does(game: Game) -> None:
    endings = set()
    for seed in range(40):
        (table,) = openings(game, variants(game)[0], [seed])
        play(table, stumbling if seed % 2 else sampled)
        (ending,) = of_kind(talk(table), Ending)
        assert ending.words
        assert not ending.words.endswith(".")
        outcome = table.outcome
        assert isinstance(outcome, Outcome)
        endings.add(outcome.ending)
        if outcome.winners and len(outcome.winners) == 1 and game.scoring.special is None:
            assert f"Player {outcome.winners[0] + 1}" in ending.words
    assert endings <= set(game.texts.endings)


def test_a_word_is_told_to_those_who_share_it() -> None:
    (table,) = openings(GAMES["impostor"], GAMES["impostor"].variant(), [1])
    note, common, odd, heading = talk(table)
    words = table.setting
    assert note == Note("four players, one clue each, then a secret ballot")
    seats = tuple(seat for seat in table.seats if seat != words.impostor_seat)
    common_word, odd_word = f"“{words.majority_word}”", f"“{words.impostor_word}”"
    assert common == Secret(f"told {common_word}", seats, f"your word is {common_word}")
    alone = (Seat(words.impostor_seat),)
    assert odd == Secret(f"told {odd_word}", alone, f"your word is {odd_word}")
    assert heading == Heading("round 1", "· clues")


def secrets_of_teams(assignment: str) -> list[Secret]:
    game = GAMES["impostor"]
    (table,) = openings(game, game.variant(assignment=assignment), [1])
    return [secret for secret in of_kind(talk(table), Secret) if "word" not in secret.own]


def test_team_mates_are_told_of_each_other_in_a_sentence() -> None:
    for secret in secrets_of_teams("team_aware"):
        first, second = (f"Player {seat + 1}" for seat in secret.to)
        assert secret.own == f"{first} and {second} are a team"
        assert secret.words == f"told that {secret.own}"
    (one,) = secrets_of_teams("team_semi_aware")
    assert one.own == "one of the others is your team mate"
    assert one.words == "told that one of the others is its team mate"


def test_a_ballot_counts_what_has_come_in() -> None:
    game = GAMES["undercover"]
    (table,) = openings(game, game.variant(), [1])
    while table.pending is not None and table.pending.kind != "vote":
        table.answer({seat: sampled(table, seat) for seat in table.waiting})
    table.answer({Seat(1): {"reasoning": "too vague", "suspect": "Player 3"}})
    (ballot,) = of_kind(talk(table), Ballot)
    assert ballot.voters == 3
    (vote,) = ballot.votes
    assert (vote.voter, vote.target, vote.reason) == (1, 2, "too vague")


def test_a_choice_stays_hidden_until_all_have_chosen() -> None:
    game = GAMES["prisoners_dilemma"]
    (table,) = openings(game, game.variant(), [1])
    table.answer({Seat(1): {"reasoning": "never trust", "action": "defect"}})
    assert talk(table)[1:] == (Heading("round 1"), Chosen(Seat(1)))
    table.answer({Seat(0): {"action": "cooperate"}, Seat(2): {"action": "cooperate"}})
    *_, first, second, third, following = talk(table)
    assert (first.sign, second.sign, third.sign) == ("C", "D", "C")
    assert (second.result, second.reason) == ("+5", "never trust")
    assert following == Heading("round 2")


def test_a_proposal_with_most_votes_is_named() -> None:
    game = GAMES["cost_sharing"]
    (table,) = openings(game, game.variant(), [1])
    for shares in ((11, 25, 64), (13, 21, 66), (10, 24, 66)):
        (seat,) = table.waiting
        table.answer({seat: {"shares": shares}})
    table.answer({Seat(0): {"proposer": "Player 2"}, Seat(1): {"proposer": "Player 2"}})
    assert of_kind(talk(table), Approvals)[0].result == "2 of 3 for Player 2"
    table.answer({Seat(2): {"proposer": "Player 3"}})
    assert of_kind(talk(table), Heading) == [Heading("round 1", "of 5"), Heading("round 2", "of 5")]


def test_gossip_is_checked_against_what_happened() -> None:
    game = GAMES["donation"]
    (table,) = openings(game, game.variant(agents_per_match=2), [1])
    (donor,) = table.waiting
    table.answer({donor: {"justification": "why not", "action": "cooperate"}})
    (recipient,) = table.waiting
    table.answer({recipient: {"tone": "complaint", "message": "it gave nothing"}})
    _, heading, action, said, _ = talk(table)
    names = f"· Player {donor + 1} meets Player {recipient + 1}"
    assert heading == Heading("round 1", names)
    assert (action.words, action.target, action.result) == ("helps", recipient, "-1 ▸ +5")
    assert action.reason == "why not"
    assert (said.sign, said.label, said.true) == ("-", "complaint", False)


def test_an_agreement_begins_no_further_round() -> None:
    game = GAMES["cost_sharing"]
    (table,) = openings(game, game.variant(), [1])
    for _ in range(3):
        (seat,) = table.waiting
        table.answer({seat: {"shares": (11, 25, 64)}})
    votes = {Seat(seat): {"proposer": f"Player {seat + 1}"} for seat in range(3)}
    table.answer(votes)  # for the same split, whoever proposed it
    assert table.outcome is not None
    for events in (table.events, table.view(Seat(0)).events):
        items = game.talk(table.seats, events, None)
        assert of_kind(items, Heading) == [Heading("round 1", "of 5")]
    assert of_kind(talk(table), Ending)[0].details == ("11 / 25 / 64 percent of the fee",)


def test_the_chameleon_is_named_in_words_that_fit_any_name() -> None:
    game = GAMES["chameleon"]
    event = Event("accused", 1, {"accused": 1}, None)
    notes = [
        item.words
        for item in game.talk([Seat(0), Seat(1), Seat(2)], [event], None)
        if isinstance(item, Note)
    ]
    assert notes == ["the chameleon is found out: Player 2. One guess at the word is left"]
