"""The command `keys`."""

import json

from parlour.cli.console_tables import print_note, print_table
from parlour.cli.options import TableOrJson
from parlour.tui.app import ParlourApp
from parlour.tui.bindings import actions, check_keys
from parlour.tui.settings import read_settings


def keys(format: TableOrJson = "table") -> int:
    """List the actions of the screens with their names and keys."""
    settings = read_settings()
    check_keys(ParlourApp, settings)
    own = settings.keys
    rows = [
        [action.name, action.shown_keys(own), action.description, action.place]
        for action in actions(ParlourApp)
    ]
    if format == "json":
        names = ("action", "keys", "description", "place")
        print(json.dumps([dict(zip(names, row, strict=True)) for row in rows], indent=2))
        return 0
    print_table(["Action", "Keys", "Description", "Place"], rows)
    print_note(f"Own keys: the table [keys] of {settings.path}.")
    return 0
