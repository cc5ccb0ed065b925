"""The locks: checked against known vulnerabilities, and written as a bill of materials."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.tournaments import ROOT

HASH = "0" * 64
LOCK = f"""alpha==1.5.0 \\
    --hash=sha256:{HASH}
    # via -r requirements/run.in
my-lib==2.0 ; python_version < '3.12' \\
    --hash=sha256:{HASH} \\
    --hash=sha256:{"1" * 64}
    # via alpha
"""


def script(name: str, *words: object) -> subprocess.CompletedProcess[str]:
    """A script, as `make` calls it."""
    command = [sys.executable, ROOT / "scripts" / f"{name}.py", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def record(name: str, *events: dict[str, str], **more: Any) -> dict[str, Any]:
    """A record of a vulnerability of one package."""
    affected = {
        "package": {"ecosystem": more.pop("ecosystem", "PyPI"), "name": name},
        "ranges": [{"type": "ECOSYSTEM", "events": list(events)}],
        "versions": more.pop("versions", []),
    }
    return {"id": "X-1", "summary": "a hole", "affected": [affected], **more}


SINCE_1 = {"introduced": "1.0"}
EVERY = {"introduced": "0"}
AFFECTED = [
    record("alpha", EVERY, {"fixed": "1.6"}),
    record("Alpha", SINCE_1, {"last_affected": "1.5.0"}),
    record("alpha", EVERY, {"fixed": "1.2"}, {"introduced": "1.4"}),
    record("alpha", {"fixed": "1.6"}, SINCE_1),  # in any order
    record("alpha", versions=["1.5.0"]),
    record("My.Lib", {"introduced": "2.0"}),
]
SOUND = [
    record("alpha", EVERY, {"fixed": "1.5"}),
    record("alpha", {"introduced": "1.10"}),  # versions are no text
    record("alpha", EVERY, {"last_affected": "1.4.9"}),
    record("alpha", EVERY, withdrawn="2026-01-01T00:00:00Z"),
    record("alpha", EVERY, ecosystem="npm"),
    record("beta", EVERY),
]


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "run.txt"
    path.write_text(LOCK)
    return path


def test_the_audit_names_every_affected_pin_and_no_other(tmp_path: Path, lock: Path) -> None:
    database = tmp_path / "records.json"
    for number, its in enumerate(AFFECTED):
        database.write_text(json.dumps([*SOUND, its | {"id": f"X-{number}"}]))
        done = script("audit", database, lock)
        assert done.returncode == 1, its
        first, last = done.stdout.splitlines()
        assert re.match(rf"(?:alpha 1\.5\.0|my-lib 2\.0): X-{number}: a hole; ", first)
        assert last == "2 pinned distributions, 1 known vulnerabilities"
    database.write_text(json.dumps({"vulns": SOUND}))
    done = script("audit", database, lock)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)


def test_a_zip_and_a_folder_are_databases_too_and_ids_can_be_left_out(
    tmp_path: Path, lock: Path
) -> None:
    its = record("alpha", EVERY, {"fixed": "1.6"}, aliases=["CVE-1"])
    folder = tmp_path / "osv" / "PyPI"
    folder.mkdir(parents=True)
    (folder / "X-1.json").write_text(json.dumps(its))
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("X-1.json", json.dumps(its))
    for database in (tmp_path / "osv", tmp_path / "all.zip"):
        done = script("audit", database, lock)
        assert done.returncode == 1
        assert done.stdout.startswith("alpha 1.5.0: X-1 (CVE-1): a hole; fixed in 1.6\n")
    assert script("audit", tmp_path / "all.zip", lock, "--ignore", "CVE-1").returncode == 0


@pytest.mark.parametrize("content", ["no JSON", "7", "[7]", None])
def test_a_database_that_cannot_be_read_is_no_clean_bill(
    tmp_path: Path, lock: Path, content: str | None
) -> None:
    database = tmp_path / "records.json"
    if content is not None:
        database.write_text(content)
    done = script("audit", database, lock)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert str(database) in done.stderr


def test_the_audit_reads_every_lock_of_the_project(tmp_path: Path) -> None:
    database = tmp_path / "records.json"
    database.write_text("[]")
    done = script("audit", database)
    assert done.returncode == 0, done.stderr
    pins = set()
    for name in ("run", "dev", "ray", "local", "build"):
        lines = (ROOT / "requirements" / f"{name}.txt").read_text().splitlines()
        pins |= {line.split()[0] for line in lines if re.match(r"[a-z0-9].*==", line)}
    assert done.stdout.startswith(f"{len(pins)} pinned distributions, 0 known"), pins


def test_the_bill_of_materials_has_every_pin_with_its_hashes_and_its_place(tmp_path: Path) -> None:
    out, again = tmp_path / "bill.json", tmp_path / "again.json"
    for path in (out, again):
        assert script("sbom", path).returncode == 0
    assert out.read_bytes() == again.read_bytes()
    bill = json.loads(out.read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.5", 1)
    uuid = r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    assert re.fullmatch(uuid, bill["serialNumber"])
    own = bill["metadata"]["component"]
    assert (own["type"], own["name"], own["version"]) == (
        "application",
        project["name"],
        project["version"],
    )
    lock = (ROOT / "requirements" / "run.txt").read_text()
    pins = re.findall(r"^([a-z0-9.-]+)==(\S+)", lock, re.MULTILINE)
    components = bill["components"]
    assert [(one["name"], one["version"]) for one in components] == pins
    hashes = chain.from_iterable(one["hashes"] for one in components)
    assert [digest["content"] for digest in hashes] == re.findall(r"sha256:([0-9a-f]{64})", lock)
    for one in components:
        assert one["purl"] == one["bom-ref"] == f"pkg:pypi/{one['name']}@{one['version']}"
        assert one["type"] == "library"
        assert {digest["alg"] for digest in one["hashes"]} == {"SHA-256"}
    # Every reference leads to a component, and every component is reached from the project.
    needs = {one["ref"]: one["dependsOn"] for one in bill["dependencies"]}
    assert set(needs) == {own["bom-ref"], *(one["bom-ref"] for one in components)}
    reached, todo = set(), [own["bom-ref"]]
    while todo:
        ref = todo.pop()
        if ref not in reached:
            reached.add(ref)
            todo += needs[ref]
    assert reached == set(needs)
    assert len(needs[own["bom-ref"]]) == len(project["dependencies"])
