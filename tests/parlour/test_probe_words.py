"""`probe-words` against a server that knows some settings by heart, others by their meaning."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiohttp import web

from parlour.api.word_probes import Gap, Hits, WordProbe, gaps_of
from tests.models import models
from tests.provider import hosted
from tests.tournaments import parlour, printed, printed_json, refused, scripted, tournament, written

PAIRS = [["guitar", "banjo"], ["toad", "frog"], ["beer", "cider"]]
"""Known by heart; guessed by its meaning; unknown."""
GAMES = """
name = "words"
[[games]]
name = "undercover"
settings = "pairs.json"
"""
PARTNERS = {"guitar": "The Banjo!", "banjo": "guitar", "toad": "frog", "frog": "a toad"}


def _answer(question: str) -> str:
    """An answer of the server: it knows the first pair by heart, and guesses the second."""
    for word, partner in PARTNERS.items():
        shown = f'"{word}"' in question or f"best with {word}?" in question
        if shown and ("Parlour" in question or word in {"toad", "frog"}):
            return partner
    return "bread"


@contextmanager
def answering() -> Iterator[tuple[str, list[str]]]:
    """The server's address and the questions that it was asked, while it serves from a thread."""
    asked: list[str] = []

    async def serve(request: web.Request) -> web.Response:
        body = await request.json()
        question = body["messages"][-1]["content"]
        asked.append(question)
        message = {"role": "assistant", "content": json.dumps({"answer": _answer(question)})}
        return web.json_response(
            {
                "id": "x",
                "model": body["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10},
            }
        )

    loop, host = asyncio.new_event_loop(), hosted(serve)
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    port = asyncio.run_coroutine_threadsafe(host.__aenter__(), loop).result(10)
    try:
        yield f"http://127.0.0.1:{port}/v1", asked
    finally:
        asyncio.run_coroutine_threadsafe(host.__aexit__(None, None, None), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _file(folder: Path, base: str, more: str = "stream = false") -> Path:
    pairs = [
        {"civilian_word": one, "undercover_word": other, "undercover_seat": 1}
        for one, other in PAIRS
    ]
    (folder / "pairs.json").write_text(json.dumps(pairs), encoding="utf-8")
    return written(folder, GAMES + models(base, {"Mo": more}) + scripted(Rob="random"))


def test_a_pair_known_by_heart_is_flagged_and_one_that_follows_from_meaning_is_not(
    tmp_path: Path,
) -> None:
    with answering() as (base, asked):
        _file(tmp_path, base)
        rows = printed_json(*("probe-words", "tournament.toml", "--tries", 5), cwd=tmp_path)
    known = [(row["wanted"], row["hits"], row["chance_hits"], row["by_heart"]) for row in rows]
    assert known == [
        ("guitar", 5, 0, True),
        ("banjo", 5, 0, True),
        ("toad", 5, 5, False),
        ("frog", 5, 5, False),
        ("beer", 0, 0, False),
        ("cider", 0, 0, False),
    ]
    assert {(row["n"], row["chance_n"]) for row in rows} == {(5, 5)}
    # Wilson's interval of 5 of 5 begins at 5 / (5 + 1.96²), that of 0 of 5 is its mirror image.
    assert rows[0]["low"] == pytest.approx(5 / (5 + 1.96**2), abs=1e-4)
    assert rows[0]["chance_high"] == pytest.approx(1 - 5 / (5 + 1.96**2), abs=1e-4)
    assert len(asked) == 6 * 5 * 2
    assert sum("Parlour" in question for question in asked) == 30
    # A question shows the rest of the setting, never the part, and the chance no name of a field.
    assert any('{"civilian_word": "?", "undercover_word": "banjo"}' in each for each in asked)
    assert not [each for each in asked if "Parlour" not in each and 'word"' in each.split("\n")[0]]
    assert not list(tmp_path.glob("**/*.db"))


def test_the_table_has_the_shares_of_all_parts_and_the_flagged_ones(tmp_path: Path) -> None:
    with answering() as (base, _asked):
        _file(tmp_path, base)
        text = printed("probe-words", "tournament.toml", cwd=tmp_path)
    assert "0.67 [" in text  # 20 of 30
    assert "0.33 [" in text
    (line,) = (each for each in text.splitlines() if '"civilian_word": "?"' in each)
    assert "guitar" in line
    assert "5/5, by chance 0/5" in line


def test_a_budget_ends_the_questions_and_what_was_answered_is_shown(tmp_path: Path) -> None:
    with answering() as (base, asked):
        _file(tmp_path, base, "stream = false\nprices = [1, 1]\nparameters = {max_tokens = 100}")
        # The answers cost 0.00011 each; a worst case of some 0.003 is reserved for each.
        done = parlour("probe-words", "tournament.toml", "--budget", 0.004, cwd=tmp_path)
    assert done.returncode == 1
    assert "parlour: the questions ended early: agent 'Mo': " in done.stderr
    assert 0 < len(asked) < 60
    assert "Mo" in done.stdout


def test_a_server_without_answers_ends_in_one_line(tmp_path: Path) -> None:
    _file(tmp_path, "http://127.0.0.1:9/v1", "retries = 0")
    done = parlour("probe-words", "tournament.toml", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("parlour: the questions ended early: agent 'Mo': ")
    assert done.stderr.count("\n") == 1


def test_what_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    gossip = 'name = "g"\n[[games]]\nname = "donation"\n' + models("http://127.0.0.1:9/v1", ["Mo"])
    written(tmp_path, gossip + scripted(Rob="random"))
    line = refused("probe-words", "tournament.toml", cwd=tmp_path)
    assert line.startswith("parlour: g: has no settings of which a part could be asked for;")


@pytest.mark.parametrize(("hits", "by_heart"), [(5, True), (4, False)])
def test_five_hits_of_five_against_none_are_by_heart_and_four_are_not(
    hits: int, by_heart: bool
) -> None:
    gap = Gap("undercover", "{}", "banjo", ("guitar",))
    assert WordProbe("Mo", gap, Hits(hits, 5), Hits(0, 5)).by_heart == by_heart


def test_a_list_of_names_lacks_its_last_one_and_a_number_is_compared_as_one(tmp_path: Path) -> None:
    text = 'name = "x"\n[[games]]\nname = "cost_sharing"\n[[games]]\nname = "prisoners_dilemma"\n'
    plan = tournament(tmp_path, text + scripted(Ada="random", Rob="random"))
    names, points = (next(gaps_of(entry)) for entry in plan.games)
    assert (names.wanted, names.given) == ("Bluefinch", ("Albatross Air", "Cloudberry Express"))
    assert points.given == ("2.0", "1.0", "4.0")
    assert points.is_filled_by("2")
    assert not points.is_filled_by("2 or 3")
