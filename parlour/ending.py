"""How a command ends: what it raised as one line, and the exit code."""

import os
import sys

import typer

from parlour.streams import complain, ready_streams


def run_to_the_end(app: typer.Typer) -> int:
    """Runs the command that was asked for; its exit code."""
    # Loaded before any command, since it is what a command may raise.
    from games.errors import BadInput, ParlourError

    ready_streams()
    try:
        code = app(prog_name="parlour", standalone_mode=False)
        sys.stdout.flush()  # here, where a reader that has gone is known to be no error
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "parlour"
        message = " ".join(error.format_message().split())
        message += "" if message.endswith((".", "?")) else "."
        complain(f"{command}: {message} See `{command} --help`.")
        code = error.exit_code
    except ParlourError as error:
        complain(f"parlour: {error}")
        code = 2 if isinstance(error, BadInput) else 1
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except OSError as error:
        # The output cannot be written; a reader that has gone (`| head`) wants no word about it.
        if not isinstance(error, BrokenPipeError):
            complain(f"parlour: {error.filename or 'output'}: {error.strerror}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    return code if isinstance(code, int) else 0
