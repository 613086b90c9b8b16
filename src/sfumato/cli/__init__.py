"""The ``sfumato`` command: one group of commands for each kind of data; errors on one line."""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and end the process with its exit code.

    0 is success, 1 a broken promise found by the audit or a mistake of the program, 2 an error of the user or the
    machine, 130 an interruption.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given  # wherever it stands
    given = [argument for argument in given if argument != "--debug"]
    signal.signal(signal.SIGTERM, _terminated)
    if not debug:
        warnings.showwarning = _warn  # --debug keeps the file and the line
    sys.exit(_run(given, debug))


def _terminated(number: int, frame: object) -> NoReturn:
    """Leave through the clean-up of every file that is being written."""
    sys.exit(128 + number)


def _run(arguments: list[str], debug: bool) -> int:
    import typer

    from sfumato.cli.app import command
    from sfumato.errors import SfumatoError

    usage_error = typer.BadParameter.__mro__[2]  # ClickException, of the click that this typer uses
    try:
        code = command()(args=arguments, prog_name="sfumato", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except KeyboardInterrupt:
        return 130
    except typer.Abort:
        return 1
    except Exception as error:
        if debug:
            raise
        if isinstance(error, usage_error):
            return _usage(error)
        if isinstance(error, SfumatoError):
            return _say(str(error), 2)
        if isinstance(error, ImportError) and (package := _raised_in(error)) != __name__.partition(".")[0]:
            from sfumato.validate import misfit

            return _say(misfit(package, error), 2)
        if isinstance(error, OSError):
            place = f"{error.filename}: " if error.filename else ""
            return _say(f"{place}{error.strerror or error}", 2)
        if isinstance(error, MemoryError):
            return _say("not enough memory: use fewer workers or a smaller part of the data", 2)
        return _say(f"this is a mistake in sfumato ({type(error).__name__}: {error}); --debug shows where", 1)


def _raised_in(error: Exception) -> str:
    """The package whose code raised an error."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0] if trace else ""


def _warn(message: Warning | str, *where: object, **more: object) -> None:
    """Show a warning as one line, without the file it comes from."""
    _say(str(message), 0, kind="warning")


def _usage(error: Exception) -> int:
    """A wrong command line: what is wrong, and where help is."""
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(error.format_message() + "\n")  # type: ignore[attr-defined]
        return 2
    where = f" (see {context.command_path} --help)" if context is not None else ""
    return _say(error.format_message().rstrip(".") + where, 2)  # type: ignore[attr-defined]


def _say(message: str, code: int, *, kind: str = "error") -> int:
    sys.stderr.write(f"{kind}: {' '.join(message.split())}\n")
    return code
