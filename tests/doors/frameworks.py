"""Examples of docs/frameworks.md, played as they stand against the suite's own provider."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import parlour
from tests.blocks import ROOT, blocks, section
from tests.doors.stored import answers_of, calls_of

PAGE = "docs/frameworks.md"


@contextmanager
def provider(log: Path) -> Iterator[str]:
    """The address of a server that speaks the OpenAI protocol."""
    words = [sys.executable, "-m", "tests.provider", "--log", str(log)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        finally:
            server.terminate()


def plays_twice(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plays the example under a heading in two runs of one process; every answer has tokens."""
    begin, end = blocks(PAGE, "python")[:2]
    (example,) = [each for each in blocks(PAGE, "python") if each in section(PAGE, title)]
    # As an installation is: a checkout's folder `agents` would hide a package of that name.
    monkeypatch.setattr(sys, "path", [each for each in sys.path if Path(each).resolve() != ROOT])
    with provider(tmp_path / "log") as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
        names: dict[str, Any] = {}
        exec(begin + example, names)
        for number in range(2):
            path = tmp_path / f"{number}.db"
            exec(end.replace("mine.db", str(path)), names)
            answers, calls = answers_of(path, "Mine"), calls_of(path)
            assert len(answers) >= 30
            assert {answer.fault for answer in answers} == {None}
            assert len(calls) == len(answers)
            assert all(call.prompt_tokens and call.completion_tokens for call in calls)
    assert len((tmp_path / "log").read_text().splitlines()) == 2 * len(answers)
    assert parlour.open(path).finished
