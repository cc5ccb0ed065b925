"""Word games in other groups: who is special, what is told, and how votes end."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pydantic import ValidationError

from parlour.agents.registry import strategies
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.prompts import render
from parlour.games.engine.registry import games
from parlour.games.engine.table import IllegalAnswer, Table
from parlour.games.engine.talk import Ballot, Ending
from parlour.games.families.clues.clue_bank import shipped_bank
from parlour.games.testing.playthrough import play, saying
from tests.blocks import text_of

WORD_GAMES = [
    pytest.param(games()[name], id=name) for name in ("impostor", "undercover", "chameleon")
]
every_word_game = pytest.mark.parametrize("game", WORD_GAMES)
IMPOSTOR, UNDERCOVER, CHAMELEON = (games()[n] for n in ("impostor", "undercover", "chameleon"))
SIZES = [(4, 1), (5, 1), (5, 2), (6, 2), (7, 3), (10, 1), (10, 3)]


def settings(game: Game, **keys: object) -> list[Any]:
    """The settings of the shipped records under these keys."""
    variant = game.variant.model_validate(keys)
    number = len(game.settings_file.expand_settings(variant)) * len(game.shipped())
    ways = number // len(game.shipped())
    return [game.make_setting(game.shipped()[n // ways], variant, n) for n in range(number)]


def table(game: Game, setting: int = 0, seed: int = 1, **keys: object) -> Table:
    """A table before its first answer."""
    made = settings(game, probes="off", **keys)[setting]
    return Table(game, made, game.seats(made), seed)


def special(table: Table) -> list[Seat]:
    """The seats of the special role."""
    sides = table.game.sides(table.setting)
    return [seat for seat in table.seats if sides[seat] == table.game.scoring.special]


def held(match: Table, seat: Seat) -> tuple[str, ...]:
    """The words that a seat was told."""
    return tuple(event.record["word"] for event in match.view(seat).told("word"))


def at_the_vote(match: Table) -> Table:
    while match.pending is not None and match.pending.kind != "vote":
        match.answer({seat: {"text": "a clue"} for seat in match.waiting})
    return match


def voted(match: Table, *suspects: int, **more: Mapping[int, Any]) -> Table:
    """The match after a ballot, in which nobody names itself."""
    at_the_vote(match).answer(
        {
            Seat(seat): {"suspect": player(suspect), **more.get(f"of_{seat}", {})}
            for seat, suspect in enumerate(suspects)
        }
    )
    return match


def ballot(match: Table, named: Sequence[int]) -> list[int]:
    """A vote of each seat for the next of these, or, if that is itself, for the next seat."""
    suspects = [named[(seat + 1) % len(named)] for seat in match.seats]
    return [
        (suspect + 1) % len(suspects) if suspect == seat else suspect
        for seat, suspect in enumerate(suspects)
    ]


@every_word_game
def test_the_group_of_the_paper_is_stored_and_told_as_ever(game: Game) -> None:
    setting, variant = settings(game)[-1], game.variant()
    for part in (setting, variant):
        assert not {"players", "special_seats", "deal"} & part.model_dump().keys()
    assert (variant.is_usual, variant.model_copy(update={"players": 6}).is_usual) == (True, False)
    assert game.condition(game.variant(players=6, special_seats=2)) == "players=6,special_seats=2"
    match = table(game)
    assert match.events[0].record.keys() <= {"players", "clue_rounds"}


@every_word_game
@pytest.mark.parametrize(("players", "count"), SIZES)
def test_each_seat_is_special_equally_often(game: Game, players: int, count: int) -> None:
    held: Counter[int] = Counter()
    together = set()
    for setting in settings(game, players=players, special_seats=count):
        roles = game.sides(setting)
        assert len(roles) == players
        assert roles.count(game.scoring.special or "") == count
        held.update(seat for seat, role in enumerate(roles) if role == game.scoring.special)
        together.add(roles)
    assert len(held) == players
    if game is IMPOSTOR or count == 1:
        assert max(held.values()) - min(held.values()) <= (20 % players > 0)
    if (players, count) == (6, 2):  # of the 15 pairs that there are
        assert len(together) > 10


@every_word_game
def test_a_group_that_cannot_play_is_refused(game: Game) -> None:
    wrong: list[tuple[dict[str, object], str]] = [
        ({"players": 6, "special_seats": 3}, "special_seats = 3 is no minority of 6 players"),
        ({"special_seats": 2}, "special_seats = 2 is no minority of"),
        ({"players": 11}, "less than or equal to 10"),
        ({"players": 2}, "greater than or equal to"),
    ]
    if game is IMPOSTOR:
        teams = {"assignment": "team_blind", "players": 5}
        wrong.append((teams, "'team_blind' needs an even number of players"))
    else:
        openings = {"first_moves": "shipped", "players": 4}
        wrong.append((openings, "first_moves = 'shipped' needs the usual group"))
    for keys, problem in wrong:
        with pytest.raises(ValidationError, match=problem):
            game.variant.model_validate(keys)


@every_word_game
def test_special_players_share_what_they_hold(game: Game) -> None:
    match = table(game, players=7, special_seats=3)
    words = {seat: held(match, seat) for seat in match.seats}
    of_special = {words[seat] for seat in special(match)}
    of_others = {words[seat] for seat in match.seats if seat not in special(match)}
    assert len(of_special) == len(of_others) == 1
    assert of_special != of_others
    assert of_special == {()} or game is not CHAMELEON


@pytest.mark.parametrize("game", [UNDERCOVER, CHAMELEON])
@pytest.mark.parametrize("setting", range(5))
def test_whoever_alone_is_named_most_is_caught_if_it_is_special(game: Game, setting: int) -> None:
    def ending(*named: Seat) -> str | None:
        match = table(game, setting, players=6, special_seats=2)
        voted(match, *ballot(match, named))
        return match.outcome and match.outcome.ending

    match = table(game, setting, players=6, special_seats=2)
    first, second = special(match)
    ordinary = next(seat for seat in match.seats if seat not in (first, second))
    for caught in (first, second):  # a chameleon has still to guess
        assert ending(caught) == (None if game is CHAMELEON else "caught")
    assert ending(ordinary) == "escaped"
    assert ending(*match.seats) in {"tie", "even"}


def impostor_ending(votes: Sequence[int], impostors: Sequence[int]) -> str:
    """The ending of a ballot at a table of so many seats, with these impostors."""
    keys: dict[str, Any] = {"players": len(votes), "special_seats": len(impostors)}
    made = settings(IMPOSTOR, probes="off", **keys)
    setting = next(each for each in made if each.special == tuple(impostors))
    match = Table(IMPOSTOR, setting, len(votes), seed=1)
    voted(match, *votes)
    return match.outcome.ending


@pytest.mark.parametrize(
    ("votes", "impostors", "ending"),
    [
        # Of six in the majority four are more than half, whatever the top.
        ((1, 0, 0, 0, 0, 1, 1), (0,), "convicted"),
        # Three are not, but they are the most.
        ((1, 2, 0, 0, 0, 1, 2), (0,), "convicted"),
        ((1, 2, 0, 0, 0, 1, 1), (0,), "tie"),
        ((1, 2, 1, 0, 0, 1, 1), (0,), "escaped"),
        # Of two impostors one is enough; their own votes count for the top.
        ((2, 0, 0, 0, 1), (0, 1), "convicted"),
        ((2, 2, 0, 1, 3), (0, 1), "escaped"),
        ((1, 2, 1, 2, 3), (0, 1), "tie"),
        ((1, 3, 1, 4, 2), (0, 1), "sole_suspect"),
    ],
)
def test_an_impostor_is_caught_by_more_than_half_or_by_the_most(
    votes: tuple[int, ...], impostors: tuple[int, ...], ending: str
) -> None:
    assert impostor_ending(votes, impostors) == ending


def test_any_impostor_may_declare_itself_for_all() -> None:
    keys: dict[str, Any] = {"players": 5, "special_seats": 2}
    for right in (True, False):
        match = table(IMPOSTOR, **keys)
        first, second = special(match)
        word = match.setting.majority_word if right else "nothing"
        own = {f"of_{second}": {"self_declaration": True, "word_guess": word}}
        voted(match, *ballot(match, [first]), **own)
        assert match.outcome.ending == ("impostor_guessed" if right else "impostor_misguessed")
        assert match.outcome.winners == tuple(
            seat for seat in match.seats if (seat in (first, second)) == right
        )
        (end,) = (each for each in talk(match) if isinstance(each, Ending))
        assert end.words.startswith(f"{player(second)} stood up and")


def talk(match: Table) -> Sequence[object]:
    return match.game.talk(match.seats, match.events, match.outcome)


def test_the_end_names_all_special_players_and_the_one_found_out() -> None:
    match = table(UNDERCOVER, players=6, special_seats=2)
    first, second = special(match)
    ordinary = next(seat for seat in match.seats if seat not in (first, second))
    for named, words in (
        (second, f"{player(second)} is caught: it was an undercover"),
        (ordinary, f"{player(first)} and {player(second)} get away as the undercovers"),
    ):
        match = table(UNDERCOVER, players=6, special_seats=2)
        voted(match, *ballot(match, [named]))
        (end,) = (each for each in talk(match) if isinstance(each, Ending))
        assert end.words == words


@pytest.mark.parametrize("game", [IMPOSTOR, CHAMELEON])
def test_clues_may_be_given_in_rounds_as_in_undercover(game: Game) -> None:
    match = play(table(game, clue_rounds=3), saying("a clue")).table
    said = [
        (event.round, event.record["speaker"]) for event in match.events if event.kind == "said"
    ]
    assert len(said) == len({*said}) == 3 * len(match.seats)
    assert {round for round, _ in said} == {1, 2, 3}


def test_a_team_has_half_of_the_seats() -> None:
    for mode, known in (("team_aware", [[1, 2], [3, 5]]), ("team_semi_aware", [2, 2])):
        match = table(IMPOSTOR, players=6, assignment=mode)
        of_seats = [match.view(Seat(seat)).told("team")[0].record for seat in (0, 4)]
        assert of_seats == [{"teammates": mates} for mates in known]
        system = render(IMPOSTOR, match.view(Seat(0)), "clue").system
        if mode == "team_aware":
            assert "You and Player 2 and Player 3 are team mates, and all of you know it." in system
        else:
            assert "Two of the other five are your team mates; you are not told which." in system
        assert any("team" in str(item) for item in talk(match))


@every_word_game
def test_ten_seats_have_a_board_a_ballot_and_prompts_without_the_wrong_article(game: Game) -> None:
    match = at_the_vote(table(game, players=10, special_seats=3))
    prompts = [render(game, match.view(seat), "vote") for seat in match.seats]
    for prompt in prompts:
        assert "a table of 10 in" in prompt.system
        for text in (prompt.system, prompt.question):
            assert f"the {game.scoring.special} " not in text.replace("'", " '")
    voted(match, *ballot(match, [0, 1]))
    while match.pending is not None:
        match.answer({seat: {"word": "nothing"} for seat in match.waiting})
    ring, *_ = game.board(match.seats, match.events, match.outcome)
    assert len(ring.arrows) == 10  # type: ignore[union-attr]
    assert len(ring.notes) == 3  # type: ignore[union-attr]
    (votes,) = (each for each in talk(match) if isinstance(each, Ballot))
    assert len(votes.votes) == votes.voters == 10


def vote_on(match: Table, suspect: Seat) -> None:
    """Plays on to the next vote, in which all name one player, and it the first other one."""
    at_the_vote(match)
    other = next(seat for seat in match.waiting if seat != suspect)
    for_whom = {seat: other if seat == suspect else suspect for seat in match.waiting}
    match.answer({seat: {"suspect": player(named)} for seat, named in for_whom.items()})
    if match.pending is not None and match.pending.kind == "guess":
        match.answer({suspect: {"word": "nothing"}})


def out_of(match: Table) -> list[tuple[int, str]]:
    """The players that are out, in turn, with the roles that all were told."""
    events = [event for event in match.events if event.kind == "out" and event.to is None]
    return [(event.record["player"], event.record["role"]) for event in events]


ELIMINATION = {"players": 7, "special_seats": 2, "clue_rounds": 4, "elimination": True}


@every_word_game
def test_the_others_win_once_all_special_players_are_voted_out(game: Game) -> None:
    match = table(game, **ELIMINATION)
    first, second = special(match)
    ordinary = next(seat for seat in match.seats if seat not in (first, second))
    for suspect in (first, ordinary, second):
        assert match.outcome is None
        vote_on(match, suspect)
    assert match.outcome.ending in {"caught", "convicted"}
    assert match.outcome.winners == tuple(s for s in match.seats if s not in (first, second))
    assert [seat for seat, _ in out_of(match)] == [first, ordinary, second]
    roles = match.outcome.roles
    assert [role for _, role in out_of(match)] == [roles[s] for s in (first, ordinary, second)]
    # Whoever is out says, votes and is asked no more.
    for event in match.events:
        if event.round > 1:
            assert first not in {event.by, event.record.get("speaker")}
            assert first not in event.record.get("speakers", ())


@every_word_game
def test_the_special_side_wins_once_it_is_no_minority(game: Game) -> None:
    match = table(game, **ELIMINATION)
    others = [seat for seat in match.seats if seat not in special(match)]
    for suspect in others[:3]:  # five against two, then two against two
        assert match.outcome is None
        vote_on(match, suspect)
    assert match.outcome.ending == "escaped"
    assert match.outcome.winners == tuple(special(match))


@every_word_game
def test_the_special_side_wins_if_one_of_it_is_left_after_the_last_vote(game: Game) -> None:
    match = table(game, **{**ELIMINATION, "clue_rounds": 2})
    first, _ = special(match)
    vote_on(match, first)
    at_the_vote(match)
    names = dict(zip(match.waiting, [*match.waiting[1:], match.waiting[0]], strict=True))
    match.answer({seat: {"suspect": player(named)} for seat, named in names.items()})
    assert match.outcome.ending == "escaped"
    assert out_of(match) == [(first, match.outcome.roles[first])]


@every_word_game
def test_who_is_out_cannot_be_named_and_stands_in_no_list(game: Game) -> None:
    match = table(game, **ELIMINATION)
    gone = special(match)[0]
    vote_on(match, gone)
    at_the_vote(match)
    seat = match.waiting[0]
    prompt = render(game, match.view(seat), "vote")
    role = match.game.sides(match.setting)[gone]
    assert f"Voted out: {player(gone)} (its role was {role})." in prompt.question
    assert player(gone) not in prompt.question.partition("exactly one of: ")[2]
    assert player(gone) not in str(match.pending.schema(seat))
    with pytest.raises(IllegalAnswer, match=f"there is no {player(gone)} at this table"):
        match.answer({seat: {"suspect": player(gone)}})


def test_an_accused_chameleon_that_names_the_word_ends_an_elimination_level() -> None:
    match = at_the_vote(table(CHAMELEON, **ELIMINATION))
    chameleon = special(match)[0]
    voted(match, *ballot(match, [chameleon]))
    match.answer({chameleon: {"word": match.setting.secret_word}})
    assert match.outcome.ending == "guessed"
    assert not match.outcome.winners


@every_word_game
def test_the_open_talk_comes_before_the_vote_and_is_heard_by_all(game: Game) -> None:
    match = table(game, talk_rounds=2, clue_rounds=1)
    while match.pending is not None and match.pending.kind == "clue":
        match.answer({seat: {"text": "a clue"} for seat in match.waiting})
    speakers = []
    while match.pending is not None and match.pending.kind == "talk":
        (seat,) = match.waiting
        word = held(match, seat)
        if word:
            with pytest.raises(IllegalAnswer, match="the speech names your word"):
                match.answer({seat: {"text": f"It is {word[0]}!"}})
        match.answer({seat: {"text": f"not I, {len(speakers)}"}})
        speakers.append(seat)
    assert match.pending.kind == "vote"
    order = match.view(Seat(0)).told("order")[0].record["speakers"]
    assert speakers == order * 2
    for seat in match.seats:
        heard = [e.record for e in match.view(seat).told("said") if "talk" in e.record]
        assert [record["text"] for record in heard] == [
            f"not I, {number}" for number in range(2 * len(order))
        ]
    question = render(game, match.view(Seat(0)), "vote").question
    assert question.index("In the open talk:") < question.index("not I, 0")


@every_word_game
def test_scripted_players_tell_whom_they_suspect_and_hear_clues_alone(game: Game) -> None:
    variant = game.variant(talk_rounds=1, probes="off", players=5)
    setting = game.make_setting(game.shipped()[0], variant)
    match = Table(game, setting, 5, seed=1)
    said: dict[Seat, str] = {}
    bayesian = strategies()["bayesian"](shipped_bank())
    while (ask := match.pending) is not None:
        answers = {}
        for seat in match.waiting:
            answer: Any = bayesian.decide(ask, match.view(seat), Dice(seat))
            if ask.kind == "talk":
                said[seat] = answer.text
            if ask.kind == "vote":
                assert said[seat] == f"I would vote for {player(answer.suspect)}."
            answers[seat] = answer
        match.answer(answers)
    assert len(said) == 5


def test_a_lone_bayesian_impostor_among_seven_names_the_word_in_most_matches() -> None:
    bayesian, won = strategies()["bayesian"](shipped_bank()), 0
    made = settings(IMPOSTOR, probes="off", players=7)
    for number in range(60):
        match = Table(IMPOSTOR, made[number * 35], 7, number)
        while (ask := match.pending) is not None:
            dice = Dice(number, match.ask_number)
            match.answer(
                {seat: bayesian.decide(ask, match.view(seat), dice) for seat in match.waiting}
            )
        won += match.outcome.ending == "impostor_guessed"
    assert f"names the word in {won} of 60 matches" in text_of("docs/sizes.md")
    assert won == 53
