"""Consent of the user of the tests: to their own servers on this machine, and to their files."""

from pathlib import Path

from parlour.tournament.plan.loader import read_tournament
from parlour.tournament.trust.consent import agree
from parlour.tournament.trust.needs import needs

KEYS = ("OPENAI_API_KEY", "ADAS_KEY", "WHERE_IT_IS", "OWN_KEY", "OTHER_KEY", "NOWHERE_KEY")
"""Variables whose keys the suite sends to its own servers."""


def own_config(base: Path, keys: str = "") -> str:
    """Makes a folder of settings with a keys file, and returns it as XDG_CONFIG_HOME.

    A keys file that is there already stays. ``keys`` are lines with keys.
    """
    path = base / "parlour" / "keys.toml"
    if path.exists():
        return str(base)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(f'{name} = ["127.0.0.1"]\n' for name in KEYS)
    path.write_text(f"{keys}\n[hosts]\n{lines}", encoding="utf-8")
    path.chmod(0o600)
    return str(base)


def agreed(file: Path) -> Path:
    """Agrees to what a tournament file does, as `parlour trust` does; returns the file."""
    agree(needs(read_tournament(file)))
    return file
