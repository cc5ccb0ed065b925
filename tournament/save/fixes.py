"""Fixes of failed writes to a save."""

FIXES = {
    "database is locked": "close the program that has it open",
    "attempt to write a readonly database": "make the file writable",
    "unable to open database file": "make its folder writable",
}
"""Fixes by SQLite's reason; every other reason is a disk without space."""


def fix_of(reason: str) -> str:
    """Returns what the user does about a failed write."""
    return FIXES.get(reason, "free some space")
