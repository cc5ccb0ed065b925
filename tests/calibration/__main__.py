"""Plays the plans with identical agents, and renews the tables of docs/inference.md.

Tournaments that were played with the same code are stored in the folder build, so that a study can
be interrupted and enlarged. Rows of plans that were not played stay as they were. Exit code 1: a
figure is outside its bounds.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.metadata import version
from itertools import chain, product
from multiprocessing import get_context
from pathlib import Path

from tests.blocks import ROOT
from tests.calibration.figures import Row, doubtful, problems, row_of
from tests.calibration.page import DATA, on_file, renew
from tests.calibration.plans import PLANS
from tests.calibration.playing import Result, played

SIZES = {"small": 20, "full": 200}
"""Tournaments of each plan."""
FRESH, TIMES = 1001, 5
"""Of some 500 shares a few are outside by chance. So a plan with one is played again, with seeds
from the first on, so many times as often. Its figures are those of the second study alone, which
decides on what was outside in the first: else each second study would bring chances of its own."""
ROOMS = ("games", "agents", "tournament", "ratings")
"""Folders whose files play and rate."""


def code() -> str:
    """Returns the fingerprint of the code that plays and rates."""
    digest = blake2b(digest_size=4)
    paths = [ROOT / "tests" / "calibration" / name for name in ("plans.py", "playing.py")]
    for room in ROOMS:
        paths += sorted((ROOT / room).rglob("*"))
    for path in paths:
        if path.suffix in {".py", ".json", ".toml"}:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def read(study: Path) -> dict[str, list[Result]]:
    """Returns the tournaments of a study by plan; one that was half written does not count."""
    known: dict[str, list[Result]] = defaultdict(list)
    if study.exists():
        for line in study.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                result = json.loads(line)
                known[result["plan"]].append(result)
    return known


def enlarge(study: Path, plans: Sequence[str], seeds: range, processes: int) -> None:
    """Plays what a study lacks, and appends each tournament when it is over."""
    known = read(study)
    done = {(each["plan"], each["seed"]) for each in chain.from_iterable(known.values())}
    # Seed by seed, so that all plans grow alike.
    tasks = product(seeds, plans)
    lacking = [(PLANS[plan], seed) for seed, plan in tasks if (plan, seed) not in done]
    study.parent.mkdir(parents=True, exist_ok=True)
    with (
        study.open("a", encoding="utf-8") as file,
        ProcessPoolExecutor(processes, get_context("spawn")) as pool,
    ):
        playing = [pool.submit(played, *each) for each in lacking]
        try:
            for number, played_one in enumerate(as_completed(playing), 1):
                print(f"\r{number}/{len(lacking)}", end="", file=sys.stderr, flush=True)
                file.write(json.dumps(played_one.result()) + "\n")
                file.flush()
        finally:
            pool.shutdown(cancel_futures=True)
    print(file=sys.stderr)


def rows(study: Path) -> list[Row]:
    """Returns the figures of every plan of a study, in the order of the plans."""
    known, made = read(study), []
    for name, plan in PLANS.items():
        first = [result for result in known[name] if result["seed"] < FRESH]
        again = [result for result in known[name] if result["seed"] >= FRESH]
        if again:
            made.append({**row_of(again, plan), "doubtful": doubtful(row_of(first, plan))})
        elif first:
            made.append(row_of(first, plan))
    return made


def main() -> None:
    """Plays, writes and prints."""
    parser = argparse.ArgumentParser(prog="python -m tests.calibration", description=__doc__)
    parser.add_argument("plans", nargs="*", metavar="PLAN", help=f"of {'; '.join(PLANS)}")
    parser.add_argument("--size", choices=SIZES, default="small", help="20 or 200 tournaments each")
    parser.add_argument("--tournaments", type=int, help="so many instead")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--study", type=Path, help="the file of tournaments, of any code")
    parser.add_argument("--before", action="store_true", help='keep it as the columns "before"')
    wanted = parser.parse_args()
    if unknown := [name for name in wanted.plans if name not in PLANS]:
        parser.error(f"there is no plan {unknown[0]!r}")
    study = wanted.study or ROOT / "build" / "calibration" / f"{code()}.jsonl"
    count = wanted.tournaments or SIZES[wanted.size]
    plans = wanted.plans or [*PLANS]
    enlarge(study, plans, range(1, count + 1), wanted.processes)
    again = [row["plan"] for row in rows(study) if problems(row) and row["plan"] in plans]
    enlarge(study, again, range(FRESH, FRESH + TIMES * count), wanted.processes)
    stored = on_file()
    kind = "before" if wanted.before else "now"
    by_plan = {row["plan"]: row for row in stored.get(kind, {}).get("rows", [])}
    for row in rows(study):
        if row["tournaments"] >= count:
            by_plan[row["plan"]] = {**row, "code": study.stem}
    made = {
        "version": version("parlour"),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "rows": [by_plan[name] for name in PLANS if name in by_plan],
    }
    body = {**stored, kind: made}
    DATA.write_text(json.dumps(body, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(renew())
    outside = [row for row in made["rows"] if problems(row)]
    for row in outside:
        print(f"{row['plan']}: {'; '.join(problems(row))}")
    sys.exit(1 if outside else 0)


if __name__ == "__main__":
    main()
