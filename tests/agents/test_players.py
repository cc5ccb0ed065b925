"""Scripted players turn by turn, on views and on a clue bank small enough to work by hand."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product, starmap

import pytest

from parlour.agents.base import Call
from parlour.agents.registry import strategies
from parlour.agents.scripted.bayesian import BayesianPlayer, Guess
from parlour.agents.scripted.strategy import ScriptedAgent, Strategy
from parlour.agents.scripted.words import CautiousPlayer, Heard, LiteralPlayer, RandomPlayer
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Frozen
from parlour.games.engine.moves import Ask
from parlour.games.families.clues.clue_bank import ClueBank, shipped_bank
from parlour.games.families.word_games import Vote, ballot, beliefs, clue, own_role
from parlour.games.testing.playthrough import variants
from parlour.games.undercover import GAME
from tests.agents.playing import SEATS, TINY, WORD_STRATEGIES, cat_and_dog, heard, play, table

LITERAL, CAUTIOUS, BAYESIAN = LiteralPlayer(TINY), CautiousPlayer(TINY), BayesianPlayer(TINY)

NOTHING: dict[int, Sequence[str]] = {}
ODD_ONE = {1: ["barks"], 2: ["pet"]}  # to whoever holds cat, seat 1 is off
LONE_CAT = {1: ["barks"], 2: ["fetches"]}  # to whoever holds cat, both others are off
FRIEND = {1: ["purrs"], 2: ["barks"]}  # to whoever holds cat, seat 1 is a friend


def answers(
    player: Strategy, word: str, said: Mapping[int, Sequence[str]], seat: int = 0
) -> tuple[str, str, str, set[int]]:
    """Clue, own role, beliefs (by viewer) and the votes that the dice may lead to."""
    view = heard(seat, word, said)

    def decide(ask: Ask[object], dice: Dice) -> dict[str, object]:
        judged = ask.judge(SEATS[seat], player.decide(ask, view, dice))
        return judged.model_dump()

    given = decide(clue(SEATS[seat], word, 1, 300), Dice("any"))["text"]
    role = decide(own_role(SEATS, 1), Dice("any"))["role"]
    held = decide(beliefs(SEATS, 1), Dice("any"))["beliefs"]
    suspects = "".join("-" if b["suspect"] is None else str(b["suspect"]) for b in held)
    votes = {decide(ballot(SEATS, 1, Vote), Dice("vote", n))["suspect"] for n in range(40)}
    return str(given), str(role), suspects, votes


@pytest.mark.parametrize(
    ("player", "said", "expected"),
    [
        # The literal player says the most specific that is left.
        # No clue misfits: nobody is suspected, the vote is a fair draw.
        (LITERAL, NOTHING, ("meows", "ordinary", "---", {1, 2})),
        # "barks" misfits cat, "pet" fits it: seat 1 is the suspect in everybody's eyes.
        (LITERAL, ODD_ONE, ("meows", "ordinary", "111", {1})),
        # Both others misfit: it is special itself; between the two others nothing decides.
        (LITERAL, LONE_CAT, ("meows", "special", "0--", {1, 2})),
        (LITERAL, {1: ["purrs"], 2: ["meows"]}, ("fur", "ordinary", "---", {1, 2})),
        # One misfit against two.
        (LITERAL, {1: ["barks", "hay"], 2: ["pet", "moos"]}, ("meows", "special", "011", {1})),
        # Nothing is left to say: from the start again.
        (LITERAL, {1: ["pet", "purrs"], 2: ["fur", "meows"]}, ("meows", "ordinary", "---", {1, 2})),
        # The cautious player says the most general.
        (CAUTIOUS, NOTHING, ("pet", "ordinary", "---", {1, 2})),
        (CAUTIOUS, ODD_ONE, ("fur", "ordinary", "111", {1})),
        (CAUTIOUS, LONE_CAT, ("pet", "special", "0--", {1, 2})),
        (CAUTIOUS, {1: ["pet", "fur"], 2: ["barks", "purrs"]}, ("meows", "ordinary", "222", {2})),
    ],
)
def test_a_literal_and_a_cautious_player_suspect_the_worst_misfit(
    player: Strategy, said: dict[int, list[str]], expected: tuple[str, str, str, set[int]]
) -> None:
    assert answers(player, "cat", said) == expected


# The Bayesian player by hand. Cat and dog share 2 clues (prior 4), cat and cow 1 (prior 1). For a
# seat 0 with cat, guesses are (special seat, other word). Likelihoods of a clue that the word has
# alone, that two or three words have, and that is of other words: of the special player and of
# the others.
MEANT = 0.95 * 0.37 * 600
S1, S2, S3, S0 = MEANT + 0.45, MEANT / 2 + 0.45, MEANT / 3 + 0.45, 0.45
N1, N2, N3, N0 = MEANT + 0.05, MEANT / 2 + 0.05, MEANT / 3 + 0.05, 0.05
GUESSES = ("0 dog", "1 dog", "2 dog", "0 cow", "1 cow", "2 cow")
PURRS_AND_BARKS = (4 * N0 * N1, 4 * S0 * N0, 4 * N1 * S1, N0 * N0, S0 * N0, N1 * S0)
G0, G1 = 0.3515 + 0.05, 0.3515 + 0.45
POSTERIORS = [
    # Before any clue: the priors alone.
    (NOTHING, (4, 4, 4, 1, 1, 1)),
    # Seat 1 "barks", seat 2 "pet": both hold dog; dog and cat; cat and dog; then with cow.
    (ODD_ONE, (4 * N1 * N2, 4 * S1 * N2, 4 * N0 * S2, N0 * N0, S0 * N2, N0 * S0)),
    # Seat 1 "barks", seat 2 "fetches": dog lists both, cat and cow neither.
    (LONE_CAT, (4 * N1 * N1, 4 * S1 * N0, 4 * N0 * S1, N0 * N0, S0 * N0, N0 * S0)),
    # Seat 1 "purrs" (cat alone), seat 2 "barks" (dog alone).
    (FRIEND, PURRS_AND_BARKS),
    # What it said itself, even that which is not of its word, tells it nothing.
    ({0: ["fetches", "hay"], **FRIEND}, PURRS_AND_BARKS),
    # Two clues of one seat multiply: seat 1 "fur", seat 2 "milk" and "moos".
    (
        {1: ["fur"], 2: ["milk", "moos"]},
        (4 * N3 * N0**2, 4 * S3 * N0**2, 4 * N3 * S0**2, N3 * N1**2, S3 * N0**2, N3 * S1**2),
    ),
    # Gibberish has evidence 1 for each word, so the special player is likelier to say it.
    (
        {1: ["xq zv"], 2: ["purrs"]},
        (4 * G0 * N0, 4 * G1 * N1, 4 * G0 * S0, G0 * N0, G1 * N1, G0 * S0),
    ),
]


@pytest.mark.parametrize(("said", "weights"), POSTERIORS)
def test_the_bayesian_posterior_is_the_one_worked_by_hand(
    said: dict[int, list[str]], weights: tuple[float, ...]
) -> None:
    expected = {
        Guess((SEATS[int(name[0])],), name[2:]): weight / sum(weights)
        for name, weight in zip(GUESSES, weights, strict=True)
    }
    assert BAYESIAN.weigh(Heard.of(heard(0, "cat", said)), SEATS[0]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        # Special with 1/3, so undecided: the most specific that cat and dog share.
        (NOTHING, ("fur", "ordinary", "---", {1, 2})),
        # Seat 1 is a little likelier than itself, since the special one evades more often. Seat 1,
        # if it holds dog (the likeliest guess), finds that nothing speaks against seat 2's "pet",
        # and cow is likelier at seat 0, who was silent. Seat 2 with cat suspects seat 1.
        (ODD_ONE, ("fur", "ordinary", "101", {1})),
        # Surely special: it says what dog lists and nobody has said. To the others, who hold
        # dog and heard dog, seat 0 is the odd one.
        (LONE_CAT, ("fur", "special", "000", {1, 2})),
        # Surely ordinary: the most specific of cat that dog lacks. Seat 1 can hardly know whether
        # it or seat 2 is the odd one, nor can seat 2 of seat 1: by a hair each suspects the other.
        (FRIEND, ("meows", "ordinary", "221", {2})),
        ({0: ["meows"], 1: ["purrs"], 2: ["barks"]}, ("fur", "ordinary", "222", {2})),
    ],
)
def test_a_bayesian_player_plays_on_its_posterior(
    said: dict[int, list[str]], expected: tuple[str, str, str, set[int]]
) -> None:
    assert answers(BAYESIAN, "cat", said) == expected


def test_a_bayesian_player_never_says_its_own_word_for_the_other() -> None:
    bank = ClueBank(
        {
            "cat": ("pet", "fur", "purrs", "meows"),
            "dog": ("pet", "barks", "fetches", "chases a cat"),
        }
    )
    # Certainly special: of dog's clues "fetches" and "barks" are taken, one names its word.
    assert answers(BayesianPlayer(bank), "cat", LONE_CAT)[0] == "pet"


def test_without_similar_words_every_other_word_is_possible() -> None:
    lone = ClueBank(
        {"cat": ("purrs", "meows"), "elm": ("leaves", "bark"), "oak": ("acorns", "wood")}
    )
    weights = BayesianPlayer(lone).weigh(Heard.of(heard(0, "cat", NOTHING)), SEATS[0])
    assert set(weights) == set(starmap(Guess, product(zip(SEATS), ("cat", "elm", "oak"))))


def test_a_random_player_gives_each_clue_of_its_word_and_any_legal_answer() -> None:
    player, view = RandomPlayer(TINY), heard(0, "cat", {1: ["pet"], 2: ["barks"]})
    asks = [clue(SEATS[0], "cat", 1, 300), ballot(SEATS, 1, Vote), own_role(SEATS, 1)]
    met: list[Counter[object]] = []
    for ask in asks:
        drawn = [player.decide(ask, view, Dice("random", n)) for n in range(600)]
        met.append(Counter([*answer.model_dump().values()][-1] for answer in drawn))
    assert [set(counts) for counts in met] == [
        {"pet", "fur", "purrs", "meows"},
        {1, 2},
        {"special", "ordinary", "unsure"},
    ]
    # 600 draws: 150, 300 and 200 each; 5 standard deviations are 53, 61 and 58.
    for counts, fair, off in zip(met, (150, 300, 200), (53, 61, 58), strict=True):
        assert all(abs(count - fair) <= off for count in counts.values())


# Whole matches among players of one strategy: "seat ask answer", in the order of the table
# (seat 2, 0, 1 speak first, then 2, 1, 0; seat 1 holds dog, the others cat).
LITERAL_MATCH = """
    2 clue meows      0 clue purrs      1 clue fetches
    0 own_role ordinary   1 own_role special   2 own_role ordinary
    0 beliefs 111     1 beliefs -1-     2 beliefs 111
    2 clue fur        1 clue barks      0 clue pet
    0 own_role ordinary   1 own_role special   2 own_role ordinary
    0 beliefs 111     1 beliefs -1-     2 beliefs 111
    0 vote 1          1 vote ?          2 vote 1
