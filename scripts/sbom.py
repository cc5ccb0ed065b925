"""Writes the bill of materials: what an installation of Parlour consists of, by the locks.

.venv/bin/python scripts/sbom.py [OUT]

The file is CycloneDX 1.5 JSON. The same locks give the same bytes. Each component has the SHA-256
of every file (wheels and sdist) that its lock accepts.
"""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from locks import ROOT, Pin, read_lock

OUT = ROOT / "dist" / "parlour.cdx.json"


def purl(name: str, version: str) -> str:
    """The package URL of a distribution."""
    return f"pkg:pypi/{name}@{version}"


def bill_of_materials(pins: list[Pin], project: dict[str, Any]) -> dict[str, Any]:
    """The bill of materials of a project (the table of pyproject.toml) and its pins."""
    own = purl(project["name"], project["version"])
    refs = {pin.name: purl(pin.name, pin.version) for pin in pins}
    needs: dict[str, list[str]] = {own: [], **{ref: [] for ref in refs.values()}}
    for pin in pins:
        for name in pin.needed_by:
            needs[refs[name]].append(refs[pin.name])
    # Directly needed is what pyproject.toml names; a lock may name it as needed by others too.
    direct = {word.partition(">")[0] for word in project["dependencies"]}
    needs[own] = [ref for name, ref in refs.items() if name in direct]
    components = [_component(pin) for pin in pins]
    content = json.dumps([own, components], sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": project["name"],
                "version": project["version"],
                "purl": own,
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": components,
        "dependencies": [{"ref": ref, "dependsOn": sorted(on)} for ref, on in needs.items()],
    }


def _component(pin: Pin) -> dict[str, Any]:
    ref = purl(pin.name, pin.version)
    return {
        "type": "library",
        "bom-ref": ref,
        "name": pin.name,
        "version": pin.version,
        "purl": ref,
        "hashes": [{"alg": "SHA-256", "content": digest} for digest in pin.hashes],
    }


def main(words: list[str]) -> int:
    """Writes the file and prints its name."""
    out = Path(words[0]) if words else OUT
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bill = bill_of_materials(read_lock(ROOT / "requirements" / "run.txt"), project)
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps(bill, indent=2) + "\n", encoding="utf-8")
    print(f"Written: {out}, {len(bill['components'])} components")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
