"""Every bench runs, on small sizes; what fails is named and keeps nothing waiting."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import tests.benchmarks.__main__  # noqa: F401  so that all are known
from tests.benchmarks.measuring import BENCHES
from tests.tournaments import ROOT, called, environment

OFTEN = {"asks_in_memory", "stored_matches"}
"""Those that are part of every run; the others take longer."""
SOME = [pytest.param(name, marks=() if name in OFTEN else pytest.mark.soak) for name in BENCHES]

FAILING = """
import sys, threading
from tests.benchmarks.__main__ import main
from tests.benchmarks.measuring import BENCHES

def broken(runs):
    threading.Thread(target=threading.Event().wait).start()  # as a writer that was not closed
    raise KeyError(0)

BENCHES["broken"] = broken
sys.argv[1:] = ["--small", "--out", sys.argv[1], "broken", "asks_in_memory"]
main()
"""


def benches(*words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs ``python`` with these arguments from the checkout."""
    done = called(sys.executable, *words, cwd=ROOT, env=environment())
    assert done.returncode == code, done.stderr
    return done


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME)
def test_a_bench_runs(name: str, tmp_path: Path) -> None:
    out = tmp_path / "benchmarks.json"
    benches("-m", "tests.benchmarks", "--small", "--out", out, name)
    (readings,) = json.loads(out.read_text())["readings"].values()
    assert readings


@pytest.mark.soak
def test_a_pair_of_checkouts_is_measured() -> None:
    printed = benches("-m", "tests.benchmarks", "--small", "pair", ROOT).stdout
    for line in ("parlour --help", "asks in memory", "matches stored"):
        assert line in printed


def test_a_bench_that_dies_is_named_and_the_others_run(tmp_path: Path) -> None:
    out = tmp_path / "benchmarks.json"
    done = benches("-c", FAILING, out, code=1)
    assert "KeyError" in done.stderr
    assert done.stderr.splitlines()[-1] == "Failed: broken"
    assert list(json.loads(out.read_text())["readings"]) == ["asks_in_memory"]


def test_a_pair_needs_another_checkout(tmp_path: Path) -> None:
    done = benches("-m", "tests.benchmarks", "pair", tmp_path, code=1)
    assert (
        done.stderr == f"{tmp_path}: no checkout of Parlour; give the folder that holds parlour/\n"
    )
