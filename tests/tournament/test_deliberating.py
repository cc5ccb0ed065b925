"""Models that think before they act: whole matches over a real server, kills and all."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from parlour.agents.llm import pgm
from parlour.agents.llm.http_clients import OpenAIClient
from parlour.agents.model_calls import Completion, Request
from parlour.tournament.session import run_session
from tests.crash.running import running, until
from tests.models import models, played_by, provider
from tests.tournament.test_journal import rows
from tests.tournaments import contents, new_save, play, printed, tamper

WORD_GAMES = """
[[games]]
name = "undercover"
limit = 1
[[games]]
name = "chameleon"
limit = 1
[[games]]
name = "impostor"
limit = 4
matches = 1
"""
OTHERS = "".join(
    f'[[games]]\nname = "{name}"\nlimit = 1\nlineup = ["Ada", "Bob", "Ada"]\n'
    for name in ("cost_sharing", "prisoners_dilemma", "public_good")
)
FORMS = {"Ada": "pgm_text", "Bob": "pgm_matrix"}


pytestmark = pytest.mark.usefixtures("own_config")


def planned(base: str, games: str, forms: dict[str, str] = FORMS) -> str:
    """A tournament of two models of that server."""
    keys = {name: f'timeout = 20.0\ndeliberation = "{form}"' for name, form in forms.items()}
    return f'name = "thinking"\nseed = 3\n{games}{models(base, keys)}'


def played(folder: Path, games: str, mode: str = "good", at_once: int = 8) -> Path:
    """Plays it to its end, in this process."""
    return played_by(folder, lambda s: planned(s.base, games), mode, concurrency=at_once)


def answers(save: Path) -> list[dict[str, Any]]:
    """The answers with game and agent, oldest first, their notes read."""
    stored = rows(
        save,
        "SELECT answers.*, game, json_extract(agents, '$[' || seat || ']') AS agent FROM answers"
        " JOIN matches ON matches.number = answers.match ORDER BY match, ask, seat",
    )
    return [{**row, "notes": json.loads(row["notes"] or "{}")} for row in stored]


def analyses(save: Path) -> dict[tuple[int, int, int], dict[str, Any]]:
    """Analyses that models wrote, by match, ask and seat."""
    sql = "SELECT * FROM calls WHERE text LIKE '%\"analysis\"%' ORDER BY seq"
    pairs = [(place(row), json.loads(row["text"])) for row in rows(save, sql)]
    assert len(dict(pairs)) == len(pairs), "an analysis was asked for twice"
    return dict(pairs)


def place(row: dict[str, Any]) -> tuple[int, int, int]:
    return row["match"], row["ask"], row["seat"]


def test_in_word_games_each_analysis_makes_the_matrix_of_the_one_before(tmp_path: Path) -> None:
    save = played(tmp_path, WORD_GAMES)
    written = analyses(save)
    beliefs: dict[tuple[int, int], pgm.Matrix] = {}
    thought = Counter[str]()
    for answer in answers(save):
        notes, where = answer["notes"], (answer["match"], answer["seat"])
        players = 4 if answer["game"] == "impostor" else 3
        assert answer["fault"] is None
        if place(answer) not in written:
            # Whoever speaks first, or is asked its role before that, has heard nothing; else
            # nothing was said since the analysis before.
            assert (notes == {}) == (where not in beliefs)
            if where not in beliefs:
                assert answer["kind"] in {"clue", "own_role"}
            else:
                assert notes["beliefs"] == [list(row) for row in beliefs[where]]
            continue
        analysis = written[place(answer)]
        sql = f"SELECT outcome FROM matches WHERE number = {answer['match']}"
        roles = json.loads(rows(save, sql)[0]["outcome"])["roles"]
        knows = roles[answer["seat"]] == "chameleon"
        roles_told = answer["game"] == "chameleon"
        before = beliefs.get(where, pgm.start(players, answer["seat"], knows, roles_told))
        fixed = answer["seat"] if knows else None
        if FORMS[answer["agent"]] == "pgm_text":
            said = pgm.factors(analysis["verdicts"], players)
            assert set(said.values()) <= {-1, 0, 1}
            after = pgm.updated(before, said, fixed)
        else:
            after = pgm.asked_for(before, analysis["matrix"], fixed)
        beliefs[where] = after
        assert notes == {
            "analysis": analysis["analysis"],
            "heard": notes["heard"],
            "beliefs": [list(row) for row in after],
            "target": pgm.target(after, answer["seat"], knows),
        }
        thought[answer["game"]] += 1
    # Of 2 undercover matches all but the first clue of each round, 4, and the probes after both
    # rounds, 6. Of 2 of chameleon 2 clues and 3 probes; impostor: 3 clues, 4 probes in each match.
    assert (thought["undercover"], thought["chameleon"]) == (20, 10)
    assert thought["impostor"] % 7 == 0
    assert thought["impostor"] > 0
    assert printed("check", save, cwd=tmp_path).endswith(". OK: every match replays identically\n")


def test_between_rounds_the_analysis_is_words_alone_and_holds_for_the_round(tmp_path: Path) -> None:
    save = played(tmp_path, OTHERS)
    written = analyses(save)
    assert all(analysis.keys() == {"analysis"} for analysis in written.values())
    kinds, later = Counter[str](), Counter[str]()
    for answer in answers(save):
        assert answer["fault"] is None
        if answer["round"] == 1:
            assert answer["notes"] == {}
            continue
        assert answer["notes"].keys() == {"analysis", "heard"}
        assert answer["notes"]["heard"] == answer["round"] - 1
        kinds[answer["kind"]] += place(answer) in written
        later[answer["kind"]] += 1
    # Rounds 2 to 5 of three players; a vote goes by the analysis before the proposal.
    assert kinds == {**later, "approve": 0}
    assert (later["choose"], later["contribute"]) == (12, 12)
    assert later["propose"] >= 3  # until they agree


def test_a_decision_that_is_fixed_is_not_thought_over_again(tmp_path: Path) -> None:
    save = played(tmp_path, WORD_GAMES + OTHERS, mode="illegal")
    written = analyses(save)
    deliberated = [answer for answer in answers(save) if answer["notes"]]
    assert {answer["kind"] for answer in deliberated if answer["fault"]} >= {"clue", "vote"}
    for answer in deliberated:
        sql = "SELECT * FROM calls WHERE (match, ask, seat) = ({}, {}, {})".format(*place(answer))
        # Each try is a call of its own, the first one with an analysis before it.
        assert len(rows(save, sql)) == answer["tries"] + (place(answer) in written)


def recorded(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[str, Request, Completion], Completion]
) -> list[tuple[str, Request]]:
    """Every request to a model with the agent that sends it; ``change`` what comes back."""
    asked: list[tuple[str, Request]] = []
    complete = OpenAIClient.complete

    async def recording(self: OpenAIClient, request: Request) -> Completion:
        asked.append((self._config.name, request))
        return change(self._config.name, request, await complete(self, request))

    monkeypatch.setattr(OpenAIClient, "complete", recording)
    return asked


def test_no_seat_is_ever_sent_what_another_thinks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seat(request: Request) -> str:
        match = re.search(r"You are Player (\d)", request.messages[0][1])
        assert match
        return match[1]

    def thinking(name: str, request: Request, completion: Completion) -> Completion:
        if "analysis" not in request.schema["properties"]:
            return completion
        said = {**json.loads(completion.text), "analysis": f"canary of {name} at {seat(request)}."}
        return replace(completion, text=json.dumps(said))

    asked = recorded(monkeypatch, thinking)
    played(tmp_path, WORD_GAMES + OTHERS, at_once=1)
    met = Counter[str]()
    for name, request in asked:
        prompt = "\n".join(text for _role, text in request.messages)
        canaries = set(re.findall(r"canary of \w+ at \d\.", prompt))
        assert canaries <= {f"canary of {name} at {seat(request)}."}
        met[name] += len(canaries)
    assert min(met["Ada"], met["Bob"]) > 20


def test_an_analysis_of_any_kind_costs_no_seat_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = [
        ("Player 2 is more suspicious.", "stop", "unparsable", "Player 2 is more suspicious."),
        ('{"analysis": "half', "length", "truncated", '{"analysis": "half'),
        ("", "stop", "empty", ""),
        ("I cannot take part.", "refusal", "refusal", ""),
        ('{"colour": "green"}', "stop", None, ""),
        ('{"analysis": ["a"], "verdicts": 3, "matrix": 3}', "stop", None, ""),
        (
            '{"analysis": "x\\u202ey\\u001b[2J", "verdicts": [], "matrix": []}',
            "stop",
            None,
            "xy[2J",
        ),
    ]
    given = []

    def thinking(_name: str, request: Request, completion: Completion) -> Completion:
        if "analysis" not in request.schema["properties"]:
            return completion
        given.append(odd[len(given) % len(odd)])
        return replace(completion, text=given[-1][0], finish=given[-1][1])

    recorded(monkeypatch, thinking)
    save = played(tmp_path, WORD_GAMES + OTHERS)
    assert len(given) > 3 * len(odd)
    analysed = set()
    for answer in answers(save):
        assert answer["fault"] is None
        assert answer["tries"] == 1
        notes = answer["notes"]
        if notes:
            analysed.add((notes.get("analysis_fault"), notes["analysis"]))
        if "beliefs" in notes:
            # Nothing was said of anybody, so the imagined rows are still even.
            players = len(notes["beliefs"])
            rest = [row for viewer, row in enumerate(notes["beliefs"]) if viewer != answer["seat"]]
            assert rest == [[round(1 / players, 6)] * players] * (players - 1)
    assert analysed == {(fault, words) for _text, _finish, fault, words in odd}


BETWEEN = (
    "SELECT * FROM calls AS one WHERE number = 1 AND text LIKE '{}' AND NOT EXISTS"
    " (SELECT 1 FROM calls AS two WHERE two.number = 2"
    " AND (two.match, two.ask, two.seat) = (one.match, one.ask, one.seat))"
)
"""Thoughts that look so after which no decision has come yet."""
PADS = {"Ada": "scratchpad", "Bob": "scratchpad"}


@pytest.mark.parametrize(
    ("forms", "looks"), [(FORMS, '%"analysis"%'), (PADS, "I think of%")], ids=["analysis", "pad"]
)
def test_killed_between_thought_and_decision_it_is_not_thought_over_again(
    tmp_path: Path, forms: dict[str, str], looks: str
) -> None:
    games = "".join(
        f'[[games]]\nname = "{name}"\nlimit = 1\nprobes = "off"\n'
        for name in ("undercover", "chameleon", "prisoners_dilemma")
    ).replace('dilemma"\nlimit = 1\nprobes = "off"', 'dilemma"\nlimit = 1\nrounds = 3')
    (tmp_path / "whole").mkdir()

    def open_now() -> set[tuple[int, int, int]]:
        return {place(row) for row in rows(save, BETWEEN.format(looks))}

    with provider(tmp_path, "--latency", 0.05) as server:
        save = new_save(tmp_path, planned(server.base, games, forms))
        waiting: set[tuple[int, int, int]] = set()
        for _ in range(2):
            with running(save, "--concurrency", 20) as process:
                before = open_now()
                assert until(lambda old=before: open_now() - old, process)
                process.kill()
                assert process.wait() == -9
            waiting |= open_now()
        assert waiting
        assert play(save, concurrency=20).progress.done
    thoughts = [place(row) for row in rows(save, f"SELECT * FROM calls WHERE text LIKE '{looks}'")]
    assert len(set(thoughts)) == len(thoughts), "it was thought over twice"
    assert waiting <= set(thoughts)
    assert printed("check", save, cwd=tmp_path).endswith(". OK: every match replays identically\n")
    # Beliefs are taken up where they were: all is as if nothing had happened.
    with provider(tmp_path / "whole") as server:
        undisturbed = new_save(tmp_path / "whole", planned(server.base, games, forms))
        assert play(undisturbed, concurrency=20).progress.done
    for table in ("answers", "matches"):
        assert contents(save)[table] == contents(undisturbed)[table]


@pytest.mark.parametrize("notes", ["no JSON", "[1]", "[" * 100_000], ids=["prose", "list", "deep"])
def test_a_match_with_notes_that_cannot_be_read_is_frozen(tmp_path: Path, notes: str) -> None:
    save = played(tmp_path, '[[games]]\nname = "undercover"\nlimit = 1\n')
    tamper(save, "UPDATE matches SET outcome = NULL WHERE number = 1")
    tamper(save, "DELETE FROM answers WHERE match = 1 AND kind = 'vote'")
    tamper(save, "UPDATE answers SET notes = ? WHERE match = 1 AND notes IS NOT NULL", notes)
    # It must not come to a call: the server is gone.
    ended = asyncio.run(asyncio.wait_for(run_session(save), 20))
    assert ended.progress.frozen == 1
    (match,) = rows(save, "SELECT frozen FROM matches WHERE number = 1")
    assert match["frozen"].startswith("match 1, ask ")
