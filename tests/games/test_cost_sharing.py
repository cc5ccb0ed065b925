"""Cost sharing by answer scripts: agreement by content, and every way not to agree."""

from itertools import chain, product
from operator import attrgetter

import pytest

from parlour.games.cost_sharing import GAME
from parlour.games.cost_sharing.rules import Triple, Variant, pool
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Fault, FaultKind, Seat, player
from parlour.games.engine.prompts import render
from parlour.games.engine.table import IllegalAnswer, Table

FAULT = Fault(FaultKind.TIMEOUT)
NAMES = ["Albatross Air", "Cloudberry Express", "Bluefinch"]
A, B, C = [20, 30, 50], [25, 25, 50], [0, 0, 100]


def table(openings: object = (None, None, None), **keys: object) -> Table:
    record = Triple.model_validate_json(
        Triple.model_construct(airlines=NAMES, openings=openings).model_dump_json(warnings=False)
    )
    return Table(GAME, GAME.make_setting(record, Variant.model_validate(keys)), 3, 1)


def propose(match: Table, *splits: object) -> None:
    """Each seat in turn proposes; a Fault stands for itself."""
    for seat, split in enumerate(splits):
        assert (match.pending.kind, match.waiting) == ("propose", (seat,))
        match.answer({Seat(seat): split if isinstance(split, Fault) else {"shares": split}})


def approve(match: Table, votes: str) -> None:
    """All vote at once: each digit is the seat whose proposal is voted for, - is a fault."""
    assert (match.pending.kind, match.waiting) == ("approve", (0, 1, 2))
    match.answer({Seat(s): _vote(vote) for s, vote in enumerate(votes)})


def _vote(vote: str) -> object:
    return FAULT if vote == "-" else {"proposer": player(int(vote))}


def game_event(kind: str, round: int, record: dict[str, object]) -> Event:
    return Event(kind, round, record, None)


def test_a_whole_match_turn_by_turn() -> None:
    match = table()
    rules = {"players": 3, "fee": 1_000_000, "rounds": 5, "sequential_votes": False}
    airlines = [pool()[name].model_dump() for name in NAMES]
    expected = [game_event("rules", 0, rules), game_event("airlines", 0, {"airlines": airlines})]
    assert match.events == expected
    for seat, split in enumerate((A, B, C)):
        assert (match.pending.kind, match.waiting) == ("propose", (seat,))
        match.answer({Seat(seat): {"shares": split, "reasoning": "mine"}})
        own = {"shares": split, "reasoning": "mine"}
        expected.append(Event("propose", 1, own, (Seat(seat),), Seat(seat), seat))
        # Told to all, before the next one proposes; the reasoning to nobody.
        expected.append(game_event("proposed", 1, {"proposer": seat, "shares": split}))
        assert match.events == expected
    match.answer({Seat(1): _vote("0")})
    assert match.events == expected  # no vote is shown before all are in
    match.answer({Seat(0): _vote("0"), Seat(2): _vote("2")})
    for seat, vote in enumerate((0, 0, 2)):
        record = {"proposer": vote, "reasoning": ""}
        expected.append(Event("approve", 1, record, (Seat(seat),), Seat(seat), 3))
    expected.append(game_event("approvals", 1, {"proposers": [0, 0, 2]}))
    assert match.events == expected
    propose(match, A, A, C)
    approve(match, "010")
    assert match.outcome.ending == "agreed"
    assert match.outcome.payoffs == (80, 70, 50)  # 100 less 20, 30, 50
    assert match.outcome.winners == (0, 1, 2)
    assert match.outcome.facts == {
        "setting": "Albatross Air + Cloudberry Express + Bluefinch",
        "rounds": 2,
        "shares": A,
        "authors": [0, 1],
    }


# What seats 0, 1 and 2 propose, and which ballots then agree: all that name one content only.
TABLES = [
    ((A, B, C), {"000", "111", "222"}, {"0": [0], "1": [1], "2": [2]}),
    (
        (A, A, C),
        {"000", "001", "010", "011", "100", "101", "110", "111", "222"},
        {"0": [0, 1], "1": [0, 1], "2": [2]},
    ),
    ((B, A, B), {"111", *map("".join, product("02", repeat=3))}, {"0": [0, 2], "1": [1]}),
    ((A, A, A), {*map("".join, product("012", repeat=3))}, {"0": [0, 1, 2]}),
]


