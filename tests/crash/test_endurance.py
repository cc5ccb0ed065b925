"""Hours with 256 matches in play in front of a provider full of faults: nothing grows.

PARLOUR_SOAK_MINUTES says how long (default: 120). Linux only: it reads /proc.
"""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import pytest

from tests.crash.running import count, running
from tests.models import provider
from tests.tournament.test_journal import planned
from tests.tournaments import new_save

MINUTES = float(os.environ.get("PARLOUR_SOAK_MINUTES", "120"))
MATCHES = 256
SAMPLES = 40
# Without rate limits, which lower the number of calls at once, as they should.
FAULTS = "prose,empty,refusal,server_error,drop,hang,slow,html"


@dataclass(frozen=True)
class Sample:
    """A running process and its save at one moment; ``save`` has the megabytes of the file."""

    megabytes: float
    files: int
    threads: int
    calls: int
    save: float


def sampled(pid: int, save: Path) -> Sample:
    """The sample of now."""
    lines = (Path("/proc") / str(pid) / "status").read_text(encoding="utf-8").splitlines()
    status = dict(line.split(":", 1) for line in lines)
    files = len(os.listdir(f"/proc/{pid}/fd"))
    megabytes = int(status["VmRSS"].split()[0]) / 1000
    threads = int(status["Threads"])
    return Sample(megabytes, files, threads, count(save, "calls"), save.stat().st_size / 1e6)


def bytes_a_call(samples: list[Sample]) -> float:
    """Growth of the file per call, from the first of these samples to the last."""
    first, last = samples[0], samples[-1]
    return 1e6 * (last.save - first.save) / (last.calls - first.calls)


@pytest.mark.soak
@pytest.mark.timeout(60 * MINUTES + 600)
def test_nothing_grows_but_the_save(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    options = ("--latency", 2.0, "--faults", 0.3, "--modes", FAULTS)
    samples: list[Sample] = []
    with provider(tmp_path, *options) as server:
        text = planned(server, 100_000, games=["undercover"])
        text += f'[[limits]]\nendpoint = "{server.base}"\nin_flight = {MATCHES}\n'
        save = new_save(tmp_path, text)
        with running(save, "--concurrency", MATCHES) as process:
            for _ in range(SAMPLES):
                time.sleep(MINUTES * 60 / SAMPLES)
                assert process.poll() is None, "it ended"
                samples.append(sampled(process.pid, save))
    with capsys.disabled():
        print("", *samples, sep="\n")
    # The first half fills caches; of the rest, the second half is held to the first.
    middle, end = samples[SAMPLES // 2 : SAMPLES * 3 // 4], samples[SAMPLES * 3 // 4 :]
    assert end[-1].calls > middle[0].calls
    assert fmean(s.megabytes for s in end) < 1.05 * fmean(s.megabytes for s in middle)
    assert max(s.files for s in end) <= 1.1 * max(s.files for s in middle) + 5
    assert max(s.threads for s in end) <= max(s.threads for s in middle) + 1
    assert bytes_a_call(end) < 1.2 * bytes_a_call(middle), "a call takes ever more bytes"
