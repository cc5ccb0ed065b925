"""Scripted players of chameleon, the dilemmas and cost sharing, on views made by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.agents.registry import strategies
from parlour.agents.scripted.bayesian import BayesianPlayer, Guess
from parlour.agents.scripted.negotiators import distance, shifted
from parlour.agents.scripted.strategy import Strategy
from parlour.agents.scripted.words import CautiousPlayer, Heard, LiteralPlayer, RandomPlayer
from parlour.games.chameleon.rules import guess
from parlour.games.cost_sharing.rules import approve, propose
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import Event, View
from parlour.games.engine.moves import Ask, Fault, Seat
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import Table
from parlour.games.families.clues.clue_bank import ClueBank
from parlour.games.families.usage import by_usage
from parlour.games.families.word_games import Vote, ballot, beliefs, clue, own_role
from parlour.games.prisoners_dilemma.rules import choose
from parlour.games.public_good.rules import contribute
from parlour.games.testing.playthrough import opened
from tests.agents.playing import SEATS, TINY, Listed

ANIMALS = ClueBank(TINY.clues, {"Animals": ("cat", "dog", "cow"), "Plants": ("elm",)})
ANIMALS.evidence = Listed(ANIMALS)
LITERAL, CAUTIOUS, BAYESIAN = (
    kind(ANIMALS) for kind in (LiteralPlayer, CautiousPlayer, BayesianPlayer)
)
NO_BANK = ClueBank({})


def view(game: str, seat: int, *records: tuple[str, int, dict[str, object]]) -> View:
    events = tuple(Event(kind, round, record, None) for kind, round, record in records)
    return View(game, Seat(seat), SEATS, events)


def hears(word: str | None, said: Mapping[int, Sequence[str]], topic: str = "Animals") -> View:
    """View of Player 1 as a non-chameleon with a word, or as the chameleon."""
    role = "chameleon" if word is None else "non_chameleon"
    events: list[tuple[str, int, dict[str, object]]] = [("rules", 0, {"players": 3})]
    events += [("topic", 0, {"topic": topic}), ("role", 0, {"role": role})]
    events += [] if word is None else [("word", 0, {"word": word})]
    for speaker, clues in said.items():
        events += [("said", 1, {"speaker": speaker, "text": t, "position": 0}) for t in clues]
    return view("chameleon", 0, *events)


def legal(player: Strategy, ask: Ask[Any], seen: View, dice: Dice) -> dict[str, Any]:
    judged = ask.judge(seen.seat, player.decide(ask, seen, dice))
    assert not isinstance(judged, Fault), judged
    return judged.model_dump()


def answers(player: Strategy, word: str | None, said: Mapping[int, Sequence[str]]) -> tuple:
    """Clue, own role, beliefs by viewer, and the votes that the dice may lead to."""
    seen, any_dice = hears(word, said), Dice("any")
    held = legal(player, beliefs(SEATS, 1, knows=() if word else SEATS[:1]), seen, any_dice)
    suspects = {b["viewer"]: b["suspect"] for b in held["beliefs"]}
    return (
        legal(player, clue(SEATS[0], word, 1, 300), seen, any_dice)["text"],
        legal(player, own_role(SEATS, 1), seen, any_dice)["role"],
        suspects,
        {
            legal(player, ballot(SEATS, 1, Vote), seen, Dice("vote", n))["suspect"]
            for n in range(40)
        },
    )


def words_guessed(player: Strategy, said: Mapping[int, Sequence[str]], topic: str) -> set[str]:
    seen = hears(None, said, topic)
    words = set()
    for probe in (False, True):
        ask = guess(SEATS[0], probe)
        words |= {legal(player, ask, seen, Dice("guess", n))["word"] for n in range(60)}
    return words


@pytest.mark.parametrize("player", [LITERAL, CAUTIOUS])
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({}, {"cat", "dog", "cow"}),
        ({1: ["barks"]}, {"dog"}),
        ({1: ["pet"], 2: ["barks"]}, {"dog"}),
        ({1: ["pet"], 2: ["fur"]}, {"cat", "dog"}),  # each of both lists the two clues
        ({1: ["barks"], 2: ["moos"]}, {"dog", "cow"}),
        ({1: ["(no clue)"]}, {"cat", "dog", "cow"}),
    ],
)
def test_a_chameleon_takes_the_word_that_fits_most_clues_for_the_secret_one(
    player: Strategy, said: dict[int, list[str]], words: set[str]
) -> None:
    assert words_guessed(player, said, "Animals") == words


def test_under_an_unknown_topic_any_word_of_the_bank_may_be_meant() -> None:
    assert words_guessed(LITERAL, {}, "Nothing known") == {"cat", "dog", "cow"}


def test_a_random_chameleon_guesses_a_word_of_the_topic_and_says_a_clue_of_one() -> None:
    player = RandomPlayer(ANIMALS)
    assert words_guessed(player, {1: ["barks"]}, "Animals") == {"cat", "dog", "cow"}
    ask, seen = clue(SEATS[0], None, 1, 300), hears(None, {})
    said = {legal(player, ask, seen, Dice("clue", n))["text"] for n in range(200)}
    assert said == set(TINY.words_by_clue)


def test_a_literal_or_cautious_chameleon_speaks_for_its_supposed_word() -> None:
    # Dog fits both; of its clues "fur" and "fetches" are left. Nothing misfits dog.
    said = {1: ["barks"], 2: ["pet"]}
    nobody = {1: None, 2: None}
    assert answers(LITERAL, None, said) == ("fetches", "special", nobody, {1, 2})
    assert answers(CAUTIOUS, None, said) == ("fur", "special", nobody, {1, 2})


def test_a_player_that_knows_its_role_suspects_others_alone() -> None:
    # Both others misfit cat. Seen from seat 1 only 2 does, from seat 2 only 1.
    said = {1: ["barks"], 2: ["fetches"]}
    expected = ("meows", "ordinary", {0: None, 1: 2, 2: 1}, {1, 2})
    assert answers(LITERAL, "cat", said) == expected
    # Seat 1 alone misfits; it is not expected to suspect itself, and nobody else misfits.
    said = {1: ["barks"], 2: ["pet"]}
    assert answers(LITERAL, "cat", said) == ("meows", "ordinary", {0: 1, 1: None, 2: 1}, {1})


MEANT = 0.95 * 0.37 * 600
# Likelihoods of a clue that fits the word alone (barks), two words (pet), and not this word: of
# the special player, and of the others.
S1, S2, S0 = MEANT + 0.45, MEANT / 2 + 0.45, 0.45
N1, N2, N0 = MEANT + 0.05, MEANT / 2 + 0.05, 0.05


def test_the_bayesian_posterior_of_a_non_chameleon_by_hand() -> None:
    said = {1: ["barks"], 2: ["pet"]}
    seen = hears("cat", said)
    weights = {
        # Seat 1 has another word in mind, seat 2 holds cat: word(barks) × cat(pet).
        (1, "cat"): S0 * N2,
        (1, "dog"): S1 * N2,
        (1, "cow"): S0 * N2,
        # Seat 1 holds cat: cat(barks) × word(pet).
        (2, "cat"): N0 * S2,
        (2, "dog"): N0 * S2,
        (2, "cow"): N0 * S0,
    }
    whole = sum(weights.values())
    expected = {Guess((Seat(s),), w): n / whole for (s, w), n in weights.items()}
    assert BAYESIAN.weigh(Heard.of(seen), SEATS[0]) == pytest.approx(expected)


def test_the_bayesian_posterior_of_a_chameleon_by_hand() -> None:
    # Both others hold the word; it is certain of its role.
    posterior = BAYESIAN.weigh(Heard.of(hears(None, {1: ["barks"], 2: ["pet"]})), SEATS[0])
    weights = {"cat": N0 * N2, "dog": N1 * N2, "cow": N0 * N0}
    expected = {Guess((Seat(0),), w): n / sum(weights.values()) for w, n in weights.items()}
    assert posterior == pytest.approx(expected)


def test_a_bayesian_player_plays_on_its_posterior() -> None:
    said = {1: ["barks"], 2: ["pet"]}
    # As a non-chameleon: "fur", which three words have. Seat 1 is the chameleon, and knows it;
    # seat 2, who holds cat, suspects seat 1 as well.
    assert answers(BAYESIAN, "cat", said) == ("fur", "ordinary", {0: 1, 1: 1, 2: 1}, {1})
    # As the chameleon: "fur" is of every word. Both others hold dog and heard a clue of dog from
    # each other, so they suspect the silent seat 0.
    spoken, role, suspects, votes = answers(BAYESIAN, None, said)
    assert (spoken, role, suspects) == ("fur", "special", {1: 0, 2: 0})
    assert votes <= {1, 2}
    assert words_guessed(BAYESIAN, said, "Animals") == {"dog"}


def test_a_bayesian_player_says_what_is_left() -> None:
    # "fur" is taken: of cat's clues "pet" is shared by two words, the others by none.
    assert answers(BAYESIAN, "cat", {1: ["fur"]})[0] == "pet"
    # The chameleon heard "barks" and "fur": dog or, less likely, cat: "pet" is of both.
    assert answers(BAYESIAN, None, {1: ["barks"], 2: ["fur"]})[0] == "pet"


def play(match: Table, players: Sequence[Strategy]) -> Table:
    while (ask := match.pending) is not None:
        match.answer(
            {
                seat: legal_model(players[seat], ask, match.view(seat), match)
                for seat in match.waiting
            }
        )
    return match


def legal_model(player: Strategy, ask: Ask[Any], seen: View, match: Table) -> object:
    dice = Dice(match.seed, "agent", match.ask_number, seen.seat)
    judged = ask.judge(seen.seat, player.decide(ask, seen, dice))
    assert not isinstance(judged, Fault), judged
    return judged


POINTS = {"all_cooperate": 3, "all_defect": 1, "lone_defector": 5, "joint_defectors": 5}
ACTIONS = {"C": "cooperate", "D": "defect"}
DILEMMAS = ("cooperate", "greedy", "grim", "tit_for_tat", "image_scoring", "equilibrium")


def made(name: str, **keys: object) -> Strategy:
    kind = strategies()[name]
    return kind(NO_BANK, kind.parameters.model_validate(keys))


def chosen(name: str, past: str, rules: Mapping[str, object] = POINTS, **keys: object) -> str:
    """Choice of Player 1 after these rounds, C or D."""
    events = [("rules", 0, {"players": 3, "rounds": 5, **rules})]
    for round, letters in enumerate(past.split(), start=1):
        record = {"actions": [ACTIONS[letter] for letter in letters], "points": [0, 0, 0]}
        events.append(("choices", round, record))
    seen = view("prisoners_dilemma", 0, *events)
    action = legal(made(name, **keys), choose(SEATS, 1), seen, Dice("any"))["action"]
    return "C" if action == "cooperate" else "D"


@pytest.mark.parametrize(
    ("past", "choices"),
    # In the order of DILEMMAS; the own first letter never matters.
    [
        ("", "CDCCCD"),
        ("CCC", "CDCCCD"),
        ("DCC", "CDCCCD"),
        ("CDC", "CDDDDD"),
        ("CCD", "CDDDDD"),
        ("CDC CCC", "CDDCCD"),  # forgiven at once; one good word and one bad are even
        ("CDC CDC CCC", "CDDCDD"),  # one good word against two bad
        ("CDC CCD", "CDDDCD"),  # each other player has one good word and one bad
        ("CCC CCC CDC", "CDDDCD"),
    ],
)
def test_dilemma_players_cooperate_if_they_would_help_both_others(past: str, choices: str) -> None:
    assert "".join(chosen(name, past) for name in DILEMMAS) == choices


def test_the_equilibrium_player_cooperates_only_where_defecting_alone_does_not_pay() -> None:
    for lone, expected in ((5, "D"), (3, "D"), (2, "C")):
        assert chosen("equilibrium", "", {**POINTS, "lone_defector": lone}) == expected


def test_noise_turns_a_choice_round() -> None:
    assert chosen("cooperate", "", noise=1.0) == "D"
    assert chosen("greedy", "CDD", noise=1.0) == "C"
    assert chosen("grim", "CDC", noise=1.0) == "C"


def given_by(
    name: str, past: Sequence[tuple[int, int, int]], multiplier: float = 1.5, **keys: object
) -> int:
    """Contribution of Player 1 after these rounds, of 100 points in 5 rounds."""
    rules = {"players": 3, "rounds": 5, "endowment": 100, "multiplier": multiplier}
    left = [100, 100, 100]
    events = [("rules", 0, rules)]
    for round, amounts in enumerate(past, start=1):
        left = [have - amount for have, amount in zip(left, amounts, strict=True)]
        events.append(("contributions", round, {"amounts": list(amounts), "left": left}))
    ask = contribute(dict(zip(SEATS, left, strict=True)), len(past) + 1)
    answer = legal(made(name, **keys), ask, view("public_good", 0, *events), Dice("any"))
    return int(answer["amount"])


@pytest.mark.parametrize(
    ("past", "amounts"),
    # In the order of DILEMMAS. An even part is 20; half of it, 10, is still good.
    [
        ([], (20, 0, 20, 20, 20, 0)),
        ([(20, 20, 20)], (20, 0, 20, 20, 20, 0)),
        ([(20, 10, 10)], (20, 0, 20, 20, 20, 0)),
        ([(20, 9, 20)], (20, 0, 0, 0, 0, 0)),
        ([(20, 9, 20), (20, 20, 20)], (20, 0, 0, 20, 20, 0)),
        # It has 63 left for three rounds, then 25 for one, then nothing.
        ([(7, 20, 20), (30, 20, 20)], (21, 0, 21, 21, 21, 0)),
        ([(75, 20, 20), (0, 20, 20), (0, 20, 20), (0, 20, 20)], (25, 0, 25, 25, 25, 0)),
        ([(100, 20, 20)], (0, 0, 0, 0, 0, 0)),
    ],
)
def test_dilemma_players_give_an_even_part_of_what_is_left_or_nothing(
    past: list[tuple[int, int, int]], amounts: tuple[int, ...]
) -> None:
    assert tuple(given_by(name, past) for name in DILEMMAS) == amounts


def test_the_equilibrium_player_gives_where_a_point_comes_back_whole() -> None:
    assert [given_by("equilibrium", [], m) for m in (1, 2.5, 2.99, 3, 3.5)] == [0, 0, 0, 20, 20]


def test_noise_turns_a_contribution_round() -> None:
    assert given_by("cooperate", [], noise=1.0) == 0
    assert given_by("greedy", [], noise=1.0) == 20


def airlines(
    flights: Sequence[int], passengers: Sequence[int] = (0, 0, 0), hours: Sequence[float] = (1,) * 3
) -> list[dict[str, Any]]:
    return [
        {"flights": f, "passengers": p, "hours": h}
        for f, p, h in zip(flights, passengers, hours, strict=True)
    ]


@pytest.mark.parametrize(
    ("given_airlines", "shares"),
    [
        (airlines((1, 1, 2)), (25, 25, 50)),
        (airlines((1, 1, 1)), (34, 33, 33)),  # the lowest seat bears what rounding leaves
        # Flights 10, 30, 60 %; passengers 50, 25, 25; hours flown 10, 30, 60: 23⅓, 28⅓, 48⅓.
        (airlines((10, 30, 60), (200, 100, 100)), (24, 28, 48)),
        # Flights 50, 50, 0...: hours flown 1×4, 1×1, 2×2.5 are 40, 10, 50 %; flights 25, 25, 50.
        (airlines((1, 1, 2), hours=(4, 1, 2.5)), (33, 17, 50)),  # 32½, 17½, 50
    ],
)
def test_the_split_by_use_by_hand(
    given_airlines: list[dict[str, Any]], shares: tuple[int, ...]
) -> None:
    assert by_usage(given_airlines) == shares


AIRLINE = st.fixed_dictionaries(
    {
        "flights": st.integers(1, 100_000),
        "passengers": st.integers(0, 100_000_000),
        "hours": st.floats(0, 24, exclude_min=True),
    }
)


@given(st.lists(AIRLINE, min_size=3, max_size=3), st.integers(0, 2), st.integers(0, 100))
def test_every_split_of_a_negotiator_is_legal(
    some: list[dict[str, Any]], seat: int, less: int
) -> None:
    fair = by_usage(some)
    splits = [fair, shifted(fair, seat, less)]
    for name in ("fair", "haggler", "yielding", "stubborn"):
        splits += [made(name).proposal(fair, seat, last) for last in (False, True)]
    for split in splits:
        assert sum(split) == 100
        assert min(split) >= 0


def test_the_others_take_over_a_reduction_in_turn() -> None:
    assert shifted((40, 30, 30), 0, 4) == (36, 32, 32)
    assert shifted((40, 30, 30), 1, 3) == (42, 27, 31)
    assert shifted((2, 49, 49), 0, 4) == (0, 50, 50)  # no less than nothing
    assert distance((40, 30, 30), (36, 32, 32)) == 8


def table(round: int, seat: int, *splits: tuple[int, ...]) -> View:
    """The view of a seat after these proposals of a round; by use the shares are 25, 25, 50."""
    events = [("rules", 0, {"players": 3, "fee": 1, "rounds": 5, "sequential_votes": False})]
    events.append(("airlines", 0, {"airlines": airlines((1, 1, 2))}))
    # Of an earlier round, and no longer on the table: all that anybody could wish for.
    events += [("proposed", round - 1, {"proposer": by, "shares": [25, 25, 50]}) for by in range(3)]
    events += [
        ("proposed", round, {"proposer": by, "shares": list(split)})
        for by, split in enumerate(splits)
    ]
    return view("cost_sharing", seat, *events)


@pytest.mark.parametrize(
    ("name", "seat", "early", "last"),
    [
        ("fair", 0, (25, 25, 50), (25, 25, 50)),
        ("haggler", 0, (21, 27, 52), (25, 25, 50)),
        ("haggler", 2, (27, 27, 46), (25, 25, 50)),
        ("yielding", 0, (27, 24, 49), (27, 24, 49)),
        ("stubborn", 0, (13, 31, 56), (13, 31, 56)),  # half of 25, rounded down, is 12 less
    ],
)
def test_the_proposals_of_negotiators(
    name: str, seat: int, early: tuple[int, ...], last: tuple[int, ...]
) -> None:
    for round, shares in ((2, early), (5, last)):
        ask = propose(Seat(seat), round)
        proposal = legal(made(name), ask, table(round, seat), Dice("any"))["shares"]
        assert tuple(proposal) == shares


FAIR, FOR_ONE, FOR_TWO, FOR_THREE = (25, 25, 50), (21, 27, 52), (27, 21, 52), (27, 27, 46)
GREEDY = (5, 35, 60)


@pytest.mark.parametrize(
    ("name", "splits", "early", "last"),
    [
        # Player 1 votes for the nearest to fair; of equally near ones, where it pays least.
        ("fair", (FOR_ONE, FAIR, FOR_THREE), 1, 1),
        ("fair", (FOR_THREE, FOR_ONE, GREEDY), 1, 1),
        ("fair", (FAIR, FAIR, FAIR), 0, 0),
        # 21 of the nearly fair ones; in the last round the nearest.
        ("haggler", (FAIR, FOR_ONE, FOR_THREE), 1, 0),
        # 5 would be less still, but is far from fair to the others.
        ("haggler", (GREEDY, FAIR, FOR_ONE), 2, 1),
        ("haggler", (GREEDY, GREEDY, (0, 40, 60)), 2, 0),
        # The proposer that asks for the most: Player 2 at 4 less than its part.
        ("yielding", (FAIR, FOR_TWO, FAIR), 1, 1),
        ("yielding", (FAIR, FOR_TWO, (30, 45, 25)), 1, 1),  # Player 3's is too far from fair
        ("stubborn", (FOR_ONE, GREEDY, FAIR), 1, 1),
        ("stubborn", (FAIR, FAIR, FOR_THREE), 0, 0),
    ],
)
def test_the_votes_of_negotiators(
    name: str, splits: tuple[tuple[int, ...], ...], early: int, last: int
) -> None:
    for round, expected in ((2, early), (5, last)):
        ask = approve(SEATS, SEATS, round)
        seen = table(round, 0, *splits)
        assert legal(made(name), ask, seen, Dice("any"))["proposer"] == expected


@pytest.mark.parametrize(
    ("name", "ending", "rounds"),
    [("fair", "agreed", 1), ("haggler", "agreed", 5), ("stubborn", "failed", 5)],
)
@pytest.mark.parametrize("sequential", [False, True])
def test_negotiators_among_themselves(
    name: str, ending: str, rounds: int, sequential: bool
) -> None:
    game = find_game("cost_sharing", "test")
    for record in game.shipped():
        match = opened(game, record, game.variant(sequential_votes=sequential), 1)
        play(match, [made(name)] * 3)
        assert (match.outcome.ending, match.outcome.facts["rounds"]) == (ending, rounds)
        if ending == "agreed":
            shown = match.view(SEATS[0]).told("airlines")[0].record["airlines"]
            assert tuple(match.outcome.facts["shares"]) == by_usage(shown)


# Several strategies
