"""Undercover by answer scripts: events and asks turn by turn, and how each ballot ends."""

from collections import Counter
from contextlib import nullcontext
from itertools import permutations, product

import pytest

from parlour.games.engine.events import Event
from parlour.games.engine.moves import Fault, FaultKind, Seat, player
from parlour.games.engine.table import IllegalAnswer, Table
from parlour.games.testing.playthrough import play, saying
from parlour.games.undercover import GAME
from parlour.games.undercover.rules import Pair, Variant
from tests.games.votes import ACCUSED, game_event

ABSTAINS = Fault(FaultKind.REFUSAL)


def table(seed: int = 4, undercover: int = 1, word: str = "guitar", **keys: object) -> Table:
    """A table with the words guitar and banjo before its first answer.

    Seed 4 lets the seats speak in the order 2, 0, 1 in the first round, 2, 1, 0 in the second.
    """
    openings = keys.pop("openings", (None, None, None))
    words = {"civilian_word": word, "undercover_word": "banjo"}
    pair = Pair.model_validate({**words, "undercover_seat": undercover, "openings": openings})
    return Table(GAME, GAME.make_setting(pair, Variant.model_validate(keys)), 3, seed)


def clue_and_said(ask: int, round: int, seat: int, text: str, position: int) -> list[Event]:
    return [
        Event("clue", round, {"text": text}, (Seat(seat),), Seat(seat), ask),
        game_event("said", round, {"speaker": seat, "text": text, "position": position}),
    ]


def test_a_whole_match_turn_by_turn() -> None:
    match = table()
    expected = [
        game_event("rules", 0, {"players": 3, "clue_rounds": 2}),
        game_event("word", 0, {"word": "guitar"}, to=0),
        game_event("word", 0, {"word": "banjo"}, to=1),
        game_event("word", 0, {"word": "guitar"}, to=2),
        game_event("order", 1, {"speakers": [2, 0, 1]}),
    ]
    asked = 0
    assert match.events == expected
    for round, order in ((1, (2, 0, 1)), (2, (2, 1, 0))):
        if round == 2:
            expected.append(game_event("order", 2, {"speakers": [2, 1, 0]}))
        for position, seat in enumerate(order):
            assert (match.pending.kind, match.waiting) == ("clue", (seat,))
            text = f"clue {round} of {seat}"
            match.answer({Seat(seat): {"text": text}})
            expected += clue_and_said(asked, round, seat, text, position)
            asked += 1
            assert match.events[: len(expected)] == expected
        assert (match.pending.kind, match.waiting) == ("own_role", (0, 1, 2))
        roles = ("ordinary", "unsure", "special")
        match.answer({Seat(seat): {"role": role} for seat, role in enumerate(roles)})
        for seat, role in enumerate(roles):
            expected.append(Event("own_role", round, {"role": role}, (), Seat(seat), asked))
        assert (match.pending.kind, match.waiting) == ("beliefs", (0, 1, 2))
        suspects = ("Player 2", None, "Player 3")
        beliefs = [{"viewer": player(n), "suspect": held} for n, held in enumerate(suspects)]
        match.answer({seat: {"beliefs": beliefs} for seat in match.seats})
        # Players go by name in an answer, seats by number in the record.
        stored = [{"viewer": seat, "suspect": held} for seat, held in enumerate((1, None, 2))]
        for seat in match.seats:
            expected.append(Event("beliefs", round, {"beliefs": stored}, (), seat, asked + 1))
        asked += 2
    assert match.events == expected
    assert (match.pending.kind, match.waiting) == ("vote", (0, 1, 2))
    match.answer({Seat(2): {"suspect": "Player 2", "reasoning": "odd"}})
    assert match.events == expected  # nothing is shown before all votes are in
    match.answer({Seat(0): {"suspect": "Player 2"}, Seat(1): ABSTAINS})
    votes = ({"suspect": 1, "reasoning": ""}, {"suspect": None, "reasoning": ""})
    expected += [
        Event("vote", 2, votes[0], (Seat(0),), Seat(0), 10),
        Event("vote", 2, votes[1], (Seat(1),), Seat(1), 10, FaultKind.REFUSAL),
        Event("vote", 2, {"suspect": 1, "reasoning": "odd"}, (Seat(2),), Seat(2), 10),
    ]
    assert match.events == expected
    assert match.pending is None
    assert match.outcome.ending == "caught"


def test_the_table_of_ballots_is_whole() -> None:
    assert set(ACCUSED) == set(product("12-", "02-", "01-"))


@pytest.mark.parametrize("undercover", [0, 1, 2])
@pytest.mark.parametrize("ballot", ACCUSED)
def test_every_ballot_ends_as_it_must(ballot: tuple[str, ...], undercover: int) -> None:
    match = table(undercover=undercover, clue_rounds=1, probes="off")
    for _ in range(3):
        match.answer({match.waiting[0]: {"text": "a clue"}})
    match.answer(
        {
            Seat(seat): ABSTAINS if name == "-" else {"suspect": player(int(name))}
            for seat, name in enumerate(ballot)
        }
    )
    accused = ACCUSED[ballot]
    civilians = tuple(seat for seat in (0, 1, 2) if seat != undercover)
    if accused == str(undercover):
        ending, credits, winners = "caught", (0, 3), civilians
    elif accused == "tie":
        ending, credits, winners = "tie", (2, 1), ()
    else:  # a civilian, or nobody
        ending, credits, winners = "escaped", (3, 0), (undercover,)
    assert match.outcome.ending == ending
    assert match.outcome.payoffs == tuple(credits[seat != undercover] for seat in (0, 1, 2))
    assert match.outcome.winners == winners
    sides = tuple("undercover" if seat == undercover else "civilian" for seat in (0, 1, 2))
    assert match.outcome.roles == match.outcome.sides == sides


