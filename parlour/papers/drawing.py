"""Figures of a paper, drawn with matplotlib (the extra ``figures``)."""

import logging
import math
import warnings
from collections.abc import Sequence
from io import BytesIO
from textwrap import fill
from typing import TYPE_CHECKING, Any

from parlour.games.common.packages import needing
from parlour.games.common.text import one_line
from parlour.ratings.papers.filling import ExhibitCell, FilledTable
from parlour.tui.look.palette import DAY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, RULE = DAY.text, DAY.grid
CHARACTERS_PER_INCH = 11
"""Characters of a title on an inch."""
SPREAD = 0.4
"""Share of a box's place over which its points are spread."""
GOLDEN = (math.sqrt(5) - 1) / 2
LONGEST_NAME = 24
"""Characters of an agent's name below a figure."""


def refuse_missing_extra() -> None:
    """Raises BadInput if matplotlib is not installed."""
    with needing("matplotlib", "figures", ", or leave figures out: --no-figures"):
        import matplotlib  # noqa: F401


def drawn(filled: FilledTable) -> dict[str, bytes]:
    """The figure as SVG and PNG, by suffix. The same figure gives the same SVG."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    settings: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": "parlour",
        "font.family": "sans-serif",
        "text.parse_math": False,  # a name is text, whatever signs it has
        "text.color": INK,
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
    }
    # It says that it looks for fonts, and which characters the font of a picture lacks.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    files = {}
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=_size(filled), layout="constrained")
        FigureCanvasAgg(figure)
        DRAWING[filled.exhibit.kind](figure, filled)
        figure.suptitle(_title(filled), fontsize=11)
        for suffix, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
            buffer = BytesIO()
            figure.savefig(buffer, format=suffix, dpi=200, metadata=metadata)
            files[suffix] = buffer.getvalue()
    return files


def _size(filled: FilledTable) -> tuple[float, float]:
    """Width and height in inches; wider for many agents."""
    if filled.exhibit.kind == "radar":
        columns = min(3, len(filled.rows))
        return 3.2 * columns, 3.4 * math.ceil(len(filled.rows) / columns)
    return max(5.0, 1.2 + 0.28 * len(filled.rows) * (2 + len(filled.columns))), 3.6


def _title(filled: FilledTable) -> str:
    """The title, in lines that fit the figure."""
    width, _height = _size(filled)
    return fill(filled.exhibit.title, int(width * CHARACTERS_PER_INCH))


def _named(rows: Sequence[str]) -> list[str]:
    """Names of agents, on one line and short enough to stand below a bar."""
    lines = map(one_line, rows)
    return [n if len(n) <= LONGEST_NAME else f"{n[: LONGEST_NAME - 1]}…" for n in lines]


def _by_column(filled: FilledTable) -> list[tuple[str, list[ExhibitCell]]]:
    """The cells of each column, row by row."""
    columns: dict[str, list[ExhibitCell]] = {}
    for cell in filled.cells:
        columns.setdefault(cell.column, []).append(cell)
    return list(columns.items())


def _times(filled: FilledTable) -> float:
    """100 for percent, 1 otherwise."""
    return 100.0 if filled.exhibit.show == "percent" else 1.0


def _axes(figure: "Figure", filled: FilledTable) -> Any:
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xticks(range(len(filled.rows)), _named(filled.rows))
    axes.tick_params(axis="x", length=0, rotation=30 if len(filled.rows) > 6 else 0)
    if filled.exhibit.show == "percent":
        axes.set_ylabel("%")
    return axes


def _bars(figure: "Figure", filled: FilledTable) -> None:
    """Grouped bars with intervals; a mean has its standard error as in the paper."""
    axes, times = _axes(figure, filled), _times(filled)
    columns = _by_column(filled)
    width = 0.8 / len(columns)
    for place, (title, cells) in enumerate(columns):
        with_value = [(at, cell) for at, cell in enumerate(cells) if cell.value is not None]
        if not with_value:
            continue
        at = [x - 0.4 + width * (place + 0.5) for x, _cell in with_value]
        heights = [times * float(cell.value or 0) for _x, cell in with_value]
        ends = [_ends(cell, times) for _x, cell in with_value]
        errors = [[low for low, _high in ends], [high for _low, high in ends]]
        style = {"ecolor": INK, "capsize": 2, "error_kw": {"linewidth": 0.8}}
        axes.bar(
            at, heights, width * 0.92, yerr=errors, color=DAY.person(place), label=title, **style
        )
    _legend(figure, axes, len(columns))


def _ends(cell: ExhibitCell, times: float) -> tuple[float, float]:
    """The lengths of the whiskers below and above a value."""
    value = cell.value or 0.0
    if cell.show == "mean":
        error = times * (cell.se or 0.0)
        return error, error
    low = value if cell.low is None else cell.low
    high = value if cell.high is None else cell.high
    return times * max(0.0, value - low), times * max(0.0, high - value)


def _stacked(figure: "Figure", filled: FilledTable) -> None:
    """Shares that add up to 1, in one bar an agent."""
    axes = _axes(figure, filled)
    axes.set_ylim(0, 1)
    bottoms = [0.0] * len(filled.rows)
    for place, (title, cells) in enumerate(_by_column(filled)):
        heights = [cell.value or 0.0 for cell in cells]
        axes.bar(
            range(len(cells)), heights, 0.7, bottom=bottoms, color=DAY.person(place), label=title
        )
        bottoms = [bottom + height for bottom, height in zip(bottoms, heights, strict=True)]
    _legend(figure, axes, len(filled.columns))


def _box(figure: "Figure", filled: FilledTable) -> None:
    """The values of single matches: median, quartiles and range, each as a point, and the mean."""
    axes = _axes(figure, filled)
    columns = _by_column(filled)
    width = 0.8 / len(columns)
    for place, (title, cells) in enumerate(columns):
        colour = DAY.person(place)
        with_values = [(at, cell) for at, cell in enumerate(cells) if cell.each]
        if not with_values:
            continue
        at = [x - 0.4 + width * (place + 0.5) for x, _cell in with_values]
        axes.boxplot(
            [cell.each for _at, cell in with_values],
            positions=at,
            widths=width * 0.7,
            showfliers=False,
            manage_ticks=False,
            patch_artist=True,
            boxprops={"facecolor": "none", "edgecolor": colour},
            medianprops={"color": colour, "linewidth": 2},
            whiskerprops={"color": colour},
            capprops={"color": colour},
        )
        for x, (_at, cell) in zip(at, with_values, strict=True):
            across = [x + width * SPREAD * _apart(number) for number in range(len(cell.each))]
            axes.scatter(across, cell.each, s=8, color=colour, alpha=0.5)
            ends = [[end] for end in _ends(cell, _times(filled))]
            axes.errorbar([x], [cell.value], ends, fmt="D", color=INK, markersize=4, capsize=3)
        axes.plot([], [], color=colour, linewidth=2, label=title)
    _legend(figure, axes, len(columns))


def _apart(number: int) -> float:
    """Places of points between -.5 and .5 that lie apart, the same for the same number."""
    return (number * GOLDEN) % 1 - 0.5


def _radar(figure: "Figure", filled: FilledTable) -> None:
    """One polygon an agent over the columns, each from 0 to 1."""
    titles = filled.columns
    angles = [2 * math.pi * place / len(titles) for place in range(len(titles))]
    across = min(3, len(filled.rows))
    for place, row in enumerate(filled.rows):
        axes: Any = figure.add_subplot(
            math.ceil(len(filled.rows) / across), across, place + 1, projection="polar"
        )
        axes.set_theta_offset(math.pi / 2)
        axes.set_theta_direction(-1)
        axes.set_ylim(0, 1)
        axes.set_yticks([0.25, 0.5, 0.75, 1], [""] * 4)
        axes.set_xticks(angles, titles, fontsize=7)
        axes.tick_params(axis="x", pad=6)
        axes.grid(color=RULE, linewidth=0.6)
        values = [cell.value or 0.0 for cell in filled.cells if cell.row == row]
        colour = DAY.person(place)
        axes.fill([*angles, angles[0]], [*values, values[0]], color=colour, alpha=0.2)
        axes.plot([*angles, angles[0]], [*values, values[0]], color=colour, linewidth=1.5)
        axes.set_title(_named([row])[0], fontsize=10)


def _legend(figure: "Figure", axes: Any, columns: int) -> None:
    if columns > 1:
        handles, labels = axes.get_legend_handles_labels()
        across = min(5, columns)
        figure.legend(
            handles, labels, frameon=False, fontsize=8, ncols=across, loc="outside lower center"
        )


DRAWING = {"bars": _bars, "stacked": _stacked, "box": _box, "radar": _radar}
"""The function that draws each kind of figure."""
