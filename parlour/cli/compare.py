"""The command `compare`."""

from pathlib import Path
from shlex import quote

from parlour.api.comparing import Compared, comparisons_of, games_left_out
from parlour.cli.console_tables import print_note, show
from parlour.cli.options import AnyFormat
from parlour.cli.output import complain, find_save
from parlour.cli.signs_of_life import signs_of_life
from parlour.games.common.errors import BadInput
from parlour.games.engine.registry import find_game
from parlour.ratings.reports.comparison_report import comparison_report
from parlour.ratings.statistics.corrections import Correction
from parlour.tournament.save.directory import FOLDER, all_saves, chosen
from parlour.tournament.save.reader import Save


def compare(
    save: Path | None = None,
    one: str | None = None,
    other: str | None = None,
    against: str | None = None,
    conditions: bool = False,
    agent: str | None = None,
    game: str | None = None,
    role: str | None = None,
    measure: list[str] | None = None,
    correction: Correction = "holm",
    format: AnyFormat = "table",
    out: Path | None = None,
    force: bool = False,
) -> int:
    """Compare agents in pairs, or two conditions of one, in paired matches."""
    path, one, other = _sides(save, one, other)
    if conditions and agent is None:
        raise BadInput("--conditions", "needs an agent", "name it: --agent NAME")
    if conditions and one is None:
        raise BadInput("--conditions", "needs two conditions", "name them after the save")
    if agent is not None and not conditions:
        fix = "write --conditions CONDITION OTHER, or two agents without --agent"
        raise BadInput("--agent", "is for conditions", fix)
    if against is not None and one is not None:
        raise BadInput("--against", "compares all others with one agent", "name no other")
    if game is not None:
        find_game(game, "--game")
    wanted = Compared(one, other, agent, against, game, role)
    path = find_save(path)
    with signs_of_life("Comparing"):
        made = comparisons_of(path, wanted, measure or [], correction)
        report = comparison_report(made)
    show(report, format, out, force)
    if conditions:
        with Save(path) as opened:
            if left_out := games_left_out(opened.tournament, wanted):
                names = ", ".join(left_out)
                its = f"`parlour leaderboard {quote(str(path))} --by condition` names theirs"
                complain(f"parlour: left out, not played under both: {names}; {its}")
    if format == "table" and out is None and len(report.tables) > 1:
        print_note("Read a match with `parlour replay SAVE MATCH`.")
    return 0


def _sides(
    save: Path | None, one: str | None, other: str | None
) -> tuple[Path | None, str | None, str | None]:
    """The save and both sides; two words alone are the sides, as the save may be left out."""
    if one is None or other is not None:
        return save, one, other
    if save is None or chosen(save).is_file():
        raise BadInput("compare", f"{one!r} is one side", "name two, or none for all pairs")
    if not all_saves():
        fix = f"name it first: parlour compare SAVE {quote(str(save))} {quote(one)}"
        raise BadInput("compare", f"no save is named, and {FOLDER}/ has none", fix)
    return None, str(save), one
