"""Chameleon by answer scripts: who hears what, and how every ballot and guess ends."""

from collections import Counter
from itertools import permutations

import pytest

from parlour.games.chameleon import GAME
from parlour.games.chameleon.rules import Secret, Variant
from parlour.games.common.text import names_word
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Fault, FaultKind, Seat, player
from parlour.games.engine.table import IllegalAnswer, Table
from parlour.games.families.clues.clue_bank import shipped_bank
from tests.games.votes import ACCUSED, game_event

FAULT = Fault(FaultKind.REFUSAL)


def table(seed: int = 4, chameleon: int = 1, **keys: object) -> Table:
    """A table with the word guitar, of music; seed 4 lets the seats speak in the order 2, 0, 1."""
    openings = keys.pop("openings", (None, None, None))
    record = Secret(
        topic="Music", secret_word="guitar", chameleon_seat=chameleon, openings=openings
    )
    return Table(GAME, GAME.make_setting(record, Variant.model_validate(keys)), 3, seed)


def test_a_whole_match_turn_by_turn() -> None:
    match = table()
    expected = [
        game_event("rules", 0, {"players": 3}),
        game_event("topic", 0, {"topic": "Music"}),
        game_event("role", 0, {"role": "non_chameleon"}, to=0),
        game_event("word", 0, {"word": "guitar"}, to=0),
        game_event("role", 0, {"role": "chameleon"}, to=1),
        game_event("role", 0, {"role": "non_chameleon"}, to=2),
        game_event("word", 0, {"word": "guitar"}, to=2),
        game_event("order", 1, {"speakers": [2, 0, 1]}),
    ]
    assert match.events == expected
    assert (match.pending.kind, match.waiting) == ("own_role", (0, 1, 2))
    roles = ("ordinary", "special", "unsure")
    match.answer({Seat(seat): {"role": role} for seat, role in enumerate(roles)})
    for seat, role in enumerate(roles):
        expected.append(Event("own_role", 1, {"role": role}, (), Seat(seat), 0))
    for position, seat in enumerate((2, 0, 1)):
        assert (match.pending.kind, match.waiting) == ("clue", (seat,))
        match.answer({Seat(seat): {"text": f"clue of {seat}"}})
        record = {"text": f"clue of {seat}"}
        expected.append(Event("clue", 1, record, (Seat(seat),), Seat(seat), 1 + position))
        expected.append(game_event("said", 1, {"speaker": seat, **record, "position": position}))
    assert match.events == expected
    assert (match.pending.kind, match.waiting) == ("beliefs", (0, 1, 2))
    seen = [[0, 1, 2], [0, 2], [0, 1, 2]]
    answers = {}
    for seat in (0, 1, 2):
        held = [{"viewer": player(viewer), "suspect": "Player 2"} for viewer in seen[seat]]
        answers[Seat(seat)] = {"beliefs": held}
    match.answer(answers)
    for seat in (0, 1, 2):
        held = [{"viewer": viewer, "suspect": 1} for viewer in seen[seat]]
        expected.append(Event("beliefs", 1, {"beliefs": held}, (), Seat(seat), 4))
    assert (match.pending.kind, match.waiting) == ("supposed_word", (1,))
    match.answer({Seat(1): {"word": "violin"}})
    expected.append(Event("supposed_word", 1, {"word": "violin"}, (), Seat(1), 5))
    assert (match.pending.kind, match.waiting) == ("vote", (0, 1, 2))
    match.answer({Seat(2): {"suspect": "Player 2", "reasoning": "odd"}})
    match.answer({Seat(1): {"suspect": "Player 1"}})
    assert match.events == expected  # nothing is shown before all votes are in
    match.answer({Seat(0): FAULT})
    votes = (None, FaultKind.REFUSAL, ""), (0, None, ""), (1, None, "odd")
    for seat, (suspect, fault, reasoning) in enumerate(votes):
        record = {"suspect": suspect, "reasoning": reasoning}
        expected.append(Event("vote", 1, record, (Seat(seat),), Seat(seat), 6, fault))
    assert match.events == expected  # one vote each: level
    assert match.outcome.ending == "even"


GUESSES = [
    *(({"word": word}, "guessed") for word in ("guitar", " GUITAR! ", "g-u i_t.a r")),
    *(({"word": word}, "caught") for word in ("guitars", "violin", "the guitar")),
    (FAULT, "caught"),
]
# (chameleon, each non-chameleon), and which side won. The paper's appendix A.2.
ENDINGS = {
    "caught": ((0, 2), "non_chameleon"),
    "guessed": ((1, 1), None),
    "escaped": ((2, 0), "chameleon"),
    "even": ((1, 1), None),
}


@pytest.mark.parametrize("chameleon", [0, 1, 2])
@pytest.mark.parametrize("ballot", ACCUSED)
def test_every_ballot_and_every_guess_ends_as_it_must(
    ballot: tuple[str, ...], chameleon: int
) -> None:
    accused = ACCUSED[ballot]
    for guess, ending_of_guess in GUESSES:
        match = table(chameleon=chameleon, probes="off")
        for _ in range(3):
            match.answer({match.waiting[0]: {"text": "a clue"}})
        match.answer(
            {
                Seat(seat): FAULT if name == "-" else {"suspect": player(int(name))}
                for seat, name in enumerate(ballot)
            }
        )
        if accused == str(chameleon):
            assert (match.pending.kind, match.waiting) == ("guess", (chameleon,))
            assert match.events[-1] == game_event("accused", 1, {"accused": chameleon})
            match.answer({Seat(chameleon): guess})
            ending = ending_of_guess
        else:
            ending = "even" if accused in ("tie", "nobody") else "escaped"
        credits, won = ENDINGS[ending]
        sides = tuple("chameleon" if s == chameleon else "non_chameleon" for s in (0, 1, 2))
        outcome = match.outcome
        assert outcome.ending == ending
        assert outcome.payoffs == tuple(credits[s != chameleon] for s in (0, 1, 2))
        assert outcome.winners == tuple(s for s in (0, 1, 2) if sides[s] == won)
        assert outcome.roles == outcome.sides == sides