def at_the_vote() -> Table:
    match = table(probes="off")
    for _ in range(6):
        match.answer({match.waiting[0]: {"text": "a clue"}})
    return match


@pytest.mark.parametrize(
    ("vote", "fault"),
    [
        ({"suspect": 0}, "suspect: 0 is no player"),
        ({"suspect": "Player 1"}, "you cannot vote for yourself"),
        ({"suspect": "Player 9"}, "there is no Player 9"),
        ({"suspect": "Player 0"}, "there is no Player 0"),
        ({"suspect": None}, "nobody is named"),
        # Read as a seat, each of these would be another player than the one that was meant.
        ({"suspect": "2"}, "suspect: must be a whole number"),
        ({"suspect": True}, "suspect: True is no player"),
        ({"suspect": 1.0}, "suspect: must be a whole number"),
        ({"suspect": "I think it is Player 2"}, "suspect: must be a whole number"),
        ({}, "suspect: is missing"),
        ({"suspect": "Player 2", "also": 2}, "also: is not a valid key here"),
        (None, "the answer: must be an object"),
    ],
)
def test_a_vote_names_another_player_at_the_table(vote: object, fault: str) -> None:
    with pytest.raises(IllegalAnswer, match=fault):
        at_the_vote().answer({Seat(0): vote})


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "the clue is blank"),
        ("\u200b\x1b\u202e \n\t", "the clue is blank"),  # nothing is left once it is cleaned
        ("x" * 301, "the clue has 301 characters: at most 300"),
        ("GUITARS are loud", "names your word 'guitar'"),
        ("a gui\u200btar of sorts", "names your word 'guitar'"),
        *(("It is a banjo", None), ("x" * 300, None), ("?", None)),
    ],
)
def test_a_clue_is_neither_blank_nor_too_long_nor_names_the_own_word(
    text: str, fault: str | None
) -> None:
    match = table()
    assert match.waiting == (2,)  # a civilian: its word is guitar
    with pytest.raises(IllegalAnswer, match=fault) if fault else nullcontext():
        match.answer({Seat(2): {"text": text}})
    if not fault:
        assert match.view(Seat(0)).told("said")[-1].record["text"] == text
    other = table(undercover=2)
    with pytest.raises(IllegalAnswer, match="names your word 'banjo'"):
        other.answer({Seat(2): {"text": "banjo"}})
    other.answer({Seat(2): {"text": "guitar"}})


@pytest.mark.parametrize("word", ["number", "think", "It", "memory", "this one", "7", "42"])
def test_a_sampled_clue_is_legal_whatever_the_word(word: str) -> None:
    for seed in range(100):
        play(table(seed=seed, word=word, probes="off"))  # IllegalAnswer if one is not


def test_opening_clues_are_said_unasked_in_the_first_round_only() -> None:
    match = table(probes="off", openings=("strings", None, "wood"))
    assert match.waiting == (1,)
    match.answer({Seat(1): {"text": "loud"}})
    for seat in (2, 1, 0):
        assert (match.pending.kind, match.waiting) == ("clue", (seat,))
        match.answer({Seat(seat): {"text": f"clue of {seat}"}})
    said = match.view(Seat(0)).told("said")
    assert [(e.round, e.record["speaker"], e.record["text"]) for e in said] == [
        *((1, 2, "wood"), (1, 0, "strings"), (1, 1, "loud")),
        *((2, 2, "clue of 2"), (2, 1, "clue of 1"), (2, 0, "clue of 0")),
    ]
    assert match.pending.kind == "vote"


@pytest.mark.study("games/engine", "games/families", "games/undercover")
def test_each_round_is_spoken_in_an_order_drawn_anew_all_orders_alike() -> None:
    # 36 pairs of orders in 1,800 matches: 50 each; 5 standard deviations are 35.
    pairs: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for seed in range(1800):
        played = play(table(seed=seed, probes="off"), saying("a clue")).table
        orders = [event.record["speakers"] for event in played.events if event.kind == "order"]
        pairs[tuple(map(tuple, orders))] += 1
    assert set(pairs) == set(product(permutations(range(3)), repeat=2))
    assert all(15 <= count <= 85 for count in pairs.values())


def test_nobody_learns_who_the_undercover_is() -> None:
    # Seat 0 holds "guitar" as a civilian beside seat 1, beside seat 2, and as the undercover.
    views = []
    for civilian, special, seat in (
        ("guitar", "banjo", 1),
        ("guitar", "banjo", 2),
        ("banjo", "guitar", 0),
    ):
        pair = Pair(civilian_word=civilian, undercover_word=special, undercover_seat=seat)
        match = Table(GAME, GAME.make_setting(pair, Variant()), 3, 4)
        play(match, saying("a clue that fits them all"))
        views.append(match.view(Seat(0)))
    assert views[0] == views[1] == views[2]


def test_secrets_are_the_word_of_the_other_side() -> None:
    assert GAME.secrets(table(undercover=1).setting) == (("banjo",), ("guitar",), ("banjo",))
    assert GAME.sides(table(undercover=1).setting) == ("civilian", "undercover", "civilian")
    assert GAME.hints.words(table(undercover=1).setting) == ("guitar", "banjo")
