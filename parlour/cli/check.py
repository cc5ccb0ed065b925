"""The command `check`."""

from parlour.cli.options import NewestSave
from parlour.cli.output import complain, find_save, safe_print
from parlour.games.engine.transcript import counted
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import first_difference


def check(save: NewestSave = None) -> int:
    """Replay every match of a save and compare it with the stored one."""
    path = find_save(save)
    with Save(path) as opened:
        progress = opened.progress()
        difference = first_difference(opened)
        others = 0
        if opened.tournament.schedule == "adaptive":
            from parlour.tournament.save.decisions import decisions_of_another_method

            others = decisions_of_another_method(opened)
        if difference is None and progress.finished:
            from parlour.tournament.reports.counted_matches import first_false_count  # slow to load

            difference = first_false_count(opened)
    if difference is not None:
        complain(f"parlour: {path}: {difference}")
        return 1
    counts = f"{counted(progress.matches, 'match')}, {counted(progress.answers, 'answer')}"
    safe_print(f"{path}: {counts}. OK: every match replays identically")
    if others:
        decisions = counted(others, "decision")
        safe_print(f"{decisions} of another version of the adaptive method: not made again")
    return 0
