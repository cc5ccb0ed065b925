"""Exact prompts: rebuilt from a save, they are what a real server was sent, to the byte."""

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from parlour.api.columns import PROMPTS
from parlour.tournament.reports.prompts import CHANGED, Exchange, reading
from parlour.tournament.save.reader import Save
from tests.models import Served, models, played_by
from tests.tournaments import finished as finished_small
from tests.tournaments import in_save, parlour, printed, printed_json, tamper

GAMES = """
[[games]]
name = "undercover"
limit = 1
lineup = ["Ada", "Bob", "Cleo"]
[[games]]
name = "donation"
agents_per_match = 3
lineup = ["Ada", "Bob", "Cleo"]
"""
FORMS = {"Ada": "none", "Bob": "scratchpad", "Cleo": "pgm_text"}
MODES = ("good", "good", "no_reason", "illegal", "prose", "thinking", "server_error", "good")


pytestmark = pytest.mark.usefixtures("own_config")


def planned(base: str, more: str = "") -> str:
    keys = {name: f'deliberation = "{form}"\n{more}' for name, form in FORMS.items()}
    return f'name = "prompts"\nseed = 3\n{GAMES}{models(base, keys)}'


def played(folder: Path, more: str = "") -> tuple[Path, list[str]]:
    """A finished save, and the fingerprints of the messages that the server got."""
    got: list[str] = []

    def text(server: Served) -> str:
        return planned(server.base, more)

    def look(_save: Path, server: Served) -> None:
        got.extend(request["messages"] for request in server.requests)

    return played_by(folder, text, lambda n: MODES[n % len(MODES)], look, concurrency=4), got


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    with pytest.MonkeyPatch.context() as patched:
        folder = tmp_path_factory.mktemp("prompts")
        patched.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        return played(folder)


def exchanges(save: Path) -> list[Exchange]:
    every: list[Exchange] = []
    with Save(save) as opened, reading(opened) as prompts:
        for match in opened.matches():
            every += prompts.of_match(match.number)
    return every


def as_sent(exchange: Exchange) -> str:
    """The fingerprint of the messages, as the server made it of what came in."""
    assert exchange.request is not None
    messages = [{"role": role, "content": text} for role, text in exchange.request.messages]
    whole = json.dumps(messages, sort_keys=True).encode()
    return hashlib.blake2b(whole, digest_size=8).hexdigest()


def test_every_call_is_rebuilt_as_the_server_got_it(finished: tuple[Path, list[str]]) -> None:
    save, received = finished
    rebuilt = exchanges(save)
    assert [each for each in rebuilt if each.problem is not None] == []
    assert Counter(map(as_sent, rebuilt)) == Counter(received)
    # Repairs, failed calls, scratchpads and analyses are among them.
    assert {each.call.try_ for each in rebuilt} >= {1, 2}
    assert {each.call.number for each in rebuilt} == {1, 2}
    assert {each.call.failure for each in rebuilt} == {None, "server"}


def test_faults_stand_with_the_answer_that_they_are_of(finished: tuple[Path, list[str]]) -> None:
    save, _ = finished
    kinds = Counter(each.fault.split(":")[0] for each in exchanges(save) if each.fault)
    # Which calls get which answer depends on the order in which they come.
    assert "unparsable" in kinds
    assert set(kinds) <= {"illegal", "unparsable"}
    with Save(save) as opened:
        answers = opened.answers()
        last = {(answer.match, answer.ask, answer.seat): answer.tries for answer in answers}
    for each in exchanges(save):
        call = each.call
        if each.fault is not None:
            assert call.failure is None
            assert call.try_ <= last[call.match, call.ask, call.seat]


def test_reading_prompts_changes_nothing_in_the_save(finished: tuple[Path, list[str]]) -> None:
    save, _ = finished
    before = save.read_bytes()
    exchanges(save)
    assert save.read_bytes() == before


def test_own_templates_that_are_gone_are_those_of_the_save(tmp_path: Path) -> None:
    own = tmp_path / "own" / "undercover"
    own.mkdir(parents=True)
    (own / "vote.j2").write_text("Ünusual: who is it, {{ others | join(' or ') }}?\n\n")
    save, received = played(tmp_path, 'prompts = "own"\n')
    (own / "vote.j2").write_text("Another wording.")
    rebuilt = exchanges(save)
    assert all(each.problem is None for each in rebuilt)
    assert Counter(map(as_sent, rebuilt)) == Counter(received)
    (own / "vote.j2").unlink()
    votes = [each for each in exchanges(save) if "Ünusual" in str(each.request)]
    assert votes
    assert all(each.problem is None for each in votes)


