"""Plans that change while a cluster plays them: tournaments that grow, and adaptive ones."""

import subprocess
from pathlib import Path

import pytest

from parlour.tournament.control.changes import grow_save
from parlour.tournament.control.client import RunnerClient
from parlour.tournament.plan.additions import addition_of_file, part_of_file
from parlour.tournament.save.growing.stages import stages_of
from parlour.tournament.save.reader import Save
from parlour.tournament.trust.consent import agree
from parlour.tournament.trust.needs import needs
from tests.cluster.clusters import AT_ONCE, SCRIPTED, workers
from tests.crash.running import count, running, until
from tests.models import provider
from tests.tournament.test_journal import rows
from tests.tournaments import contents, new_save, parlour, play, printed, written

ZOE = '[[agents]]\nname = "Zoe"\nstrategy = "bayesian"\n'
MIA = """
[[agents]]
name = "Mia"
kind = "llm"
model = "mia-1"
api_base = "{base}"
prices = [1.0, 10.0]
parameters = {{ max_tokens = 50 }}
"""
LADDER = SCRIPTED.replace("repetitions = {repetitions}", 'schedule = "adaptive"\nmatches = 400')


def agreed(folder: Path, text: str) -> Path:
    """A file with a model that the user has agreed to."""
    file = written(folder, text, "mia.toml")
    part = part_of_file(file)
    assert part is not None
    agree(needs(part))
    return file


def paused(save: Path, process: "subprocess.Popen[str]") -> RunnerClient:
    """The client of a run that is paused once a worker has played."""
    assert until(lambda: sum(each.matches for each in workers(save)) > 0, process)
    client = RunnerClient(save)
    client.pause()
    return client


@pytest.mark.slow
def test_a_tournament_grows_on_a_cluster(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = SCRIPTED.format(repetitions=25)
    save, alone = new_save(tmp_path, text), new_save(tmp_path, text, "alone.db")
    zoe = addition_of_file(written(tmp_path, ZOE, "zoe.toml"))
    monkeypatch.setenv("LAB_KEY", "only-here")  # its nodes were started without it
    mia = agreed(tmp_path, MIA.format(base="http://127.0.0.1:1/v1") + 'api_key_env = "LAB_KEY"\n')
    with running(save, "--ray", address, "--workers", 2, code=AT_ONCE) as process:
        client = paused(save, process)
        refused = parlour("add", save, mia, cwd=tmp_path)
        assert refused.returncode == 1
        assert "cannot take part: key LAB_KEY: is not set" in refused.stderr
        assert refused.stderr.count("\n") == 1
        with Save(save) as opened:
            assert len(stages_of(opened)) == 1
        assert client.status().matches == 600
        grow_save(save, zoe)
        assert until(lambda: bool(workers(save)), process)
        status = client.status()
        assert (status.pid, status.state, status.matches) == (process.pid, "paused", 1200)
        client.resume()
        assert until(lambda: sum(each.matches for each in workers(save)) > 0, process)
        assert process.wait() == 0, process.communicate()
    grow_save(alone, zoe)
    assert play(alone).progress.done
    assert contents(save) == contents(alone)


@pytest.mark.soak
def test_a_model_that_is_added_is_called_by_the_workers(address: str, tmp_path: Path) -> None:
    save = new_save(tmp_path, SCRIPTED.format(repetitions=4))
    with provider(tmp_path, "--latency", 0.02) as server:
        mia = addition_of_file(agreed(tmp_path, MIA.format(base=server.base)))
        with running(save, "--ray", address, "--workers", 2, code=AT_ONCE) as process:
            client = paused(save, process)
            grow_save(save, mia)
            assert until(lambda: bool(workers(save)), process)
            client.resume()
            assert until(lambda: sum(each.in_flight for each in workers(save)) > 0, process)
            assert process.wait() == 0, process.communicate()
        assert len(server.requests) == count(save, "calls") > 500
    assert printed("check", save, cwd=tmp_path).endswith(". OK: every match replays identically\n")


@pytest.mark.soak
@pytest.mark.parametrize("options", [(), ("--until", "interval < 0.3")])
def test_an_adaptive_tournament_is_as_on_one_machine(
    options: tuple[str, ...], address: str, tmp_path: Path
) -> None:
    save, alone = new_save(tmp_path, LADDER), new_save(tmp_path, LADDER, "alone.db")
    with running(save, *options, "--ray", address, "--workers", 2, code=AT_ONCE) as process:
        seen = until(lambda: sum(each.matches for each in workers(save)) > 0, process)
        assert process.wait() == 0, process.communicate()
    assert seen, "no worker played a match"
    with running(alone, *options, "--workers", 1) as process:
        assert process.wait() == 0, process.communicate()
    assert contents(save) == contents(alone)
    decided = "SELECT * FROM decisions ORDER BY seq"
    assert rows(save, decided) == rows(alone, decided)


@pytest.mark.soak
def test_an_adaptive_tournament_of_models_ends_on_a_cluster(address: str, tmp_path: Path) -> None:
    with provider(tmp_path, "--latency", 0.02) as server:
        save = new_save(tmp_path, LADDER.replace("400", "80") + MIA.format(base=server.base))
        with running(save, "--ray", address, "--workers", 2, code=AT_ONCE) as process:
            assert process.wait() == 0, process.communicate()
        assert len(server.requests) == count(save, "calls") > 100
    assert printed("check", save, cwd=tmp_path).endswith(". OK: every match replays identically\n")
