"""Table of scripted players in groups of each size, for the page of sizes.

``python -m tests.docs.sizes`` plays the preset, in half a minute, and prints it.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from parlour.games.engine.game import variant_keys
from parlour.ratings.measures.conditions import condition_name
from parlour.tournament.plan.loader import read_preset
from tests.tournaments import printed, printed_json


def rows(folder: Path) -> Iterator[list[str]]:
    """Yields a row for each game and group: what each player won of what it could win."""
    printed("run", "--preset", "sizes", "--save", "sizes.db", cwd=folder)
    body = printed_json(
        "leaderboard", "sizes.db", "--by", "condition", "--format", "json", cwd=folder
    )
    won = {}
    for row in body["standings"]:
        share = row["measures"]["win_rate"]
        text = f"{share['value']:.2f} [{share['low']:.2f}, {share['high']:.2f}]"
        won[row["game"], row["condition"], row["agent"]] = text
    for entry in read_preset("sizes").games:
        keys = variant_keys(type(entry.variant), entry.condition)
        rules = f"{keys['clue_rounds']:g}" + (
            ", elimination and talk" if keys["elimination"] else ""
        )
        group = f"{keys['players']:g}", f"{keys['special_seats']:g}", rules
        place = entry.game.name, condition_name(entry.condition)
        cells = [won[*place, name] for name in ("Bea", "Cal", "Ran")]
        yield [f"`{entry.game.name}`", *group, *cells]


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        for cells in rows(Path(place)):
            sys.stdout.write(f"| {' | '.join(cells)} |\n")
