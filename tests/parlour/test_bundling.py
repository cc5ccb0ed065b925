"""Bundles: the same bytes each time, their content, playing them again, strangers' archives."""

import json
import re
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from shutil import which

import pytest

from parlour.api.bundling import TOURNAMENT, tournament_of_bundle, write_bundle
from parlour.games.common.errors import BadInput
from tests.tournaments import contents, finished, parlour

KEY = "sk-bundle-1234567890"


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished save."""
    return finished(tmp_path_factory.mktemp("bundled"))


def test_a_bundle_has_the_same_bytes_each_time_and_plays_again(
    save: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    names = write_bundle(save, tmp_path / "a.zip")
    write_bundle(save, tmp_path / "b.zip")
    bundle = tmp_path / "a.zip"
    assert bundle.read_bytes() == (tmp_path / "b.zip").read_bytes()
    with pytest.raises(BadInput, match="already exists"):
        write_bundle(save, bundle)
    with zipfile.ZipFile(bundle) as archive:
        assert archive.namelist() == names
        assert all(KEY.encode() not in archive.read(name) for name in names)
        archive.extractall(tmp_path / "out")
    out = tmp_path / "out"
    assert "MAgIC" in (out / "references.bib").read_text()
    assert "gossip" not in (out / "references.bib").read_text()
    assert json.loads((out / "versions.json").read_text())["games"].keys() == {"undercover"}
    assert 'seats,won,flag,"whether its side won' in (out / "tables" / "columns.csv").read_text()
    done = subprocess.run(
        [sys.executable, "analysis.py"], cwd=out, capture_output=True, text=True, check=True
    )
    assert "undercover default   Ada" in done.stdout
    parlour("run", "--from", bundle, "--save", "again.db", "--plain", cwd=tmp_path)
    assert contents(tmp_path / "again.db")["answers"] == contents(save)["answers"]
    same = parlour("diff", out / "save.db", "again.db", cwd=tmp_path)
    assert same.stdout.endswith("Nothing differs.\n")
    taken = parlour("run", "--from", bundle, "--save", "again.db", cwd=tmp_path)
    assert taken.returncode == 2
    assert "--save again.db: is there, and --from begins a new save; go on" in taken.stderr
    refusal = parlour("run", "--from", bundle, "--preset", "demo", cwd=tmp_path)
    assert "--from: names a whole tournament" in refusal.stderr


@pytest.mark.skipif(which("Rscript") is None, reason="needs R")
def test_the_starter_for_r_prints_the_figures_of_that_for_pandas(
    save: Path, tmp_path: Path
) -> None:
    write_bundle(save, tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip") as bundle:
        bundle.extractall(tmp_path)
    printed = []
    for starter in ([sys.executable, "analysis.py"], ["Rscript", "analysis.R"]):
        done = subprocess.run(starter, cwd=tmp_path, capture_output=True, text=True, check=True)
        rows = re.findall(r"(Ada|Lin|Rob) .*?([\d.]+) +([\d.]+)$", done.stdout, re.MULTILINE)
        printed.append({agent: (float(payoff), float(won)) for agent, payoff, won in rows})
    assert printed[0].keys() == {"Ada", "Lin", "Rob"}
    for agent, figures in printed[0].items():
        assert printed[1][agent] == pytest.approx(figures, abs=1e-6)


def archive(path: Path, name: str = TOURNAMENT, mode: int = 0, text: str = "{}") -> Path:
    """An archive with a member of that name and type, and a tournament."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        member = zipfile.ZipInfo(name)
        member.external_attr = mode << 16
        made.writestr(member, text)
        if name != TOURNAMENT:
            made.writestr(TOURNAMENT, "{}")
    return path


@pytest.mark.parametrize(
    ("name", "mode", "text", "problem"),
    [
        ("../a", 0, "", "outside of it"),
        ("/etc/a", 0, "", "outside of it"),
        ("a\\..\\b", 0, "", "outside of it"),
        ("a", stat.S_IFLNK | 0o777, "/etc/passwd", "no plain file"),
        ("a", stat.S_IFIFO, "", "no plain file"),
        ("a", stat.S_IFCHR, "", "no plain file"),
        ("a/", 0, "", "no plain file"),
        (TOURNAMENT, 0, " " * 65_000_000, "too large"),
        (TOURNAMENT, 0, "[" * 100_000, "is no bundle"),
        (TOURNAMENT, 0, "{}", "name"),
    ],
)
def test_a_strangers_archive_is_refused(
    name: str, mode: int, text: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=problem):
        tournament_of_bundle(archive(tmp_path / "a.zip", name, mode, text))


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    whole = archive(tmp_path / "a.zip", text="{" + " " * 10_000)
    (tmp_path / "link.zip").symlink_to(whole)
    (tmp_path / "cut.zip").write_bytes(whole.read_bytes()[:-40])
    spoilt = bytearray(whole.read_bytes())
    spoilt[50:60] = bytes(10)
    (tmp_path / "spoilt.zip").write_bytes(spoilt)
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    for name in ("link", "cut", "spoilt", "empty", "nonesuch"):
        with pytest.raises(BadInput, match="is no bundle"):
            tournament_of_bundle(tmp_path / f"{name}.zip")


def test_a_bundle_does_nothing_without_consent(save: Path, tmp_path: Path) -> None:
    write_bundle(save, tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip") as whole:
        body = json.loads(whole.read(TOURNAMENT))
    code = tmp_path / "code.py"
    code.write_text("def act(ask): open('/tmp/hooks-ran', 'w')\n")
    body["agents"][1] = {"name": "Rob", "kind": "function", "function": f"{code}:act"}
    made = archive(tmp_path / "b.zip", text=json.dumps(body))
    refusal = parlour("run", "--from", made, "--save", "b.db", cwd=tmp_path)
    assert "needs your consent: agent 'Rob' runs the code of" in refusal.stderr
    assert not (tmp_path / "b.db").exists()
