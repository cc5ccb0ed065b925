"""Settings files: JSON arrays of records, or a form that the game reads itself."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from parlour.games.common.errors import BadInput
from parlour.games.common.plain_files import read_plain
from parlour.games.common.validation_messages import first_problem
from parlour.games.engine.metadata import Frozen


@cache
def read_records(
    record: type[Frozen], parse: Callable[[str, str], tuple[Frozen, ...]] | None, path: Path
) -> tuple[Frozen, ...]:
    """The records of a settings file, by the game's own ``parse`` if it has one.

    Raises BadInput naming file, record and field.
    """
    try:
        text = read_plain(path.resolve()).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(str(path), f"cannot be read ({error})", "check the path") from None
    return parse(text, str(path)) if parse else parse_records(record, text, str(path))


def parse_records(record: type[Frozen], text: str, place: str) -> tuple[Frozen, ...]:
    """Settings from the text of a settings file: a JSON array of records.

    Raises BadInput naming the place, the record's number (from 1), the field and the value.
    """
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(place, f"is not JSON ({error})", "fix it at that line") from None
    if not isinstance(entries, list) or not entries:
        raise BadInput(place, "holds no settings", "give a JSON array of at least one record")
    records = []
    for number, entry in enumerate(entries, start=1):
        try:
            # Validated as JSON, where strict mode still lets an array stand for a tuple.
            records.append(record.model_validate_json(json.dumps(entry)))
        except ValidationError as error:
            where, problem = first_problem(error)
            fix = "fields: " + ", ".join(record.model_fields)
            raise BadInput(f"{place}, record {number}{where}", problem, fix) from None
    return tuple(records)