"""
# Seat 1 finds "purrs" and "meows" odd only in the second round.
CAUTIOUS_MATCH = """
    2 clue pet        0 clue fur        1 clue barks
    0 own_role ordinary   1 own_role ordinary   2 own_role ordinary
    0 beliefs 111     1 beliefs ---     2 beliefs 111
    2 clue purrs      1 clue fetches    0 clue meows
    0 own_role ordinary   1 own_role special   2 own_role ordinary
    0 beliefs 111     1 beliefs -1-     2 beliefs 111
    0 vote 1          1 vote ?          2 vote 1
"""


@pytest.mark.parametrize(
    ("player", "written"), [(LITERAL, LITERAL_MATCH), (CAUTIOUS, CAUTIOUS_MATCH)]
)
def test_a_whole_match_turn_by_turn(player: Strategy, written: str) -> None:
    match = cat_and_dog()
    played = play(match, [player] * 3)
    words = written.split()
    expected = [" ".join(words[i : i + 3]) for i in range(0, len(words), 3)]
    assert [answer for answer in played if not answer.startswith("1 vote")] == [
        answer for answer in expected if not answer.startswith("1 vote")
    ]
    assert match.outcome.ending == "caught"  # two votes for seat 1, whatever its own


def test_a_whole_match_of_bayesian_players_turn_by_turn() -> None:
    played = [a for a in play(cat_and_dog(), [BAYESIAN] * 3) if "beliefs" not in a]
    assert played == [
        "2 clue fur",  # special with 1/3: undecided, the most specific shared
        "0 clue pet",  # 1.14/3.4675 = .329: undecided, what is left of the shared
        "1 clue fetches",  # .313: undecided, nothing shared is left, the own word's most specific
        "0 own_role ordinary",  # .4935, as above
        "1 own_role ordinary",
        "2 own_role ordinary",
        "2 clue meows",  # .4935: undecided, the shared are said, the own word's most specific
        "1 clue barks",  # just below 1/2: either it or seat 2 is the odd one
        "0 clue purrs",  # .02: surely a civilian
        "0 own_role ordinary",
        "1 own_role special",
        "2 own_role ordinary",
        "0 vote 1",
        # Both others hold cat; should it be wrong, then rather seat 2, whose "fur" cow lists.
        "1 vote 2",
        "2 vote 1",
    ]


def test_the_same_dice_give_the_same_answer_and_others_may_not() -> None:
    for name in WORD_STRATEGIES:
        strategy = strategies()[name]
        votes = []
        for n in range(20):
            one, two = (
                strategy(TINY).decide(
                    ballot(SEATS, 1, Vote), heard(0, "cat", LONE_CAT), Dice("v", n)
                )
                for _ in range(2)
            )
            assert one == two
            votes.append(one.suspect)
        assert set(votes) == {1, 2}


def test_an_agent_answers_from_ask_view_and_dice_alone() -> None:
    agent, ask = ScriptedAgent("Lin", LITERAL), ballot(SEATS, 1, Vote)
    reply = asyncio.run(agent.act(ask, heard(0, "cat", ODD_ONE), Call(Dice("any"))))
    assert (agent.name, reply.value.suspect, reply.notes) == ("Lin", 1, {})


@pytest.mark.parametrize("variant", variants(GAME), ids=lambda v: GAME.condition(v) or "defaults")
@pytest.mark.parametrize("name", WORD_STRATEGIES)
def test_every_strategy_plays_every_shipped_setting_without_a_fault(
    name: str, variant: Frozen
) -> None:
    player = strategies()[name](shipped_bank())
    for number, pair in enumerate(GAME.shipped()):
        match = table(pair, number, **variant.model_dump())
        play(match, [player] * len(match.seats))
        assert match.outcome is not None


@pytest.mark.parametrize("name", WORD_STRATEGIES)
def test_no_strategy_runs_out_of_clues(name: str) -> None:
    player = strategies()[name](shipped_bank())
    match = table(GAME.shipped()[0], 1, clue_rounds=10)
    play(match, [player] * 3)
    assert match.outcome is not None
    lost = heard(0, "guitar", {1: ["(no clue)"], 2: ["(no clue)", "(no clue)"]})
    vote = player.decide(ballot(SEATS, 1, Vote), lost, Dice("any"))
    assert vote.suspect in {1, 2}