@pytest.mark.parametrize(("splits", "agreeing", "authors"), TABLES)
def test_three_votes_for_the_same_split_agree_whoever_proposed_it(
    splits: tuple[list[int], ...], agreeing: set[str], authors: dict[str, list[int]]
) -> None:
    for votes in map("".join, product("012-", repeat=3)):
        for sequential in (False, True):
            match = table(rounds=1, sequential_votes=sequential)
            propose(match, *splits)
            if sequential:
                for seat, vote in enumerate(votes):
                    match.answer({Seat(seat): _vote(vote)})
            else:
                approve(match, votes)
            outcome = match.outcome
            if votes in agreeing:
                shares = splits[int(votes[0])]
                assert outcome.ending == "agreed"
                assert outcome.facts["shares"] == shares
                assert outcome.payoffs == tuple(100 - share for share in shares)
                by_content = next(of for of in authors.values() if int(votes[0]) in of)
                assert outcome.facts["authors"] == by_content
            else:
                assert outcome.ending == "failed"


def test_without_agreement_in_the_last_round_nobody_keeps_anything() -> None:
    match = table()
    for _ in range(5):
        assert match.outcome is None
        propose(match, A, B, C)
        approve(match, "012")
    assert match.outcome.ending == "failed"
    assert match.outcome.payoffs == (0, 0, 0)
    assert match.outcome.winners == ()
    assert match.outcome.facts["shares"] is None
    assert match.outcome.facts["authors"] == []
    assert match.outcome.facts["rounds"] == 5


def test_only_the_proposals_of_this_round_count() -> None:
    match = table(rounds=2)
    propose(match, A, A, A)
    approve(match, "01-")  # a vote for nobody is no vote for the same split
    propose(match, B, C, B)
    approve(match, "000")
    assert match.outcome.facts["shares"] == B
    assert match.outcome.facts["authors"] == [0, 2]


ENDLESS = 9 * 10**4299


@pytest.mark.parametrize(
    ("shares", "fault"),
    [
        ([0, 0, 0], "sum to 0: they must sum to 100"),
        ([-1, 50, 51], "from 0 to 100"),
        ([101, 0, -1], "from 0 to 100"),
        # Each can be written out, their sum cannot.
        ([ENDLESS, ENDLESS, ENDLESS], "from 0 to 100"),
        ([50, 50], "shares"),
        ([25, 25, 25, 25], "shares"),
        ([33.3, 33.3, 33.4], "shares"),
        ([True, 49, 50], "True is no number"),
        ([None, 50, 50], "shares"),
        ("34, 33, 33", "shares"),
        ({"Player 1": 100}, "shares"),
    ],
)
def test_a_proposal_is_three_whole_numbers_that_sum_to_a_hundred(
    shares: object, fault: str
) -> None:
    match = table()
    with pytest.raises(IllegalAnswer, match=fault) as refused:
        match.answer({Seat(0): {"shares": shares}})
    assert len(str(refused.value)) < 400
    assert match.waiting == (0,)


@pytest.mark.parametrize(
    ("given", "exact"),
    [
        ([100, 0, 0], [100, 0, 0]),
        ([40, 35, 20], [42, 37, 21]),  # 42.1, 36.8, 21.1
        ([100, 100, 100], [34, 33, 33]),  # the first of equal remainders
        ([20, 30, 51], [20, 30, 50]),  # 19.8, 29.7, 50.5
        ([0, 0, 1], [0, 0, 100]),
    ],
)
def test_any_split_of_the_whole_may_be_proposed_and_is_made_exact(
    given: list[int], exact: list[int]
) -> None:
    match = table()
    match.answer({Seat(0): {"shares": given}})
    assert match.events[-1].record == {"proposer": 0, "shares": exact}


@pytest.mark.parametrize(
    ("vote", "fault"),
    [
        ({"proposer": None}, "nobody has no proposal"),
        ({"proposer": "Player 4"}, "Player 4 has no proposal"),
        ({"proposer": 1}, "1 is no player"),
        ({}, "proposer: is missing"),
    ],
)
@pytest.mark.parametrize("sequential", [False, True])
def test_a_vote_names_who_has_a_proposal(
    vote: dict[str, object], fault: str, sequential: bool
) -> None:
    match = table(sequential_votes=sequential)
    propose(match, A, B, C)
    with pytest.raises(IllegalAnswer, match=fault):
        match.answer({Seat(0): vote})


