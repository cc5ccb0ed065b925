"""The conformance suite itself: each check catches a game that breaks what it guards."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from shutil import copytree
from typing import Any, ClassVar

import pytest

from parlour.games.engine.board import Ring
from parlour.games.engine.counting import Counting, Measure
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Frozen, Game, Seating, Texts
from parlour.games.engine.moves import Answer, Ask, Outcome, Rules, Seat, Tell
from parlour.games.families.group_sizes import LARGER
from parlour.games.families.word_games import Clue, Suspect, Vote
from parlour.games.testing import conformance, playthrough, secrecy
from parlour.games.undercover import GAME
from parlour.games.undercover.game import WITH_JESTER

Move = Tell | Ask[Any]


def undercover(
    change: Callable[[Move], Move] = lambda move: move,
    end: Callable[[Outcome], Outcome] = lambda outcome: outcome,
    **metadata: Any,
) -> Game:
    """Undercover with its moves, its outcome or some metadata changed."""

    def rules(setting: Any, seats: Sequence[Seat], dice: Dice) -> Rules:
        game, reply = GAME.rules(setting, seats, dice), None
        while True:
            try:
                move = game.send(reply)
            except StopIteration as stop:
                return end(stop.value)
            reply = yield change(move)

    return replace(GAME, rules=rules, **metadata)


def texts(**changed: Any) -> Texts:
    """Undercover's texts with some of them changed."""
    return replace(GAME.texts, **changed)


def at(kind: str, **change: Any) -> Callable[[Move], Move]:
    """Changes the moves of one kind."""
    return lambda move: move._replace(**change) if move.kind == kind else move


def endless(_setting: Any, seats: Sequence[Seat], _dice: Dice) -> Rules:
    """Asks for ever, on the cheap: nothing is ever told."""
    votes = Ask("vote", tuple(seats), Vote, lambda s, d: Vote(suspect=None), _vote)
    while True:
        yield votes


def _vote(seat: Seat, _dice: Dice) -> Vote:
    return Vote(suspect=Seat((seat + 1) % 3))


class VoteFirst(Answer):
    """A vote whose reason comes after it."""

    suspect: Suspect
    reasoning: str = ""


class VoteAlone(Vote):
    """A vote without the duty to give a reason."""

    required_of_models: ClassVar[frozenset[str]] = frozenset()


OUTSIDE = count()


def by_outside_count(move: Move) -> Move:
    """Speakers in an order that depends on what was played before, not on the seed."""
    if move.kind != "order":
        return move
    first = next(OUTSIDE)
    return move._replace(record={"speakers": [(first + k) % 3 for k in range(3)]})


def winning(*seats: int) -> Callable[[Outcome], Outcome]:
    return lambda outcome: replace(outcome, winners=tuple(map(Seat, seats)))


def word_lengths(move: Move) -> Move:
    """Tells all how long each secret word is."""
    if move.kind != "word":
        return move
    return move._replace(to=None, record={"word": str(len(move.record["word"]))})


plays, views = conformance, secrecy
PLAYS = {
    "is judged Fault": undercover(at("vote", sample=lambda s, d: Vote(suspect=s))),
    "is no <class": undercover(at("vote", fallback=lambda s, d: Clue(text=""))),
    "ending 'draw'": undercover(end=lambda o: replace(o, ending="draw")),
    "earns 4": undercover(end=lambda o: replace(o, payoffs=(4, 0, 0))),
    "other sides": undercover(seating=Seating(lambda setting: ("civilian",) * 3)),
    "wins in part": undercover(end=winning(0)),
    "two sides win": undercover(end=winning(0, 1, 2)),
    "is not explained": undercover(texts=texts(kinds={"clue": ""})),
    "not JSON": undercover(at("order", record={"speakers": (0, 1, 2)})),
    "is in the views of": undercover(at("beliefs", probe=False)),
}
"""Broken games by the complaint of ``check_plays``."""
METADATA = {
    "endings never reached: ['draw']": texts(endings={**GAME.texts.endings, "draw": ""}),
    "kinds that never occur: ['guess']": texts(kinds={**GAME.texts.kinds, "guess": ""}),
    "sentences for unexplained kinds: ['guess']": texts(sentences={"guess": str}),
}
OTHERS = [
    (plays.check_reasons, "'suspect' comes before the reason", at("vote", answer=VoteFirst)),
    (plays.check_reasons, "optional reasons ['reasoning']", at("vote", answer=VoteAlone)),
    (
        plays.check_faults,
        "is on record, not",
        at("vote", fallback=lambda s, d: Vote(suspect=s, reasoning=str(next(OUTSIDE)))),
    ),
    (plays.check_faults, "differ when played again", by_outside_count),
    (plays.check_resume, "differ after a resume", by_outside_count),
    (views.check_secrets, "sees the secret 'zqxv", at("word", to=None)),
    (views.check_ignorance, "learns ('zqxv", word_lengths),
]
BROKEN = [
    *((plays.check_plays, problem, game) for problem, game in PLAYS.items()),
    *((plays.check_metadata, problem, undercover(texts=own)) for problem, own in METADATA.items()),
    *((check, problem, undercover(change)) for check, problem, change in OTHERS),
    (plays.check_probes, "'beliefs': probe is True", undercover(probes=frozenset({"own_role"}))),
    (
        plays.check_shown,
        "sentence for Event(kind='vote'",
        undercover(texts=texts(sentences={"vote": lambda event: event.record["nobody"]})),
    ),
    (
        plays.check_shown,
        "no board after 0 events",
        undercover(board=lambda seats, events, outcome: (Ring(events[2].kind, ()),)),
    ),
    (
        plays.check_metadata,
        "measures that another game defines otherwise: ['gini']",
        undercover(counting=Counting(measures=(Measure("gini", "votes", "rate"),))),
    ),
]


