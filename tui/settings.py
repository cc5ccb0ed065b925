"""The user's settings: theme, keys and layout, read from one file and stored in it."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from parlour.agents.llm.keys import settings_file
from parlour.games.common.errors import BadInput
from parlour.tui.look.themes import default_theme

LAYOUTS = ("auto", "columns", "stacked", "wide talk")
"""The layouts of the live screen; auto uses columns where there is room for them."""
GLYPHS = ("fancy", "plain")
"""The sets of signs; plain ones are in every font and one column wide everywhere."""


@dataclass(slots=True)
class Settings:
    """The contents of the configuration file.

    ``keys`` maps the id of a binding to its keys. ``bell`` rings when a watched match ends;
    ``notify`` tells of the end of a run that was left.
    """

    path: Path
    theme: str = field(default_factory=default_theme)
    layout: str = LAYOUTS[0]
    glyphs: str = GLYPHS[0]
    bell: bool = False
    notify: bool = True
    keys: dict[str, str] = field(default_factory=dict)

    def store(self) -> str | None:
        """Writes theme and layout into the file; everything else in it stays as it is.

        Returns the problem in one line if the file cannot be changed, which is then untouched.
        """
        try:
            document = _document(self.path)
            document["theme"] = self.theme
            document["layout"] = self.layout
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Replaced in one step: another process never reads half a file.
            draft = self.path.with_name(f".{self.path.name}.{os.getpid()}.new")
            draft.write_text(tomlkit.dumps(document), encoding="utf-8", newline="")
            os.replace(draft, self.path)
        except BadInput as error:
            return str(error)
        except OSError as error:
            reason = f"cannot be written ({error.strerror})"
            return f"{self.path}: {reason}; the change is lost when you quit"
        return None


def read_settings(path: Path | None = None) -> Settings:
    """Returns the user's settings, or the defaults where there is no file.

    Raises BadInput naming file, field and value if one of them is invalid.
    """
    path = path or settings_file()
    settings = Settings(path)
    values = _document(path).unwrap()
    settings.theme = str(values.get("theme", settings.theme))
    for key, known in (("layout", LAYOUTS), ("glyphs", GLYPHS)):
        value = str(values.get(key, getattr(settings, key)))
        if value not in known:
            raise BadInput(
                f"{path}: {key}", f"unknown {key} {value!r}", f"known: {', '.join(known)}"
            )
        setattr(settings, key, value)
    for key in ("bell", "notify"):
        wanted = values.get(key, getattr(settings, key))
        if not isinstance(wanted, bool):
            problem = f"{wanted!r} is neither true nor false"
            raise BadInput(f"{path}: {key}", problem, f"write {key} = true")
        setattr(settings, key, wanted)
    keys = values.get("keys", {})
    if not isinstance(keys, dict) or not all(isinstance(key, str) for key in keys.values()):
        raise BadInput(f"{path}: keys", "is not a table of strings", 'write "live.pause" = "space"')
    settings.keys = dict(keys)
    return settings


def _document(path: Path) -> tomlkit.TOMLDocument:
    """The file with its comments and order, empty if there is none. Raises BadInput."""
    try:
        return tomlkit.parse(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        return tomlkit.document()
    except (OSError, ValueError, RecursionError, TOMLKitError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInput(str(path), f"cannot be read ({reason})", "fix it or remove it") from None