def test_sequential_votes_are_heard_by_the_next_to_vote() -> None:
    match = table(sequential_votes=True, rounds=1)
    propose(match, A, B, C)
    for seat, vote in enumerate((0, 0, None)):
        assert (match.pending.kind, match.waiting) == ("approve", (seat,))
        heard = [e.record for e in match.view(Seat(seat)).told("approved")]
        assert heard == [{"voter": s, "proposer": 0} for s in range(seat)]
        shown = render(GAME, match.view(Seat(seat)), "approve").question
        assert ("Player 1 votes for the proposal of Player 1" in shown) == (seat > 0)
        match.answer({Seat(seat): FAULT if vote is None else _vote(str(vote))})
    assert match.events[-1] == game_event("approved", 1, {"voter": 2, "proposer": None})
    assert not [e for e in match.events if e.kind == "approvals"]
    assert match.outcome.ending == "failed"


def test_a_faulty_proposal_is_the_split_nearest_to_equal_and_a_faulty_vote_none() -> None:
    match = table(rounds=1)
    propose(match, FAULT, [34, 33, 33], C)
    assert match.view(Seat(2)).told("proposed")[0].record["shares"] == [34, 33, 33]
    match.answer({Seat(0): FAULT, Seat(1): _vote("0"), Seat(2): _vote("1")})
    assert match.events[-1].record == {"proposers": [None, 0, 1]}
    assert match.outcome.ending == "failed"


def test_openings_are_proposed_unasked_in_the_first_round_only() -> None:
    match = table(openings=(A, None, C))
    assert match.view(Seat(1)).told("proposed")[0].record == {"proposer": 0, "shares": A}
    assert match.waiting == (1,)
    match.answer({Seat(1): {"shares": B}})
    assert [e.record["shares"] for e in match.view(Seat(0)).told("proposed")] == [A, B, C]
    approve(match, "012")
    propose(match, B, B, B)
    approve(match, "012")
    assert match.outcome.facts["authors"] == [0, 1, 2]


def test_a_prompt_names_the_round_it_asks_about() -> None:
    for sequential in (False, True):
        match = table(sequential_votes=sequential)
        for round in range(1, 6):
            for _ in range(3):
                (seat,) = match.waiting
                shown = render(GAME, match.view(seat), "propose").question
                assert f"propose in round {round} of 5" in shown
                match.answer({seat: {"shares": A if seat else B}})
            while match.pending is not None and match.pending.kind == "approve":
                seats = match.waiting
                for seat in seats:
                    shown = render(GAME, match.view(seat), "approve").question
                    assert f"vote in round {round} of 5" in shown
                match.answer({s: _vote(str(s)) for s in seats[: 1 if sequential else 3]})
        assert match.outcome.ending == "failed"


def test_prompts_hold_the_airlines_the_rules_and_all_that_was_proposed_and_voted() -> None:
    match = table()
    shown = render(GAME, match.view(Seat(1)), "propose")
    assert "You are Player 2 at a table of 3" in shown.system
    assert "$1,000,000" in shown.system
    assert "at most 5 rounds" in shown.system
    assert "everybody votes at the same time" in shown.system
    # The figures of the shipped file.
    assert (
        '- Player 1, "Albatross Air": 60 flights, 5400 passengers, 1.5 hours a flight on average;'
        ' "mostly small propeller aircraft"'
    ) in shown.system
    assert '- Player 2 (you), "Cloudberry Express": 150 flights, 13500 passengers, 1 hours' in (
        shown.system
    )
    assert shown.question.startswith("Nothing has been proposed yet.")
    propose(match, A, B, C)
    match.answer({Seat(0): _vote("0"), Seat(1): _vote("2"), Seat(2): FAULT})
    lines = render(GAME, match.view(Seat(1)), "propose").question.splitlines()
    assert lines[:5] == [
        "The negotiation so far:",
        "- round 1, Player 1 proposes: Player 1 20 %, Player 2 30 %, Player 3 50 %",
        "- round 1, Player 2 proposes: Player 1 25 %, Player 2 25 %, Player 3 50 %",
        "- round 1, Player 3 proposes: Player 1 0 %, Player 2 0 %, Player 3 100 %",
        "- round 1, the vote: Player 1 for the proposal of Player 1, Player 2 for the proposal of"
        " Player 3, Player 3 for no proposal",
    ]


def test_twenty_airlines_and_seven_triples_ship() -> None:
    assert len(pool()) == 20
    triples = [tuple(map(attrgetter("name"), each.airlines)) for each in GAME.shipped()]
    assert len(set(triples)) == 7
    assert all(len(set(names)) == 3 for names in triples)
    assert set(chain.from_iterable(triples)) == set(pool())
