"""Impostor by answer scripts: events and asks turn by turn, and how each ballot ends."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, permutations, product
from pathlib import Path
from typing import Any

import pytest

from parlour.games.common.errors import BadInput
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Fault, FaultKind, Seat, player
from parlour.games.engine.prompts import Prompt, render
from parlour.games.engine.table import IllegalAnswer, Table
from parlour.games.engine.transcript import sentence, transcript
from parlour.games.impostor import GAME
from parlour.games.impostor.rules import Pair, Variant
from parlour.games.testing.playthrough import play, saying
from parlour.tournament.plan.loader import read_preset
from tests.games.votes import game_event

ABSTAINS = Fault(FaultKind.REFUSAL)
SEATS = (0, 1, 2, 3)
MODES = ("homogeneous", "cross_play", "team_blind", "team_aware", "team_semi_aware")
OAK = Pair(majority_word="oak", impostor_word="elm", difficulty="hard")


def table(seed: int = 6, impostor: int = 1, pair: Pair = OAK, **keys: object) -> Table:
    """A table with the words oak and elm before its first answer.

    Seed 6 lets the seats speak in the order 2, 0, 3, 1.
    """
    return Table(GAME, GAME.make_setting(pair, Variant.model_validate(keys), impostor), 4, seed)


def at_the_vote(**keys: Any) -> Table:
    match = table(**{"probes": "off", **keys})
    for _ in SEATS:
        match.answer({match.waiting[0]: {"text": "a clue"}})
    return match


def test_a_whole_match_turn_by_turn() -> None:
    match = table()
    expected = [
        game_event("rules", 0, {"players": 4}),
        game_event("word", 0, {"word": "oak"}, to=0),
        game_event("word", 0, {"word": "elm"}, to=1),
        game_event("word", 0, {"word": "oak"}, to=2),
        game_event("word", 0, {"word": "oak"}, to=3),
        game_event("order", 1, {"speakers": [2, 0, 3, 1]}),
    ]
    for position, seat in enumerate((2, 0, 3, 1)):
        assert match.events == expected
        assert (match.pending.kind, match.waiting) == ("clue", (seat,))
        match.answer({Seat(seat): {"text": f"clue of {seat}"}})
        said = {"speaker": seat, "text": f"clue of {seat}", "position": position}
        own = Event("clue", 1, {"text": said["text"]}, (Seat(seat),), Seat(seat), position)
        expected += [own, game_event("said", 1, said)]
    match.answer({seat: {"role": "unsure"} for seat in match.waiting})
    expected += [Event("own_role", 1, {"role": "unsure"}, (), Seat(seat), 4) for seat in SEATS]
    beliefs = [{"viewer": player(seat), "suspect": None} for seat in SEATS]
    match.answer({seat: {"beliefs": beliefs} for seat in match.waiting})
    stored_beliefs = {"beliefs": [{"viewer": seat, "suspect": None} for seat in SEATS]}
    expected += [Event("beliefs", 1, stored_beliefs, (), Seat(seat), 5) for seat in SEATS]
    assert match.events == expected
    match.answer({Seat(1): {"suspect": "Player 1", "confidence": 0.25, "reasoning": "odd"}})
    assert match.events == expected  # nothing is shown before all votes are in
    match.answer({Seat(0): {"suspect": "Player 2"}, Seat(2): ABSTAINS})
    match.answer({Seat(3): {"suspect": "Player 2", "self_declaration": False, "confidence": 1}})

    def vote(seat: int, suspect: int | None, confidence: float, reasoning: str = "") -> Event:
        record = {"suspect": suspect, "reasoning": reasoning, "confidence": confidence}
        record |= {"self_declaration": False, "word_guess": None}
        fault = FaultKind.REFUSAL if suspect is None else None
        return Event("vote", 1, record, (Seat(seat),), Seat(seat), 6, fault)

    expected += [vote(0, 1, 0.5), vote(1, 0, 0.25, "odd"), vote(2, None, 0.5), vote(3, 1, 1.0)]
    assert match.events == expected
    assert match.pending is None
    assert match.outcome.ending == "convicted"
    assert match.outcome.payoffs == (1, 0, 1, 1)
    assert match.outcome.winners == (0, 2, 3)
    assert match.outcome.roles == match.outcome.sides
    assert match.outcome.roles == ("majority", "impostor", "majority", "majority")


# By votes for the impostor, then for the others, most first. Ballots with no declaration.
UNDECLARED = {
    **dict.fromkeys([(3, ()), (3, (1,)), (2, ()), (2, (1,)), (2, (1, 1)), (2, (2,))], "convicted"),
    **{(1, ()): "sole_suspect", (1, (1,)): "tie", (1, (1, 1)): "tie", (1, (1, 1, 1)): "tie"},
    **dict.fromkeys([(1, (2,)), (1, (2, 1)), (1, (3,))], "escaped"),
    **{(0, (1, 1)): "tie", (0, (1, 1, 1)): "tie", (0, (2, 2)): "tie"},
    **dict.fromkeys([(0, ()), (0, (1,)), (0, (2,)), (0, (2, 1)), (0, (2, 1, 1))], "escaped"),
    **dict.fromkeys([(0, (3,)), (0, (3, 1))], "escaped"),
}
IMPOSTOR_WINS = {"impostor_guessed", "tie", "escaped"}
Names = tuple[int | None, ...]
"""Whom each seat names, None for an abstention."""


def ballots() -> Iterator[Names]:
    """All 4 × 4 × 4 × 4: each seat names one of the three others, or abstains."""

    def choices(own: int) -> list[int | None]:
        return [None, *(seat for seat in SEATS if seat != own)]

    return product(*map(choices, SEATS))


def counted(names: Names, impostor: int) -> tuple[int, tuple[int, ...]]:
    votes = Counter(name for name in names if name is not None)
    against = votes.pop(impostor, 0)
    return against, tuple(sorted(votes.values(), reverse=True))


def ended(names: Names, impostor: int, declared: Mapping[int, str | None], **keys: Any) -> Any:
    """Outcome of a match with that ballot; ``declared`` has the word guesses of declaring seats."""
    match = at_the_vote(impostor=impostor, **keys)
    votes: dict[Seat, object] = {}
    for seat, name in enumerate(names):
        vote = {"suspect": None if name is None else player(name), "word_guess": "oak"}
        if seat in declared:
            vote |= {"self_declaration": True, "word_guess": declared[seat]}
        votes[Seat(seat)] = ABSTAINS if name is None else vote
    match.answer(votes)
    assert match.outcome is not None
    return match.outcome


def hold_to(outcome: Any, ending: str, impostor_wins: bool, impostor: int) -> None:
    winners = tuple(seat for seat in SEATS if (seat == impostor) == impostor_wins)
    assert outcome.ending == ending
    assert outcome.winners == winners
    assert outcome.payoffs == tuple(int(seat in winners) for seat in SEATS)


def test_the_table_of_ballots_has_every_count_that_occurs_and_no_other() -> None:
    assert {counted(names, 2) for names in ballots()} == set(UNDECLARED)


@pytest.mark.parametrize(
    ("impostor", "keys"),
    [*((seat, {}) for seat in SEATS), (3, {"false_declaration": "majority_loses"})],
)
def test_every_ballot_without_a_declaration_ends_as_it_must(
    impostor: int, keys: Mapping[str, str]
) -> None:
    # A word guess without a declaration counts for nothing: here every seat guesses right.
    for names in ballots():
        ending = UNDECLARED[counted(names, impostor)]
        outcome = ended(names, impostor, {}, **keys)
        hold_to(outcome, ending, ending in IMPOSTOR_WINS, impostor)


@pytest.mark.parametrize("guess", ["oak", "ash", None], ids=["right", "wrong", "none"])
@pytest.mark.parametrize("declares", SEATS)
def test_every_ballot_with_a_declaration_ends_by_it(declares: int, guess: str | None) -> None:
    for names in ballots():
        if names[declares] is None:
            continue  # whoever abstains declares nothing: an abstention is a fault
        impostor = sum(name or 0 for name in names) % 4
        if declares != impostor:
            ending, impostor_wins = "false_declaration", False
        elif guess == "oak":
            ending, impostor_wins = "impostor_guessed", True
        else:
            ending, impostor_wins = "impostor_misguessed", False
        hold_to(ended(names, impostor, {declares: guess}), ending, impostor_wins, impostor)


@pytest.mark.parametrize("impostor", SEATS)
@pytest.mark.parametrize("other", SEATS)
def test_the_impostors_declaration_goes_before_those_of_others(impostor: int, other: int) -> None:
    names = tuple((seat + 1) % 4 for seat in SEATS)
    for guess, ending in (("oak", "impostor_guessed"), ("ash", "impostor_misguessed")):
        for keys in ({}, {"false_declaration": "majority_loses"}):
            outcome = ended(names, impostor, {other: "oak", impostor: guess}, **keys)
            hold_to(outcome, ending, guess == "oak", impostor)


def test_a_false_declaration_may_be_set_to_lose_the_match() -> None:
    for impostor, declares in permutations(SEATS, 2):
        # All others name the impostor, which would convict it.
        names = tuple(declares if seat == impostor else impostor for seat in SEATS)
        for guess in ("oak", "ash", None):
            for key, impostor_wins in (("majority_wins", False), ("majority_loses", True)):
                outcome = ended(names, impostor, {declares: guess}, false_declaration=key)
                hold_to(outcome, "false_declaration", impostor_wins, impostor)


@pytest.mark.parametrize(
    ("word", "right", "wrong"),
    [
        (
            "crème brûlée",
            # The third has the same letters, composed otherwise.
            [
                "CRÈME BRÛLÉE",
                '  "crème-brûlée!" ',
                "cre\u0300me bru\u0302le\u0301e",
                "A crème brûlée",
            ],
            ["creme brulee", "the the crème brûlée", "acrème brûlée", "crème", "", "..."],
        ),
        ("a cappella", ["cappella"], ["the a cappella"]),
    ],
)
def test_a_guess_counts_whatever_its_case_article_and_punctuation(
    word: str, right: list[str], wrong: list[str]
) -> None:
    pair = Pair(majority_word=word, impostor_word="flan", difficulty="easy")
    for guess in (*right, *wrong):
        ending = "impostor_guessed" if guess in right else "impostor_misguessed"
        outcome = ended((1, 0, 0, 0), 1, {1: guess}, pair=pair)
        hold_to(outcome, ending, guess in right, 1)


@pytest.mark.parametrize(
    ("vote", "fault"),
    [
        ({"suspect": "Player 1"}, "you cannot vote for yourself"),
        ({"suspect": None, "self_declaration": True, "word_guess": "oak"}, "nobody is named"),
        ({"suspect": "Player 2", "confidence": 1.01}, "confidence: .* at most 1"),
        ({"suspect": "Player 2", "confidence": -0.1}, "confidence: .* at least 0"),
        ({"suspect": "Player 2", "confidence": float("nan")}, "confidence: "),
        ({"suspect": "Player 2", "self_declaration": "perhaps"}, "self_declaration: .* true or"),
        ({"suspect": "Player 2", "word_guess": 7}, "word_guess: .* a text"),
    ],
)
def test_a_vote_names_another_player_and_says_how_surely(vote: object, fault: str) -> None:
    with pytest.raises(IllegalAnswer, match=fault):
        at_the_vote().answer({Seat(0): vote})


def test_a_description_is_neither_blank_nor_too_long_nor_names_the_own_word() -> None:
    match = table()
    assert match.waiting == (2,)  # of the majority: its word is oak
    for text, fault in (
        (" \n", "the clue is blank"),
        ("x" * 751, "the clue has 751 characters: at most 750"),
        ("Oaks are tall", "names your word 'oak'"),
    ):
        with pytest.raises(IllegalAnswer, match=fault):
            match.answer({Seat(2): {"text": text}})
    longest = "It is no elm".ljust(750, ".")
    match.answer({Seat(2): {"text": longest}})
    assert match.view(Seat(0)).told("said")[-1].record["text"] == longest


def test_the_speaking_order_is_drawn_all_orders_alike() -> None:
    # 24 orders in 2,400 matches: 100 each; 5 standard deviations are 49.
    events = chain.from_iterable(table(seed=seed).events for seed in range(2400))
    orders = Counter(tuple(event.record["speakers"]) for event in events if event.kind == "order")
    assert set(orders) == set(permutations(SEATS))
    assert all(51 <= count <= 149 for count in orders.values())


# The team mates that seats 0, 1, 2, 3 hear of, None where they hear of none.
TOLD_OF_TEAMS: dict[str, list[dict[str, int | None]] | None] = {
    "homogeneous": None,
    "cross_play": None,
    "team_blind": None,
    "team_aware": [{"teammate": 1}, {"teammate": 0}, {"teammate": 3}, {"teammate": 2}],
    "team_semi_aware": [{"teammate": None}] * 4,
}


@pytest.mark.parametrize("mode", MODES)
def test_a_seat_hears_its_word_and_its_team_as_the_mode_says(mode: str) -> None:
    match = table(assignment=mode, impostor=3)
    for seat, word in enumerate(("oak", "oak", "oak", "elm")):
        view = match.view(Seat(seat))
        assert [event.record for event in view.told("word")] == [{"word": word}]
        wanted = TOLD_OF_TEAMS[mode]
        assert [event.record for event in view.told("team")] == (
            [] if wanted is None else [wanted[seat]]
        )


@pytest.mark.parametrize("mode", MODES)
def test_nobody_learns_who_the_impostor_is(mode: str) -> None:
    # Seat 0 holds "oak" in the majority beside each of the others, and as the impostor itself.
    swapped = Pair(majority_word="elm", impostor_word="oak", difficulty="hard")
    views = []
    for impostor, pair in ((1, OAK), (2, OAK), (3, OAK), (0, swapped)):
        match = table(impostor=impostor, pair=pair, assignment=mode)
        play(match, saying("a clue that fits them all"))
        views.append(match.view(Seat(0)))
    assert views[0] == views[1] == views[2] == views[3]


def prompts(match: Table) -> Iterator[tuple[str, Seat, Prompt]]:
    """Every prompt of a match."""
    while match.pending is not None:
        kind = match.pending.kind
        for seat in match.waiting:
            yield kind, seat, render(GAME, match.view(seat), kind)
        play_one = saying("a clue")
        match.answer({seat: play_one(match, seat) for seat in match.waiting})


WINNING = ("wins if", "win if", "wins all the same", "majority wins", "majority loses", "loses if")
"""Words of a prompt that says who wins when."""


@pytest.mark.parametrize("mode", MODES)
def test_the_prompts_of_the_paper_do_not_say_who_wins_when(mode: str) -> None:
    for kind, _, prompt in prompts(table(assignment=mode, probes="faithful")):
        whole = prompt.system + prompt.question
        assert "blend in" in whole
        assert "identify the impostor" in whole
        assert not [words for words in WINNING if words in whole], (kind, whole)
        # A declaration is a matter of the vote, and the hint on a team mate of the aware vote.
        assert ("declare" in whole) == (kind == "vote")
        hinted = mode == "team_aware" and kind == "vote"
        assert ("it wins by going undetected" in whole) == hinted


def test_the_preset_of_the_paper_plays_with_its_disclosure() -> None:
    entries = read_preset("impostor-paper").games
    assert {entry.variant.model_dump()["disclosure"] for entry in entries} == {"paper"}


@pytest.mark.parametrize("false_declaration", ["majority_wins", "majority_loses"])
@pytest.mark.parametrize("mode", MODES)
def test_prompts_say_what_holds_in_their_mode(mode: str, false_declaration: str) -> None:
    keys = {"assignment": mode, "false_declaration": false_declaration, "disclosure": "full"}
    seen = Counter()
    for kind, seat, prompt in prompts(table(**keys, probes="faithful")):
        seen[kind] += 1
        whole = prompt.system + prompt.question
        for slot in ("{{", "{%", "{#", "None", "Undefined", "[]"):
            assert slot not in whole, (kind, slot)
        assert prompt.system.startswith(f"You are {player(seat)} at a table of 4")
        own, other = ("elm", "oak") if seat == 1 else ("oak", "elm")
        assert f'Your word is "{own}"' in prompt.system
        assert other not in whole
        assert ("the majority loses" in prompt.system) == (false_declaration == "majority_loses")
        assert ("wins all the same" in prompt.system) == (false_declaration == "majority_wins")
        mate = player(Seat(seat ^ 1))
        assert ("two teams" in prompt.system) == (mode in {"team_aware", "team_semi_aware"})
        assert (f"You and {mate} are team mates" in prompt.system) == (mode == "team_aware")
        assert ("you are not told which" in prompt.system) == (mode == "team_semi_aware")
        if kind == "vote":
            assert (f"{mate} is your team mate" in prompt.question) == (mode == "team_aware")
            assert ("one of the others is your team mate" in prompt.question) == (
                mode == "team_semi_aware"
            )
            others = ", ".join(player(Seat(s)) for s in SEATS if s != seat)
            assert f"exactly one of: {others};" in prompt.question
        else:
            assert "team mate" not in prompt.question
        # Blind to whoever fills the seats: nothing of agents or modes.
        assert mode not in whole
    assert seen == {"clue": 4, "beliefs": 16, "own_role": 4, "vote": 4}


@pytest.mark.parametrize("mode", ["homogeneous", "team_blind"])
def test_without_team_information_all_modes_read_alike(mode: str) -> None:
    usual = list(prompts(table(assignment="cross_play")))
    assert list(prompts(table(assignment=mode))) == usual


def test_a_setting_tells_its_sides_secrets_and_words() -> None:
    setting = table(impostor=2).setting
    assert GAME.sides(setting) == ("majority", "majority", "impostor", "majority")
    assert GAME.secrets(setting) == (("elm",), ("elm",), ("oak",), ("elm",))
    assert GAME.hints.words(setting) == ("oak", "elm")


# Settings files: an object of four tiers, each an array of pairs.


def test_a_file_of_tiers_gives_its_pairs_in_order(tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    path.write_text('{"expert": [["oak", "elm"]], "easy": [["pea", "sun"], ["cat", "car"]]}')
    assert GAME.records(path) == (
        Pair(majority_word="oak", impostor_word="elm", difficulty="expert"),
        Pair(majority_word="pea", impostor_word="sun", difficulty="easy"),
        Pair(majority_word="cat", impostor_word="car", difficulty="easy"),
    )


def test_a_difficulty_plays_its_own_pairs_and_all_plays_all() -> None:
    shipped = GAME.shipped()
    for difficulty, count in (("easy", 75), ("expert", 75), ("all", 300)):
        chosen = GAME.settings_file.select_records(shipped, Variant(difficulty=difficulty))
        assert len(chosen) == count
        if difficulty != "all":
            assert {pair.model_dump()["difficulty"] for pair in chosen} == {difficulty}


TIERS = "give an object with tiers of easy, medium, hard, expert"


@pytest.mark.parametrize(
    ("text", "where", "problem", "fix"),
    [
        ("{", "", "is not JSON (Expecting property name", "fix it at that line"),
        ("{}", "", "holds no tiers", TIERS),
        ('[["oak", "elm"]]', "", "holds no tiers", TIERS),
        ('{"easy": []}', "", "holds no pairs", TIERS),
        ('{"simple": []}', ", tier 'simple'", "is not a tier of pairs", TIERS),
        (r'{"\u001b]0;x": []}', ", tier ", "is not a tier of pairs", TIERS),
        ('{"easy": {"oak": "elm"}}', ", tier 'easy'", "is not a tier of pairs", TIERS),
        ('{"easy": ["oak"]}', ", tier 'easy', pair 1", "oak is not a pair", "two words"),
        ('{"hard": [["a", "b"], ["a"]]}', ", tier 'hard', pair 2", "['a'] is not", "two words"),
        ('{"easy": [["oak", null]]}', ", tier 'easy', pair 1", "(got null)", "two words"),
        ('{"easy": [["oak", ""]]}', ", tier 'easy', pair 1", "(got '')", "two words"),
        ('{"easy": [["oak", "Oak "]]}', ", tier 'easy', pair 1", "has stray spaces", "two words"),
        ('{"easy": [["a-b", "A B"]]}', ", tier 'easy', pair 1", "must differ", "two words"),
        (f'{{"easy": [["a", "{"x" * 61}"]]}}', ", tier 'easy', pair 1", "at most 60", "two words"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(
    tmp_path: Path, text: str, where: str, problem: str, fix: str
) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as refused:
        GAME.records(path)
    line = str(refused.value)
    assert line.startswith(f"{path}{where}"), line
    assert problem in line
    assert fix in line.rpartition("; ")[2], line
    assert "record" not in line, "a pair has no records: its place is tier and number"
    assert line.isprintable()


# The sentences for an onlooker.


def lines(match: Table) -> list[str]:
    return [sentence(GAME, event) for event in transcript(GAME, match.events)]


def test_an_onlooker_reads_of_teams_confidence_and_declarations() -> None:
    for mode, mate in (("team_aware", "Player 1"), ("team_semi_aware", "one of the others")):
        assert f"To Player 2: your team mate is {mate}" in lines(table(assignment=mode))
    match = at_the_vote()
    match.answer(
        {
            Seat(0): {"suspect": "Player 2", "confidence": 0.75, "reasoning": "odd"},
            Seat(1): {"suspect": "Player 1", "self_declaration": True, "word_guess": "oak"},
            Seat(2): ABSTAINS,
            Seat(3): {"suspect": "Player 2", "confidence": 1, "self_declaration": True},
        }
    )
    assert lines(match)[-4:] == [
        'Player 1: votes for Player 2 with confidence 0.75, because "odd"',
        'Player 2: votes for Player 1 with confidence 0.5 and declares itself, guessing "oak"',
        "Player 3: votes for nobody [fault: refusal]",
        "Player 4: votes for Player 2 with confidence 1 and declares itself, guessing no word",
    ]
