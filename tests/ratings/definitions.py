"""Fingerprints of the counts of golden histories, which change with the definitions of counts.

Saves have stored counts, which readers trust while ``COUNTS`` and the game's version are the same.
If counts have changed as they should, raise ``COUNTS`` in ratings/counting/blocks.py (or the
version of the game, if its rules have changed, too), and write the fingerprints again::

    python -m tests.ratings.definitions

It rewrites tests/ratings/definitions.json, unless counts have changed under the same version.
"""

import json
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pydantic import TypeAdapter

from parlour.games.engine.game import BUILT_IN, Game
from parlour.games.engine.moves import Outcome, Seat
from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.engine.registry import games
from parlour.ratings.counting.blocks import counts_version
from parlour.ratings.counting.counted import of_sequences
from parlour.ratings.counting.counts import of_match
from parlour.ratings.counting.lines import DIGITS
from tests.conformance.golden import on_file

FILE = Path(__file__).parent / "definitions.json"
TIMES = 3
"""Matches made of each history, with the agents in other seats, so that there are sequences."""
_OUTCOME = TypeAdapter(Outcome)


def definitions() -> dict[str, dict[str, str]]:
    """The version of the counts of each game, and the fingerprint of those of its histories."""
    return {
        game.name: {"version": counts_version([game]), "counts": fingerprint(game)}
        for game in games().values()
    }


def written() -> dict[str, dict[str, str]]:
    """The definitions on file."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def unnamed_changes(now: dict[str, dict[str, str]]) -> list[str]:
    """The games whose counts have changed under the version that is on file."""
    before = written() if FILE.exists() else {}
    return [
        name
        for name, definition in now.items()
        if name in before
        and definition["version"] == before[name]["version"]
        and definition["counts"] != before[name]["counts"]
    ]


def fingerprint(game: Game) -> str:
    """The fingerprint of everything that is counted of a game's golden histories."""
    records = list(_records(game))
    lines = []
    for record in records:
        lines += [(record.number, *count) for count in of_match(record)]
    for record, count in of_sequences(records):
        lines.append((-record.number, *count))
    digest = blake2b(digest_size=8)
    for *names, k, n in sorted(lines):
        digest.update(f"{names} {round(float(k), DIGITS)} {round(float(n), DIGITS)}\n".encode())
    return digest.hexdigest()


def _records(game: Game) -> Iterator[MatchRecord]:
    histories = on_file(game)
    assert histories is not None
    for number in range(len(histories) * TIMES):
        yield _record(game, histories[number // TIMES], number)


def _record(game: Game, history: dict[str, Any], number: int) -> MatchRecord:
    outcome = _OUTCOME.validate_python(history["outcome"])
    answers = tuple(
        Answered(
            *(event["ask"], event["kind"], event["round"], Seat(event["by"])),
            *(event["record"], event["fault"]),
        )
        for event in history["events"]
        if event["by"] is not None
    )
    players = {answer.seat for answer in answers}
    seats = range(len(outcome.roles))
    keys = game.variant.model_fields.keys() & history["setting"].keys()
    variant = game.variant.model_validate({key: history["setting"][key] for key in sorted(keys)})
    condition = game.condition(variant)
    setting = game.setting.model_validate(history["setting"], strict=False)
    return MatchRecord(
        number=number + 1,
        game=game.name,
        condition=condition,
        setting="a setting",
        agents=tuple(
            f"agent {(seat + number) % 3}" if Seat(seat) in players else BUILT_IN for seat in seats
        ),
        counted=tuple(sorted(players)),
        outcome=outcome,
        answers=answers,
        experiment=condition,
        covariates=game.counting.covariates(SimpleNamespace(difficulty=None), setting),
    )


def main() -> None:
    """Writes the fingerprints again."""
    now = definitions()
    if changed := unnamed_changes(now):
        names = ", ".join(changed)
        sys.exit(f"The counts of {names} have changed: first raise COUNTS in counting/blocks.py")
    FILE.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
