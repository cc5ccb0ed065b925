"""Tables of scripted players in groups of each size, and of jesters, for the page of sizes.

``python -m tests.docs.sizes`` plays the presets, in half a minute, and prints them.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from parlour.games.engine.game import variant_keys
from parlour.ratings.measures.conditions import condition_name
from parlour.tournament.plan.loader import read_preset
from parlour.tournament.save.reader import Save
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


VOTERS = {"cautious": ("Dee", "Hal"), "bayesian": ("Bea",), "random": ("Ran",)}
"""The agents of the preset ``jester`` that are civilians, by strategy."""


def jesters(folder: Path) -> Iterator[list[str]]:
    """Yields a row for each kind of civilians: matches won by a jester that draws, and hides."""
    printed("run", "--preset", "jester", "--save", "jester.db", cwd=folder)
    won: Counter[tuple[str, str]] = Counter()
    played: Counter[tuple[str, str]] = Counter()
    with Save(folder / "jester.db") as save:
        for match in save.matches():
            agents = dict(zip(match.outcome.roles, match.agents, strict=True))
            met = agents["civilian"], agents["jester"]
            played[met] += 1
            won[met] += match.outcome.ending == "jester"
    for strategy, voters in VOTERS.items():
        cells = [f"`{strategy}`"]
        for jester in ("Dee", "Hal"):
            pairs = [(voter, jester) for voter in voters if voter != jester]
            cells.append(
                f"{sum(won[pair] for pair in pairs)} of {sum(played[pair] for pair in pairs)}"
            )
        yield cells


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        for cells in chain(rows(Path(place)), jesters(Path(place))):
            sys.stdout.write(f"| {' | '.join(cells)} |\n")
