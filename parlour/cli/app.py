"""The commands of ``parlour``, each loaded from its module when it is used.

Exit codes: 0 done, 1 failed, 2 bad usage or bad input, 3 out of time, 4 a gate failed, 5 a gate
is open, 130 interrupted but saved.
"""

import os
import sys
from functools import cache
from importlib import import_module
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, NamedTuple

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from parlour.cli.output import complain, ready_streams, shipped_rows
from parlour.games.common.collection import imported


class Listed(NamedTuple):
    """A command: its panel in the help ("" for none), its name, its module, and its summary."""

    panel: str
    name: str
    module: str
    summary: str


COMMANDS = {row[1]: Listed(*row) for row in shipped_rows("commands.csv")}
OTHER_NAMES = dict(shipped_rows("other_names.csv"))
"""Names that people try for a command, each with what to use instead."""


class Command(TyperCommand):
    """A command whose first argument, SAVE, may be left out though others follow it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads ``MATCH`` alone as ``[SAVE] MATCH`` without its save."""
        if not self._lacks_the_save(ctx, args):
            return super().parse_args(ctx, args)
        rest = super().parse_args(ctx, ["", *args])
        ctx.params["save"] = None
        return rest

    def invoke(self, ctx: Any) -> Any:
        """Runs the command. Abort for Ctrl-C, of which typer would only keep the exit code."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Abort from None

    def _lacks_the_save(self, ctx: Any, args: list[str]) -> bool:
        arguments = [each for each in self.params if each.param_type_name == "argument"]
        required = [each.name for each in arguments if each.required]
        if not required or arguments[0].name != "save":
            return False
        values, _rest, _order = self.make_parser(ctx).parse_args(args=list(args))
        given = [name for name in required if isinstance(values.get(name), str)]
        first = values.get("save")
        last = values.get(required[-1])
        if isinstance(first, str) and isinstance(last, str):
            _refuse_save_last(f"parlour {ctx.info_name}", first, last)
        if not isinstance(first, str) or len(given) != len(required) - 1:
            return False
        return not _is_save(first)  # a save was named: another argument is missing


def _is_save(name: str) -> bool:
    from parlour.tournament.save.directory import chosen

    return chosen(Path(name)).is_file()


def _refuse_save_last(command: str, first: str, last: str) -> None:
    """BadInput where the save was named after the other argument."""
    if first.isdecimal() and not _is_save(first) and _is_save(last):
        from parlour.games.common.errors import BadInput

        fix = f"write `{command} {quote(last)} {first}`"
        raise BadInput(command.removeprefix("parlour "), "SAVE comes first", fix)


class Commands(TyperGroup):
    """The group of all commands; ``--help`` loads none of them."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        names: dict[str, Any] = dict.fromkeys(COMMANDS)
        self.commands = names  # for "did you mean"

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Loads a command; None if there is none of that name. BadInput for a tournament file."""
        if cmd_name.endswith(".toml"):
            from parlour.games.common.errors import BadInput

            fix = f"did you mean `parlour run {quote(cmd_name)}`?"
            raise BadInput(cmd_name, "is not a command", fix)
        if cmd_name in OTHER_NAMES:
            from parlour.games.common.errors import BadInput

            raise BadInput(cmd_name, "is not a command", OTHER_NAMES[cmd_name])
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Lists the commands with their summaries, panel by panel."""
        for panel, listed in groupby(COMMANDS.values(), attrgetter("panel")):
            if panel:
                with formatter.section(panel):
                    formatter.write_dl([(each.name, each.summary) for each in listed])


@cache
def load_command(name: str) -> Any:
    """A command from its module, where the function has the same name as an identifier."""
    from parlour.cli.options import with_words

    listed = COMMANDS[name]
    with imported():
        module = import_module(f"parlour.cli.{listed.module}")
    function = getattr(module, "list_" if name == "list" else name.replace("-", "_"))
    single = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    single.command(name, cls=Command, hidden=not listed.panel)(with_words(name, function))
    return typer.main.get_command(single)


app = typer.Typer(
    cls=Commands,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,  # they show values, and a value may be a key
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def parlour(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Tournaments of social games between language models, scripted players and people."""
    if version:
        from importlib.metadata import version as installed

        print(f"parlour {installed('parlour')}")
        raise typer.Exit(0)
    if context.invoked_subcommand is None:
        with imported():
            from parlour.cli.attach import home

        raise typer.Exit(home())


def _message_of(error: typer.TyperException) -> str:
    """The message of a wrong argument, with validation errors of pydantic in plain words."""
    from pydantic import ValidationError

    from parlour.games.common.validation_messages import message_of

    message = " ".join(error.format_message().split())
    cause = error.__cause__ or error.__context__
    if isinstance(cause, ValidationError):
        place, colon, _ = message.partition("': ")
        return place + colon + message_of(cause.errors(include_url=False)[0])
    return message


def main() -> None:
    """Runs a command; a user's mistake is one line on stderr and exit code 2."""
    # Loaded before any command, since it is what a command may raise.
    from parlour.games.common.errors import BadInput, ParlourError

    ready_streams()
    sys.excepthook = _crashed
    try:
        code = app(prog_name="parlour", standalone_mode=False)
        sys.stdout.flush()  # here, where a closed pipe is known to be no error
    except typer.TyperException as error:
        complain(_usage_error(error))
        code = error.exit_code
    except ParlourError as error:
        complain(f"parlour: {error}")
        code = 2 if isinstance(error, BadInput) else 1
    except (KeyboardInterrupt, typer.Abort):
        complain("parlour: interrupted")
        code = 130
    except (MemoryError, ImportError) as error:
        if isinstance(error, ImportError) and not _lacks_memory(error):
            raise
        complain("parlour: there is not enough memory; close other programs, or raise `ulimit -v`")
        code = 1
    except (BrokenPipeError, SystemExit):  # typer exits where the reader has gone, as in `| head`
        _drop_output()
        code = 0
    except OSError as error:
        complain(f"parlour: {error.filename or 'output'}: {error.strerror}")
        _drop_output()
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


def _lacks_memory(error: BaseException | None) -> bool:
    """True if a library could not be loaded for want of memory."""
    while error is not None and "failed to map segment" not in str(error):
        error = error.__cause__ or error.__context__
    return error is not None


def _drop_output() -> None:
    """Sends the rest of the output nowhere: Python writes it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _crashed(_kind: object, error: BaseException, _trace: object) -> None:
    """Prints the traceback of an unexpected error."""
    from parlour.agents.llm.keys import traceback_of

    complain(traceback_of(error).rstrip())


def _usage_error(error: typer.TyperException) -> str:
    """One line for a mistake in the arguments, ending with where the help is."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "parlour"
    message = _message_of(error)
    message += "" if message.endswith((".", "?")) else "."
    return f"{command}: {message} See `{command} --help`."