def test_a_prompt_that_differs_is_shown_as_not_verified(tmp_path: Path) -> None:
    save, _ = played(tmp_path)
    tamper(save, "UPDATE templates SET text = 'Vote now.' WHERE name = 'vote.j2'")
    problems = Counter(each.problem for each in exchanges(save))
    assert problems[CHANGED] > 0
    assert problems[None] > 0
    lines = printed("replay", save, 1, "--prompts", cwd=tmp_path)
    assert "not verified" in lines


def test_a_match_that_does_not_replay_keeps_its_calls(tmp_path: Path) -> None:
    save, _ = played(tmp_path)
    tamper(save, 'UPDATE answers SET value = \'{"text": "x"}\' WHERE match = 1 AND ask = 2')
    problems = {each.call.ask: each.problem for each in exchanges(save) if each.call.match == 1}
    assert problems[0] is None
    later = {problem for ask, problem in problems.items() if ask > 3}
    assert all(problem and "does not replay" in problem for problem in later)


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("UPDATE templates SET name = '../../../escaped.j2' WHERE name = 'vote.j2'", "file name"),
        ("DELETE FROM templates WHERE name = 'vote.j2'", "not in the save"),
        (
            "UPDATE templates SET text = '{{ [].__class__.__base__.__subclasses__() }}'"
            " WHERE name = 'vote.j2'",
            "cannot be rebuilt",
        ),
    ],
)
def test_templates_of_a_strange_save_can_do_nothing(tmp_path: Path, sql: str, problem: str) -> None:
    save, _ = played(tmp_path)
    tamper(save, sql)
    problems = [each.problem for each in exchanges(save) if each.problem]
    assert problems
    assert all(problem in each for each in problems), problems
    assert not list(tmp_path.parent.rglob("escaped.j2"))


def test_the_command_lists_asks_and_prints_one(finished: tuple[Path, list[str]]) -> None:
    save, _ = finished
    folder = save.parent
    listed = printed("replay", save, 1, "--prompts", cwd=folder).splitlines()
    assert listed[0].startswith("ask 0 (clue): Player ")
    records = printed_json("replay", save, 1, "--prompts", "--format=json", cwd=folder)
    assert {record["verified"] for record in records} == {True}
    first = records[0]
    words = ("--prompts", "--ask", first["ask"], "--as", first["seat"] + 1, "--try", 1)
    text = printed("replay", save, 1, *words, cwd=folder)
    assert "--- verified: the same fingerprint as the request that was sent" in text
    for _, message in first["messages"]:
        assert message in text
    assert "--- answer" in text


def test_the_asks_of_a_match_without_models_are_listed_too(tmp_path: Path) -> None:
    words = printed("replay", finished_small(tmp_path), 1, "--prompts", cwd=tmp_path)
    *listed, note = words.splitlines()
    assert note == "No model was asked, so there are no prompts."
    assert listed[0].startswith("ask 0 (clue): Player ")
    assert len(listed) == 21  # of 3 seats: 2 clues, 2 probes in 2 rounds, 1 vote


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((1, "--ask", 99), "has no such call; list them: parlour replay"),
        ((1, "--ask", 0, "--try", 9), "has no such call"),
        ((1, "--as", 9), "there is no player 9"),
        ((1, "--thoughts"), "--thoughts: cannot be combined with --prompts"),
        ((99,), "there is no match 99"),
    ],
)
def test_calls_that_there_are_not_are_refused(
    finished: tuple[Path, list[str]], words: tuple[object, ...], message: str
) -> None:
    save, _ = finished
    done = parlour("replay", save, *words, "--prompts", cwd=save.parent)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_the_export_has_prompts_on_demand(
    finished: tuple[Path, list[str]], tmp_path: Path, format: str
) -> None:
    save, _ = finished
    command = ("export", save, "--format", format, "--out", tmp_path / format)
    assert f"prompts.{format}" not in printed(*command, cwd=tmp_path)
    calls = len(exchanges(save))
    lines = printed(*command, "--prompts", "--force", cwd=tmp_path)
    assert f"prompts.{format} ({calls} rows)" in lines
    if format == "jsonl":
        text = (tmp_path / format / "prompts.jsonl").read_text(encoding="utf-8")
        records = [json.loads(line) for line in text.splitlines()]
        assert all(record["verified"] for record in records)
        assert [message[0] for message in records[0]["messages"]] == ["system", "user"]
        assert all(list(record) == list(PROMPTS) for record in records)
        seats = {(record["match"], record["special_seat"]) for record in records}
        outcome = in_save(save, lambda s: s.match(1)).outcome
        assert outcome is not None
        assert seats == {(1, outcome.roles.index("undercover")), (2, None)}
        assert {record["position"] for record in records} == {None, 1, 2, 3}
