"""Table of all actions with their keys, for the page of the screens.

``python -m tests.docs.keys`` writes it into docs/screens.md again.
"""

import re

from parlour.tui.app import ParlourApp
from parlour.tui.bindings import actions
from tests.blocks import ROOT

PAGE = ROOT / "docs" / "screens.md"
TITLE = "Actions"


def keys_page(text: str) -> str:
    """The text of the page with its table of actions as it must be, at its end."""
    lines = [
        f"## {TITLE}",
        "",
        "`parlour list keys` prints this table, with your own keys.",
        "",
        "| Action | Keys | Description | Place |",
        "| --- | --- | --- | --- |",
    ]
    for action in actions(ParlourApp):
        keys = " ".join(f"`{key}`" for key in action.shown_keys({}).split(" "))
        lines.append(f"| `{action.name}` | {keys} | {action.description} | {action.place} |")
    before = re.sub(rf"^## {TITLE}\n.*", "", text, flags=re.MULTILINE | re.DOTALL)
    return before.rstrip() + "\n\n" + "\n".join(lines) + "\n"


def main() -> None:
    """Writes the table."""
    PAGE.write_text(keys_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
