"""Errors that the user can fix.

    ParlourError            one line for the user; the command line prints it
    ├── BadInput            a file, a key or an argument that cannot be used (exit code 2)
    ├── GameFailed          a game whose rules raised an error or gave a wrong outcome
    └── BadSave             a save that cannot be opened, or not now (exit code 2)

Programming errors are ordinary exceptions and keep their traceback.
"""


class ParlourError(Exception):
    """Something the user can fix; the message is one line naming place, value and fix."""


class BadInput(ParlourError):
    """A file, field or argument that cannot be used.

    ``place`` is file and field, ``problem`` names what is wrong and the value, ``fix`` is what to
    do about it.
    """

    def __init__(self, place: str, problem: str, fix: str = "") -> None:
        self.place, self.problem, self.fix = place, problem, fix
        # Imported late: the command line loads this module before any command.
        from parlour.games.common.text import one_line

        line = f"{place}: {problem}" + (f"; {fix}" if fix else "")
        # Sanitised, since it may quote keys and values of a file and goes to a terminal.
        super().__init__(one_line(line))


class GameFailed(ParlourError):
    """A game whose rules raised an error, or whose outcome does not fit its seats."""


class BadSave(BadInput):
    """A file that is no save, or a save that is newer than this program, damaged or in use."""
