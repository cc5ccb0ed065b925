"""The command `paper`."""

from pathlib import Path

from parlour.cli.output import find_save, safe_print
from parlour.cli.signs_of_life import signs_of_life
from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import nearest
from parlour.papers.writing import write_paper
from parlour.ratings.papers.paper import paper_names


def paper(
    save: Path | None = None, *, name: str, out: Path, no_figures: bool = False, force: bool = False
) -> int:
    """Write the tables and figures of a paper."""
    names = paper_names()
    if name not in names:
        meant = nearest(name, names)
        hint = f"did you mean {meant!r}? " if meant else ""
        fix = f"{hint}choose one of {', '.join(names)}"
        raise BadInput("paper", f"there is no {name!r}", fix)
    path = find_save(save)
    with signs_of_life("Making tables and figures"):
        files = write_paper(path, name, out, force=force, figures=not no_figures)
    safe_print(f"Written: {len(files)} files; {files[-1]} lists what was made and what was not")
    return 0