def test_a_word_that_is_only_supposed_ends_nothing() -> None:
    for supposed in ({"word": "guitar"}, FAULT):
        match = table()
        while match.pending.kind != "supposed_word":
            match.answer(_anything(match))
        match.answer({Seat(1): supposed})
        match.answer({s: {"suspect": player((s + 1) % 3)} for s in match.waiting})
        assert match.outcome.ending == "even"


def _anything(match: Table) -> dict[Seat, object]:
    return dict.fromkeys(match.waiting, FAULT)


def test_opening_clues_are_said_in_their_turn() -> None:
    match = table(probes="off", openings=("strings", None, "wood"))
    match.answer({Seat(1): {"text": "loud"}})
    said = [tuple(e.record.values()) for e in match.events if e.kind == "said"]
    assert said == [(2, "wood", 0), (0, "strings", 1), (1, "loud", 2)]


def test_all_orders_of_speaking_come_up_alike() -> None:
    # 6 orders in 1,200 matches: 200 each; 5 standard deviations are 65.
    met: Counter[tuple[int, ...]] = Counter()
    for seed in range(1200):
        (order,) = [e for e in table(seed).events if e.kind == "order"]
        met[tuple(order.record["speakers"])] += 1
    assert set(met) == set(permutations(range(3)))
    assert all(135 <= count <= 265 for count in met.values())


def test_only_the_chameleon_knows_who_it_is() -> None:
    # Seat 0 is a non-chameleon beside a chameleon in seat 1, then in seat 2.
    views = []
    for chameleon in (1, 2):
        match = table(chameleon=chameleon, probes="off")
        for _ in range(3):
            match.answer({match.waiting[0]: {"text": "a clue"}})
        views.append(match.view(Seat(0)))
    assert views[0] == views[1]


def test_a_clue_is_held_to_the_own_word_only() -> None:
    match = table(probes="off")
    for seat, text, fault in (
        (2, "two Guitars", "names your word 'guitar'"),
        (2, "x" * 301, "the clue has 301 characters: at most 300"),
        (2, " ", "the clue is blank"),
        (1, "", "the clue is blank"),
    ):
        while match.waiting != (seat,):
            match.answer({match.waiting[0]: {"text": "a clue"}})
        with pytest.raises(IllegalAnswer, match=fault):
            match.answer({Seat(seat): {"text": text}})
    # The chameleon has no word: to refuse the secret one would tell it.
    match.answer({Seat(1): {"text": "guitar"}})
    assert match.pending.kind == "vote"


def at(kind: str, **keys: object) -> Table:
    """A table at the first ask of a kind; everybody accuses the chameleon."""
    match = table(**keys)
    while match.pending.kind != kind:
        if match.pending.kind == "vote":
            match.answer({s: {"suspect": "Player 1" if s == 1 else "Player 2"} for s in (0, 1, 2)})
        else:
            match.answer(_anything(match))
    return match


def views_of(*viewers: int) -> dict[str, object]:
    return {"beliefs": [{"viewer": player(v), "suspect": None} for v in viewers]}


@pytest.mark.parametrize(
    ("kind", "seat", "answer", "fault"),
    [
        ("guess", 1, {"word": None}, "no word is given"),
        ("guess", 1, {"word": " \u200b"}, "no word is given"),
        ("guess", 1, {}, "word: is missing"),
        ("supposed_word", 1, {"word": ""}, "no word is given"),
        ("own_role", 0, {"role": None}, "no role is named"),
        ("own_role", 0, {"role": "chameleon"}, "role: must be"),
        ("beliefs", 0, views_of(0, 1), "exactly one belief for each player, yourself included"),
        ("beliefs", 1, views_of(0, 1, 2), "exactly one belief for each other player"),
        ("vote", 1, {"suspect": "Player 2"}, "you cannot vote for yourself"),
    ],
)
def test_an_answer_out_of_place_is_refused(
    kind: str, seat: int, answer: object, fault: str
) -> None:
    with pytest.raises(IllegalAnswer, match=fault):
        at(kind).answer({Seat(seat): answer})


def test_secrets_sides_and_words_of_a_setting() -> None:
    setting = table(chameleon=2).setting
    assert GAME.secrets(setting) == ((), (), ("guitar",))
    assert GAME.sides(setting) == ("non_chameleon", "non_chameleon", "chameleon")
    assert GAME.hints.words(setting) == ("guitar",)


def test_twenty_settings_ship_with_six_clues_or_more_for_every_word_of_their_topics() -> None:
    shipped, bank = GAME.shipped(), shipped_bank()
    assert len(shipped) == len({each.secret_word for each in shipped}) == 20
    assert sorted(Counter(each.chameleon_seat for each in shipped).values()) == [6, 7, 7]
    for each in shipped:
        words = bank.topics[each.topic]
        assert each.secret_word in words
        assert len(words) >= 4  # else knowing the topic would be knowing the word
        for word in words:
            clues = bank.clues[word]
            assert len(set(clues)) == len(clues) >= 6
            assert not [clue for clue in clues if names_word(clue, word) or len(clue) > 300]
