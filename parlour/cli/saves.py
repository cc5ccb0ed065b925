"""The commands `check`, `backup`, `bundle`, `merge`, `split` and `diff`: saves as files."""

import json
from dataclasses import asdict
from pathlib import Path

from parlour.cli.console_tables import print_note
from parlour.cli.options import TableOrJson
from parlour.cli.output import complain, find_save, program, safe_print
from parlour.cli.signs_of_life import signs_of_life
from parlour.games.engine.transcript import counted
from parlour.tournament.reports.checking import first_falsehood
from parlour.tournament.reports.difference import (
    Side,
    TournamentDifference,
    differences,
    other_matches,
    side_of_save,
)
from parlour.tournament.save.dealt import merging_command
from parlour.tournament.save.directory import chosen
from parlour.tournament.save.merging.merge import append_saves, merge_saves, parse_rename
from parlour.tournament.save.merging.split import split_save
from parlour.tournament.save.new_file import back_up
from parlour.tournament.save.provenance.origins import ADAPTIVE
from parlour.tournament.save.reader import Save
from parlour.tournament.save.seals import last_seal


def check(
    save: Path | None = None, prompts: bool = False, seal: bool = False, against: str | None = None
) -> int:
    """Replay every match of a save, and compare all that is shown of it."""
    path = find_save(save)
    with Save(path) as opened:
        progress = opened.progress()
        with signs_of_life("Checking"):
            difference = first_falsehood(opened, prompts=prompts)
        its_seal = last_seal(opened, against)
    if difference is None and its_seal is None:
        difference = f"has no seal {against}: what was played with it is not here, or was changed"
    if difference is not None:
        complain(f"parlour: {path}: {difference}")
        return 1
    counts = f"{progress.finished} of {counted(progress.matches, 'match')} finished"
    counts += f", {counted(progress.answers, 'answer')}"
    safe_print(f"{path}: {counts}. OK: every match replays identically")
    if seal or against:
        safe_print(f"Seal: {its_seal}")
    return 0


def backup(save: Path | None = None, *, out: Path) -> int:
    """Copy a save, also while it is played."""
    path = find_save(save)
    with signs_of_life("Copying"):
        count = back_up(path, out)
    safe_print(f"Written: {out}, {count.finished} of {count.matches} matches finished")
    return 0


def merge(
    out: Path,
    saves: list[Path],
    rename: list[str] | None = None,
    append: bool = False,
    format: TableOrJson = "table",
) -> int:
    """Put saves of compatible tournaments together in a new save."""
    renames = [parse_rename(text, saves) for text in rename or ()]
    paths = {save: find_save(save) for save in saves}
    parts = [paths[save] for save in saves]
    places = [each._replace(save=paths[each.save]) for each in renames]
    with signs_of_life("Merging"):
        into = append_saves if append and out.exists() else merge_saves
        merged = into(out, parts, places)
    if format == "json":
        body = {
            "save": str(out),
            "matches": merged.matches.matches,
            "finished": merged.matches.finished,
            "frozen": merged.matches.frozen,
            "repeated": merged.repeated,
            "agents": merged.agents,
            "adaptive": merged.adaptive,
            "origins": [origin._asdict() for origin in merged.origins],
        }
        print(json.dumps(body, indent=2))
        return 0
    origins = counted(len(merged.origins), "tournament")
    matches = merged.matches
    print_note(
        f"Written: {out}, {matches.finished} of {matches.matches} matches finished,"
        f" {counted(len(merged.agents), 'agent')}, from {counted(len(saves), 'save')} of {origins}"
    )
    if merged.repeated:
        again = counted(merged.repeated, "match")
        print_note(
            f"Note: {again} with the setting, seats and dice of another one, since their runs had"
            " the same seed, or copies of a save got the same agent. Players that always answer"
            " alike then add no evidence: give further runs their own --seed, and add an agent to"
            " one copy alone."
        )
    if merged.adaptive:
        print_note(f"Note: not adaptive, no more is decided. {ADAPTIVE}.")
    return 0


def split(save: Path | None = None, *, shards: int, out: Path | None = None) -> int:
    """Deal the unfinished matches of a save into shards for several machines."""
    path = find_save(save)
    with signs_of_life("Splitting"):
        made = split_save(path, shards, out)
    for shard in made:
        with Save(shard) as opened:
            safe_print(f"Written: {shard}, {opened.match_count().matches} matches")
    merging = merging_command(path, list(map(str, made)))
    safe_print(f"Play each of them, then: {program()} {merging}")
    return 0


def diff(one: Path, other: Path, format: TableOrJson = "table") -> int:
    """Show what differs between two saves."""
    sides = side_of_save(chosen(one)), side_of_save(chosen(other))
    made = differences(*sides)
    same = not any(difference.matters for difference in made)
    if same:
        with signs_of_life("Comparing matches"):
            made += other_matches(*(Path(side.path) for side in sides))
    if format == "json":
        body = {"a": sides[0].path, "b": sides[1].path, "same": same}
        print(json.dumps({**body, "differences": list(map(asdict, made))}, indent=2))
    else:
        _print(sides, made)
    return 0 if same else 1


def _print(sides: tuple[Side, Side], made: list[TournamentDifference]) -> None:
    safe_print(f"A: {sides[0].path}")
    safe_print(f"B: {sides[1].path}")
    others = [difference for difference in made if not difference.matters]
    for difference in made[: len(made) - len(others)]:
        safe_print(f"{difference.sentence}{':' if difference.lines else ''}")
        for line in difference.lines:
            safe_print(f"  {line}")
    if not made:
        print("Nothing differs.")
    elif len(others) == len(made):
        print("Nothing differs but:")
    elif others:
        print("Of less weight:")
    for difference in others:
        safe_print(f"  {difference.sentence}")


def bundle(save: Path | None = None, *, out: Path) -> int:
    """Write a save with all that its figures need as one archive."""
    from parlour.api.bundling import write_bundle  # late: the other commands need no numbers

    path = find_save(save)
    with signs_of_life("Packing"):
        names = write_bundle(path, out)
    safe_print(f"Written: {out} ({len(names)} files)")
    safe_print(f"Play it again: {program()} run --from {out}")
    return 0
