"""The tables of calibration in docs/inference.md, made from the stored figures alone.

``python -m tests.calibration.page`` writes them again.
"""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from tests.blocks import ROOT, text_of
from tests.calibration.figures import Row, Share, pooled, problems, shares_of

DATA = ROOT / "tests" / "data" / "calibration.json"
PAGE = "docs/inference.md"
BEGIN, END = "<!-- calibration: made by `make calibration` -->", "<!-- calibration: end -->"
NOTHING = "–"


def on_file() -> dict[str, Any]:
    """Returns the stored studies: "now", and "before" independent seeds were the default."""
    return json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}


def renew() -> str:
    """Writes the tables into the page again, and returns them."""
    text, made = text_of(PAGE), tables(on_file())
    pattern = re.escape(BEGIN) + ".*?" + re.escape(END)
    (ROOT / PAGE).write_text(
        re.sub(pattern, lambda _: made, text, flags=re.DOTALL), encoding="utf-8"
    )
    return made


def tables(studies: dict[str, Any]) -> str:
    """Returns the part of the page that is made from the studies."""
    parts = [BEGIN]
    if now := studies.get("now"):
        parts += [_made(now), _plans(now["rows"]), _measures(now["rows"])]
        if before := studies.get("before"):
            parts += ["Before and now, the same plans:", _both(before, now)]
    return "\n\n".join([*parts, END])


def _made(study: dict[str, Any]) -> str:
    seconds = sum(row["seconds"] for row in study["rows"])
    plans: dict[str, list[str]] = {}
    for row in study["rows"]:
        plans.setdefault(row["code"], []).append(row["plan"])
    (most, *others) = sorted(plans, key=lambda code: -len(plans[code]))
    parts = "".join(f" Code {code}: {', '.join(plans[code])}." for code in others)
    return (
        f"Measured on {study['date']} with version {study['version']}, {seconds / 60:.0f} CPU "
        f"minutes, by code {most}.{parts}"
    )


def _table(titles: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    every = [titles, ["---"] * len(titles), *lines]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in every)


def _cell(row: Row, kind: str, *of: str) -> str:
    """Returns the share of a kind: of these, pooled over all if none is named."""
    shares = shares_of(row, kind)
    chosen = pooled(shares[each] for each in (of or shares) if each in shares)
    return NOTHING if chosen is None else str(chosen)


def _plans(rows: Sequence[Row]) -> str:
    titles = (
        *("Plan", "Tournaments", "Matches", "False boards", "of a game", "of a role"),
        *("Strength", "Measures", "Differences", "p ≤ .05", "Kolmogorov", "Seconds", "Outside"),
    )
    lines = []
    for row in rows:
        least = min((p for _, p in row["kolmogorov"].values()), default=None)
        lines.append(
            [
                *(row["plan"], row["tournaments"], f"{row['matches']:,}"),
                *(_cell(row, "board", kind) for kind in ("overall", "game", "role")),
                _cell(row, "strength") if shares_of(row, "strength") else _cell(row, "rated"),
                *(_cell(row, kind) for kind in ("measure", "difference", "small p")),
                NOTHING if least is None else f"{least:.3f}",
                f"{row['seconds']:.0f}",
                "; ".join(problems(row)),
            ]
        )
    return _table(titles, lines)


def _measures(rows: Sequence[Row]) -> str:
    """Returns a line for each measure, over all plans that have it."""
    shares_by_measure: dict[str, list[tuple[Share, str]]] = {}
    for row in rows:
        for measure, share in shares_of(row, "measure").items():
            shares_by_measure.setdefault(measure, []).append((share, row["plan"]))
    lines = []
    for measure, shares in sorted(shares_by_measure.items()):
        low, plan = min(shares, key=lambda each: each[0].k / each[0].n)
        whole = pooled(share for share, _ in shares)
        lines.append([f"`{measure}`", len(shares), whole.n, whole, f"{plan}: {low}"])
    return _table(("Measure", "Plans", "Intervals", "Hold", "Least"), lines)


def _both(before: dict[str, Any], now: dict[str, Any]) -> str:
    """Returns every plan of the study before, with its figures of now."""
    titles = ("Plan", "Tournaments", "False boards", "Strength", "Measures", "p ≤ .05")
    after = {row["plan"]: row for row in now["rows"]}
    lines = []
    for row in (row for row in before["rows"] if row["plan"] in after):
        pairs = zip(_main_figures(row), _main_figures(after[row["plan"]]), strict=True)
        lines.append([row["plan"], *(f"{old} → {new}" for old, new in pairs)])
    return _table(titles, lines)


def _main_figures(row: Row) -> list[object]:
    strength = ("rated",) if shares_of(row, "rated") else ("strength", "overall")
    kinds = (("board", "overall"), strength, ("measure",), ("small p",))
    return [row["tournaments"], *(_cell(row, *kind) for kind in kinds)]


if __name__ == "__main__":
    renew()
