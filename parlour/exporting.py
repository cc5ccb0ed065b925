"""Exporting: matches, seats and answers of a save as flat tables."""

import csv
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from games.errors import BadInput
from games.text import clean_all
from parlour.harmless import print
from ratings.report import inert
from tournament.opening import damaged
from tournament.replay import trusting
from tournament.rows import StoredAnswer
from tournament.save import Save

COLUMNS = {
    "matches": ("match", "game", "condition", "experiment", "setting", "seed", "ending", "frozen"),
    "seats": ("match", "seat", "agent", "counted", "role", "side", "payoff", "won"),
    "answers": (
        "match",
        "ask",
        "round",
        "kind",
        "seat",
        "agent",
        "value",
        "fault",
        "tries",
        "notes",
        "seq",
    ),
}
"""The columns of each table; docs/export.md says what they mean."""

Cells = dict[str, object]


def export(path: Path, format: Literal["jsonl", "csv"], out: Path) -> int:
    """Writes one file a table into the folder, replacing files of the same names."""
    with Save(path) as save, trusting(save):
        try:
            out.mkdir(parents=True, exist_ok=True)
            for name, rows in (
                ("matches", _matches(save)),
                ("seats", _seats(save)),
                ("answers", _answers(save)),
            ):
                target = out / f"{name}.{format}"
                count = _write(target, COLUMNS[name], rows, format)
                print(f"Written: {target} ({count} rows)")
        except OSError as error:
            place = error.filename or out
            raise BadInput(
                str(place), f"cannot be written ({error.strerror})", "choose another --out"
            ) from None
    return 0


def _write(target: Path, columns: Iterable[str], rows: Iterable[Cells], format: str) -> int:
    """Writes a table whole or not at all; returns how many rows it has."""
    draft = target.with_name(target.name + ".new")
    count = 0
    with draft.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(columns), lineterminator="\n")
        if format == "csv":
            table.writeheader()
        for row in rows:
            count += 1
            if format == "csv":
                table.writerow(_flat(row))
            else:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    os.replace(draft, target)
    return count


def _flat(row: Mapping[str, object]) -> Cells:
    """Cells of a CSV row: nested values as JSON, nothing that a spreadsheet would run."""
    return {
        key: inert(value)
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False)
        if isinstance(value, dict | list)
        else value
        for key, value in row.items()
    }


def _matches(save: Save) -> Iterator[Cells]:
    for match in save.matches():
        yield {
            "match": match.number,
            "game": match.game,
            "condition": match.condition,
            "experiment": match.experiment,
            "setting": match.setting_key,
            "seed": match.seed,
            "ending": match.outcome.ending if match.outcome else None,
            "frozen": match.frozen,
        }


def _seats(save: Save) -> Iterator[Cells]:
    for match in save.matches():
        outcome = match.outcome
        for seat, agent in enumerate(match.agents):
            yield {
                "match": match.number,
                "seat": seat,
                "agent": agent,
                "counted": seat in match.counted,
                "role": outcome.roles[seat] if outcome else None,
                "side": outcome.sides[seat] if outcome else None,
                "payoff": outcome.payoffs[seat] if outcome else None,
                "won": seat in outcome.winners if outcome else None,
            }


def _answers(save: Save) -> Iterator[Cells]:
    agents = {match.number: match.agents for match in save.matches()}
    for answer in save.answers():
        yield {
            "match": answer.match,
            "ask": answer.ask,
            "round": answer.round,
            "kind": answer.kind,
            "seat": answer.seat,
            "agent": agents[answer.match][answer.seat],
            "value": _stored(save, answer, answer.value),
            "fault": answer.fault,
            "tries": answer.tries,
            "notes": _stored(save, answer, answer.notes),
            "seq": answer.seq,
        }


def _stored(save: Save, answer: StoredAnswer, text: str | None) -> object:
    """What a stored JSON text holds, cleaned. Raises BadSave."""
    if text is None:
        return None
    try:
        return clean_all(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise damaged(save.path, f"match {answer.match}, ask {answer.ask}: {error}") from None
