"""The command `trust`, and the same question where a tournament is to be played."""

import sys
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from parlour.cli.output import program, safe_print
from parlour.tournament.plan.additions import part_of_file
from parlour.tournament.plan.loader import read_tournament
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.toml_source import is_sqlite_file
from parlour.tournament.save.reader import Save
from parlour.tournament.trust.consent import agree, consent_file, refuse_untrusted, unagreed
from parlour.tournament.trust.needs import Need, needs


def trust(file: Path, show: bool = False) -> int:
    """Agree to what a file or save does with keys, code and servers."""
    tournament = _tournament(file)
    needed = needs(tournament)
    if not needed:
        safe_print(f"{file}: needs no consent")
        return 0
    _print(file, needed)
    if show:
        again = f"Agree with: {program()} trust {quote(str(file))}"
        safe_print(again if unagreed(tournament) else "You have agreed to all of this.")
        return 0
    if _on_terminal() and not _confirmed():
        safe_print("Agreed to nothing.")
        return 1
    _agree(needed)
    safe_print(f"Agreed. Stored in {consent_file()}; a change of any of this needs a new consent.")
    return 0


def settle(tournament: Tournament) -> None:
    """Asks on a terminal for the consent that a tournament lacks. Untrusted unless it is given."""
    left = unagreed(tournament)
    if left and tournament.source and _on_terminal():
        _print(tournament.source.path, left)
        if _confirmed():
            _agree(left)
            return
    if left:
        refuse_untrusted(tournament)


def _on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _agree(given: Sequence[Need]) -> None:
    if note := agree(given):
        safe_print(f"parlour: {note}", file=sys.stderr)


def _confirmed() -> bool:
    """Asks until the answer is yes or no; Enter and the end of the input are a no."""
    while True:
        print("Do you agree to all of this? [y/N]: ", end="", flush=True)
        answer = sys.stdin.readline().strip().lower()
        if answer in {"y", "yes"}:
            return True
        if answer in {"", "n", "no"}:
            return False
        safe_print("Please answer y or n.", flush=True)


def settle_save(path: Path) -> None:
    """The same for a save."""
    with Save(path) as save:
        settle(save.tournament)


def _tournament(path: Path) -> Tournament:
    if not is_sqlite_file(path):
        return part_of_file(path) or read_tournament(path)
    with Save(path) as save:
        return save.tournament


def _print(path: Path, listed: Sequence[Need]) -> None:
    safe_print(f"{path} needs your consent:", flush=True)
    for need in listed:
        safe_print(f"- {need.line}", flush=True)
