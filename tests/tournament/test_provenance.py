"""Provenance: each call keeps what served it, and the leaderboard says what changed within it."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

import pytest

from parlour.games.engine.registry import find_game
from parlour.tournament.reports.prompts import reading
from parlour.tournament.save.provenance.remarks import (
    Playing,
    Remark,
    Serving,
    playings,
    remarks,
    remarks_of,
    servings,
)
from parlour.tournament.save.reader import Save
from tests.models import clean_environment, played_by, provider
from tests.provider import FINGERPRINTS, OTHER_MODEL
from tests.tournament.test_journal import planned, rows
from tests.tournaments import (
    LANES,
    finished,
    in_save,
    new_save,
    parlour,
    play,
    printed,
    printed_json,
    tamper,
    written,
)

ONE = Serving("Ada", "gpt-4o", "undercover", (), "gpt-4o-2024-08-06", "fp_1", "a.org", 5, 1, 1)


pytestmark = pytest.mark.usefixtures("own_config")


# --- The rules


def later(**changes: object) -> Serving:
    """A later serving of three calls, from match 4 on."""
    return replace(ONE, calls=3, first=9, match=4, **changes)  # type: ignore[arg-type]


def test_one_provenance_makes_no_remark() -> None:
    assert remarks([]) == []
    others = later(agent="Bob", served="x", fingerprint="y", host="z")
    assert remarks([ONE, later(), others], [("undercover", 2)], [Playing("1.0", 1)]) == []


@pytest.mark.parametrize(
    ("changes", "kind", "level", "sentence"),
    [
        (
            {"served": "gpt-4o-2024-11-20"},
            "models",
            "warning",
            "Ada was served by 2 models: gpt-4o-2024-08-06 (5 calls), gpt-4o-2024-11-20 (3 calls,"
            " since match 4)",
        ),
        (
            {"served": ""},  # it names none: that is the asked one
            "names",
            "note",
            "Ada was served under 2 names of one model: gpt-4o-2024-08-06 (5 calls), gpt-4o (3"
            " calls, since match 4)",
        ),
        (
            {"host": "b.org"},
            "hosts",
            "warning",
            "Ada was served by 2 hosts: a.org (5 calls), b.org (3 calls, since match 4)",
        ),
        (
            {"fingerprint": "fp_2"},
            "fingerprints",
            "note",
            "Ada: gpt-4o-2024-08-06 answered under 2 fingerprints: fp_1 (5 calls), fp_2 (3 calls,"
            " since match 4)",
        ),
    ],
)
def test_a_change_makes_a_remark_with_counts_and_the_match_since_which(
    changes: dict[str, str], kind: str, level: str, sentence: str
) -> None:
    expected = Remark(kind, level, "Ada", 4, sentence)  # type: ignore[arg-type]
    assert remarks([later(**changes), ONE]) == [expected]


def test_another_model_with_a_fingerprint_of_its_own_makes_one_remark() -> None:
    both = [ONE, later(served="gpt-4o-mini", fingerprint="fp_2")]
    assert [remark.kind for remark in remarks(both)] == ["models"]


def test_a_sentence_names_four_at_most() -> None:
    many = [replace(ONE, host=f"h{n}", first=n, match=n, calls=1) for n in range(1, 7)]
    (remark,) = remarks(many)
    assert remark.sentence == (
        "Ada was served by 6 hosts: h1 (1 call), h2 (1 call, since match 2), h3 (1 call, since"
        " match 3), h4 (1 call, since match 4), and 2 more"
    )


def test_a_changed_prompt_is_told_from_the_prompt_of_another_game() -> None:
    clue, vote = ("clue.j2", "aa"), ("vote.j2", "bb")
    before = replace(ONE, templates=(clue, vote))
    elsewhere = later(game="impostor", templates=(("clue.j2", "cc"),))
    assert remarks([before, elsewhere]) == []
    (remark,) = remarks([before, elsewhere, later(templates=(("clue.j2", "cc"), vote))])
    assert (remark.kind, remark.level, remark.match) == ("prompts", "warning", 4)
    assert remark.sentence == (
        "Ada: the prompt clue.j2 of undercover changed: 2 texts, another one since match 4"
    )


def test_versions_of_rules_and_of_the_program_make_remarks_warnings_first() -> None:
    made = remarks([], [("b", 2), ("a", 1), ("b", 1)], [Playing("1.0", 1), Playing("1.1", 7)])
    assert [(remark.level, remark.sentence) for remark in made] == [
        ("warning", "b is played by versions 1 and 2 of its rules"),
        ("note", "The matches were played by Parlour 1.0 and 1.1 (since match 7)"),
    ]


# --- What is stored


def played(folder: Path, modes: Callable[[int], str] | str = "good", more: str = "") -> Path:
    """A save of two models, one match at a time."""
    text = partial(planned, repetitions=2, more=more, games=["undercover"])
    return played_by(folder, text, modes, concurrency=1)


def test_an_answered_call_has_the_model_the_fingerprint_and_the_host(tmp_path: Path) -> None:
    german = '[[games]]\nname = "undercover"\nlanguage = "german"\nlimit = 1\n'
    # Prompts in another language are no changed ones.
    save = played(tmp_path, lambda n: "other_fingerprint" if n > 12 else "good", german)
    calls = rows(save, "SELECT agent, served, fingerprint, host FROM calls ORDER BY seq")
    prints = [FINGERPRINTS[number > 12] for number in range(1, len(calls) + 1)]
    assert [call["fingerprint"] for call in calls] == prints
    assert {(call["agent"], call["served"]) for call in calls} == {
        ("Ada", "ada-1"),
        ("Bob", "bob-1"),
    }
    ((host,),) = {(call["host"],) for call in calls}
    with Save(save) as opened:
        assert f"http://{host}/v1" == opened.tournament.models["Ada"].api_base
        assert sum(serving.calls for serving in servings(opened)) == len(calls)
        made = [(remark.kind, remark.level, remark.subject) for remark in remarks_of(opened)]
    assert made == [("fingerprints", "note", "Ada"), ("fingerprints", "note", "Bob")]


def test_a_failed_call_has_no_provenance(tmp_path: Path) -> None:
    save = played(tmp_path, lambda number: "rate_limit" if number == 3 else "good")
    (failed,) = rows(save, "SELECT * FROM calls WHERE failure IS NOT NULL")
    assert (failed["served"], failed["fingerprint"], failed["host"]) == (None, None, None)


def test_the_program_that_went_on_is_noted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = new_save(tmp_path)
    tamper(save, "UPDATE tournament SET program = '0.1'")  # it made the save, and played nothing
    play(save, pace=LANES["slow"])
    with Save(save) as opened:
        assert playings(opened) == [Playing(version("parlour"), 1)]
        assert remarks_of(opened) == []
    tamper(save, "UPDATE matches SET outcome = NULL WHERE number = 12")
    tamper(save, "DELETE FROM answers WHERE match = 12")
    tamper(save, "DELETE FROM counts")
    monkeypatch.setattr("parlour.tournament.session.version", lambda _name: "9.9")
    play(save, pace=LANES["slow"])
    play(save, pace=LANES["slow"])
    with Save(save) as opened:
        assert playings(opened) == [Playing(version("parlour"), 1), Playing("9.9", 12)]
        (remark,) = remarks_of(opened)
    assert (remark.kind, remark.level, remark.match) == ("programs", "note", 12)


def test_two_versions_of_the_rules_of_a_game_are_remarked(tmp_path: Path) -> None:
    newest = find_game("undercover", "").version
    save = finished(tmp_path)
    twice = "json_insert(spec, '$.games[#]', json_extract(spec, '$.games[0]'))"
    tamper(save, f"UPDATE tournament SET spec = {twice}")
    tamper(save, "UPDATE tournament SET spec = json_set(spec, '$.games[1].version', 1)")
    (remark,) = in_save(save, remarks_of)
    assert remark.sentence == f"undercover is played by versions 1 and {newest} of its rules"


# --- In every place


@pytest.mark.parametrize("carrier", ["openai", "litellm"])
def test_a_server_that_changes_its_model_in_the_middle_is_said_in_every_place(
    tmp_path: Path, carrier: str
) -> None:
    with provider(tmp_path, "--other-from", 10) as server:
        text = planned(server, 2, f'client = "{carrier}"', games=["undercover"])
        text = text.replace('model = "', 'model = "openai/') if carrier == "litellm" else text
        file, save = written(tmp_path, text), tmp_path / "save.db"
        environment = clean_environment(tmp_path)
        words = ("run", file, "--save", save, "--plain", "--concurrency", 1)
        done = parlour(*words, cwd=tmp_path, env=environment)
        assert done.returncode == 0, done.stderr
        host = server.base.removeprefix("http://").removesuffix("/v1")
    calls = rows(save, "SELECT agent, served, fingerprint, host, match FROM calls ORDER BY seq")
    assert [call["served"] == OTHER_MODEL for call in calls] == [
        number >= 10 for number in range(1, len(calls) + 1)
    ]
    assert {(call["fingerprint"], call["host"]) for call in calls} == {(FINGERPRINTS[0], host)}
    assert {call["served"] for call in calls[:9]} == {"ada-1", "bob-1"}
    sentences = []
    for name in ("Ada", "Bob"):
        own = [call for call in calls if call["agent"] == name]
        after = [call for call in own if call["served"] == OTHER_MODEL]
        sentences.append(
            f"{name} was served by 2 models: {name.lower()}-1 ({len(own) - len(after)} calls),"
            f" {OTHER_MODEL} ({len(after)} calls, since match {after[0]['match']})"
        )
    board, status = (
        printed("leaderboard", save, cwd=tmp_path),
        printed("status", save, cwd=tmp_path),
    )
    printed("site", save, cwd=tmp_path)
    page = (tmp_path / "site/method/index.html").read_text(encoding="utf-8")
    for sentence in sentences:
        assert f"Warning: {sentence}\n" in done.stdout
        assert f"Warning: {sentence}\n" in board
        assert f"Warning      {sentence}\n" in status
        assert f"{sentence}." in page
    for command in ("leaderboard", "status"):
        body = printed_json(command, save, "--format", "json", cwd=tmp_path)
        assert [remark["sentence"] for remark in body["provenance"]] == sentences
        assert set(body["provenance"][0]) == {"kind", "level", "subject", "match", "sentence"}


def test_a_prompt_that_is_edited_between_two_runs_is_said(tmp_path: Path) -> None:
    save = played(tmp_path)
    with Save(save) as opened, reading(opened) as prompts:
        assert all(exchange.problem is None for exchange in prompts.of_match(1))
    edited = "INSERT INTO templates SELECT 'cafe', name, text || ' Be brief.' FROM templates"
    tamper(save, f"{edited} WHERE name = 'clue.j2'")
    (old,) = (r["digest"] for r in rows(save, "SELECT * FROM templates WHERE name = 'clue.j2'")
              if r["digest"] != "cafe")  # fmt: skip
    tamper(
        save, f"UPDATE calls SET templates = replace(templates, '{old}', 'cafe') WHERE match > 2"
    )
    board = printed("leaderboard", save, cwd=tmp_path)
    for name in ("Ada", "Bob"):
        words = (
            f"{name}: the prompt clue.j2 of undercover changed: 2 texts, another one since match 3"
        )
        assert f"Warning: {words}\n" in board
