"""Table and figure of scripted tournaments over generations, for the page of norms.

``python -m tests.docs.generations`` prints the table and draws the figure.
"""

from collections.abc import Iterator
from functools import cache
from statistics import fmean

from parlour.games.engine.registry import games
from parlour.site.charts import LINES, CourseLine, lines, scale_of
from parlour.site.figures import Chart
from parlour.site.frame import environment, shared_files
from parlour.tui.look.cast import ShownIdentity
from tests.blocks import ROOT
from tests.games.test_mechanisms import scripted, table

FIGURE = ROOT / "docs" / "generations.svg"
MATCHES = 20
GENERATIONS = 8
SEEN = {"public": "p0", "gossip": "p1", "private": "p2"}
"""The kinds of monitoring, each with its colour."""


@cache
def welfare(monitoring: str) -> tuple[float, ...]:
    """The mean sum of returns of each generation of heirs, over the matches."""
    keys = {"monitoring": monitoring, "generations": GENERATIONS, "agents_per_match": 12}
    matches = [
        scripted(table(games()["donation"], 0, seed, **keys), "heir") for seed in range(MATCHES)
    ]
    returns = [match.outcome.facts["returns"] for match in matches if match.outcome is not None]
    return tuple(fmean(map(sum, each)) for each in zip(*returns, strict=True))


def rows() -> Iterator[list[str]]:
    """Yields a row for each monitoring: the welfare of each generation."""
    for monitoring in SEEN:
        yield [f"`{monitoring}`", *(f"{value + 0.0:.0f}" for value in welfare(monitoring))]


def figure() -> str:
    """The same as lines over the generations."""
    courses = [
        CourseLine(ShownIdentity("", name, colour), list(enumerate(welfare(name), start=1)))
        for name, colour in SEEN.items()
    ]
    body = lines(courses, scale_of([*map(max, map(welfare, SEEN))]), "generation")
    chart = Chart("welfare by generation", "A line for each kind of monitoring.", *LINES, body)
    template = environment().get_template("picture.svg.j2")
    style = shared_files()["style.css"].decode()
    return template.render(one=chart, title="Donation", style=style)


if __name__ == "__main__":
    for row in rows():
        print(f"| {' | '.join(row)} |")
    FIGURE.write_text(figure(), encoding="utf-8")
