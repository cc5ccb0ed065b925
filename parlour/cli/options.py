"""The arguments and options of the commands: ``options.csv`` has their forms, words and bounds."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import typer

from parlour.cli.output import shipped_rows
from parlour.tournament.save import bounds

TableOrJson = Literal["table", "json"]
AnyFormat = Literal["table", "json", "csv", "md", "latex"]
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


def seconds(text: str) -> float:
    """The seconds of ``90s``, ``10m`` or ``2h``. BadParameter for anything else."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text.strip())
    if match is None or not float(match[1]):
        raise typer.BadParameter(f"{text!r} is no time: write 90s, 10m or 2h")
    return float(match[1]) * _UNITS[match[2]]


def moment(text: str) -> datetime:
    """The time of ``06:00``, the next one of this clock, or of a date. BadParameter otherwise."""
    now = datetime.now().astimezone()
    try:
        if re.fullmatch(r"\d\d?:\d\d", text):
            hour, minute = map(int, text.split(":"))
            today = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
            return today if today > now else today + timedelta(days=1)
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        fix = "write 06:00, or a date and time such as 2030-01-31T06:00"
        raise typer.BadParameter(f"{text!r} is no time: {fix}") from None


def metrics_file(text: str) -> str:
    """The whole path of a file of metrics. BadInput where none can be written."""
    from parlour.tournament.control.metrics import refuse_place

    refuse_place(path := Path(text).absolute())
    return str(path)


PARSERS = {"deadline": moment, "give_up_after": seconds, "metrics": metrics_file}
"""The functions that read the values of some options."""


class Words(NamedTuple):
    """A parameter as the help shows it: ``SAVE``, ``--seed N`` or ``--plain``, and what it is.

    The command is "" for all others that have this parameter. The bounds ``least`` and ``most``
    are numbers or names of ``bounds.py``, "" for none.
    """

    command: str
    parameter: str
    form: str
    help: str
    least: str
    most: str

    def declared(self) -> Any:
        """The argument or option as typer takes it."""
        limits = {"min": _bound(self.least), "max": _bound(self.most)}
        if not self.form.startswith("--"):
            return typer.Argument(metavar=self.form, help=self.help, **limits)
        name, _, value = self.form.partition(" ")
        parser = PARSERS.get(self.parameter)
        return typer.Option(name, metavar=value or None, help=self.help, parser=parser, **limits)


def _bound(text: str) -> Any:
    return int(text) if text.isdecimal() else getattr(bounds, text, None)


WORDS = {(each[0], each[1]): Words(*each) for each in shipped_rows("options.csv")}


def with_words(command: str, function: Callable[..., int]) -> Callable[..., int]:
    """Gives the parameters of a command their forms and words, and returns its function."""
    annotated: Any = Annotated
    for name in function.__annotations__.keys() - {"context", "return"}:
        words = WORDS.get((command, name)) or WORDS["", name]
        kind = function.__annotations__[name]
        function.__annotations__[name] = annotated[kind, words.declared()]
    return function


def was_given(context: typer.Context, option: str) -> bool:
    """Returns True if an option is on the command line."""
    return getattr(context.get_parameter_source(option), "name", "") == "COMMANDLINE"
