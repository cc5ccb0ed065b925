"""What a user likes: theme, keys and layout, read from one file and remembered in it."""

import json
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parlour.games.common.errors import BadInput

LAYOUTS = ("auto", "columns", "stacked", "no side")
"""How the live screen is laid out; auto takes columns where there is room for them."""


@dataclass(slots=True)
class Settings:
    """The contents of the configuration file. ``keys`` maps the id of a binding to its keys."""

    path: Path
    theme: str = "textual-dark"
    layout: str = LAYOUTS[0]
    keys: dict[str, str] = field(default_factory=dict)

    def remember(self) -> None:
        """Writes the file; a folder that cannot be written costs only the remembering."""
        lines = [f"theme = {json.dumps(self.theme)}", f"layout = {json.dumps(self.layout)}"]
        lines += [
            "",
            "[keys]",
            *(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in self.keys.items()),
        ]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            draft = self.path.with_name(f".{self.path.name}.{os.getpid()}.new")
            draft.write_text("\n".join(lines) + "\n", encoding="utf-8")
            os.replace(draft, self.path)
        except OSError:
            return


def settings_file() -> Path:
    """Where the settings are: below XDG_CONFIG_HOME, by default ~/.config."""
    base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(base).expanduser() / "parlour" / "config.toml"


def read_settings(path: Path | None = None) -> Settings:
    """The user's settings, or the defaults. BadInput naming file, field and value if one is off."""
    path = path or settings_file()
    settings = Settings(path)
    try:
        found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return settings
    except (OSError, ValueError) as error:
        raise BadInput(str(path), f"cannot be read ({error})", "fix it or remove it") from None
    settings.theme = str(found.get("theme", settings.theme))
    settings.layout = str(found.get("layout", settings.layout))
    if settings.layout not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        raise BadInput(f"{path}: layout", f"unknown layout {settings.layout!r}", f"known: {known}")
    keys = found.get("keys", {})
    if not isinstance(keys, dict) or not all(isinstance(key, str) for key in keys.values()):
        raise BadInput(f"{path}: keys", "is not a table of texts", 'write "live.pause" = "space"')
    settings.keys = dict(keys)
    return settings