@pytest.mark.parametrize(("check", "problem", "game"), BROKEN, ids=[row[1] for row in BROKEN])
def test_a_broken_game_is_caught(
    check: Callable[..., None], problem: str, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conformance, "MOST_MATCHES", 10)  # undercover needs fewer for all
    with pytest.raises(AssertionError) as caught:
        check(game) if check is plays.check_metadata else check(game, game.variant())
    assert problem in str(caught.value)


def test_a_match_without_end_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playthrough, "MOST_ASKS", 200)
    with pytest.raises(AssertionError, match="no end after 200 asks"):
        conformance.check_plays(replace(GAME, rules=endless), GAME.variant())


ALOUD = "{% for e in told.said %}{{ e.record.text }}{% endfor %}"


@pytest.mark.parametrize(
    ("template", "text", "check", "problem"),
    [
        ("vote", "Whom? {{ '{{ me }}' }}", views.check_prompts, "the prompt keeps"),
        ("vote", "", views.check_prompts, "the prompt is empty"),
        ("vote", ALOUD, views.check_quoting, "words of a player stand unquoted"),
        ("clue", "Say something.", views.check_quoting, "what was said cannot be read back"),
    ],
)
def test_a_broken_prompt_is_caught(
    tmp_path: Path, template: str, text: str, check: Callable[[Game, Frozen], None], problem: str
) -> None:
    for part in ("data", "prompts"):
        copytree(GAME.folder / part, tmp_path / "broken" / part)
    (tmp_path / "broken" / "prompts" / f"{template}.j2").write_text(text)
    with pytest.raises(AssertionError) as caught:
        check(replace(GAME, folder=tmp_path / "broken"), GAME.variant())
    assert problem in str(caught.value)


def test_variants_change_one_key_at_a_time() -> None:
    changed = [GAME.condition(variant) for variant in conformance.variants(GAME)]
    assert changed == [
        *("", "players=4", "clue_rounds=1", "clue_rounds=3", "elimination=True", "talk_rounds=1"),
        *("order=seat", "probes=faithful", "probes=off"),
        *("first_moves=shipped", "scoring_told=False"),
        *("language=german", "language=spanish", "language=french", "language=chinese"),
        *("difficulty=all", "difficulty=easy", "difficulty=medium", "difficulty=hard"),
        *(GAME.condition(GAME.variant.model_validate(keys)) for keys in (*LARGER, *WITH_JESTER)),
        *("wording=paraphrase", "wording=paraphrase_2"),
    ]


def test_an_error_names_the_rule_the_place_and_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.games.testing.secrecy.clean_all", lambda _value: "other")
    fix = conformance.VARIANT_CHECKS[secrecy.check_quoting]
    with pytest.raises(AssertionError) as error:
        conformance._run(secrecy.check_quoting, fix, GAME, GAME.variant())
    assert re.fullmatch(
        r"(?s)undercover, Setting\(.*, seed \d+, ask \d+: Tell\('rules'\) has control characters in"
        r" .*: declare the field .*\n  Rule: check_quoting: A player's words .*\n  Fix: declare .*",
        str(error.value),
    )
