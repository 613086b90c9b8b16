"""The commands of ``sfumato``, each loaded only when it is called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

__all__ = ["command"]


@dataclass(frozen=True)
class Entrance:
    """A command that is not loaded yet: where it is (``module:name``) and one line about it."""

    target: str
    summary: str
    panel: str = "Commands"


_COMMANDS = {
    "demo": Entrance("sfumato.cli.demo:demo_command", "Protect, attack, measure and report on shipped data."),
    "publish": Entrance("sfumato.cli.publish:publish_command", "Your own file: propose, protect, attack, certify."),
    "studio": Entrance("sfumato.cli.studio:studio_command", "A local page: see the risk, protect, attack, file."),
    "study": Entrance("sfumato.cli.study:study_command", "Run a study and write its report."),
    "audit": Entrance("sfumato.cli.audit:audit_command", "Try to break every mechanism's promise."),
    "budget": Entrance("sfumato.cli.budget:app", "Show, set, spend and export privacy budgets."),
    "verify": Entrance(
        "sfumato.cli.papers:verify_command", "Check a release against its card, its ledger and its signature."
    ),
    "keygen": Entrance("sfumato.cli.papers:keygen_command", "Make a pair of keys for signing cards."),
    "rooms": Entrance("sfumato.cli.rooms:rooms_command", "List the kinds of data, their studies and their commands."),
    "new": Entrance("sfumato.cli.new:app", "Start a new mechanism or a new kind of data in a source checkout."),
}


class Lazy(TyperGroup):
    """A group whose commands are listed from their doors and loaded when one is called."""

    def doors(self) -> Mapping[str, Entrance]:
        raise NotImplementedError

    def load(self, name: str) -> Any:
        """The command behind a door."""
        return load(name, self.doors()[name].target)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.doors())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        door = self.doors().get(cmd_name)
        if door is None:
            return None
        return TyperGroup(name=cmd_name, help=door.summary, rich_help_panel=door.panel)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        self.commands = dict.fromkeys(self.doors())  # type: ignore[assignment]  # names only, for suggestions
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and command is not None:
            command = self.load(name)
        return name, command, rest


class House(Lazy):
    """The top: the fixed commands and one group for each kind of data."""

    def doors(self) -> Mapping[str, Entrance]:
        from sfumato import registry

        rooms = {name: Entrance("", summary, "Kinds of data") for name, summary in registry.rooms().items()}
        return {**_COMMANDS, **rooms}

    def load(self, name: str) -> Any:
        return super().load(name) if name in _COMMANDS else room_group(name)


def room_group(name: str) -> Any:
    """The commands of one kind of data, or an error that says why they cannot be loaded."""
    from sfumato.errors import SfumatoError
    from sfumato.study.rooms import find_room

    try:
        room = find_room(name)
    except SfumatoError:
        raise
    except Exception as error:
        raise SfumatoError(f"{name} could not be loaded: {type(error).__name__}: {error}") from error

    class RoomGroup(Lazy):
        def doors(self) -> Mapping[str, Entrance]:
            return {verb: Entrance(target, "") for verb, target in room.commands.items()}

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            # Their help is written where they are, so they are loaded to be listed.
            return self.load(cmd_name) if cmd_name in room.commands else None

    verbs = ", ".join(room.commands)
    recipes = ", ".join(recipe.name for recipe in room.recipes)
    group = RoomGroup(
        name=name,
        help=f"{room.summary}\n\nCommands: {verbs}. Studies (sfumato study {name} --recipe …): {recipes}.",
        no_args_is_help=True,
    )
    return plain_flags(group)


def load(name: str, target: str) -> Any:
    """The command ``module:name``: a function with typer annotations, or a typer application."""
    module, _, attribute = target.partition(":")
    found = getattr(importlib.import_module(module), attribute)
    if isinstance(found, typer.Typer):
        loaded: Any = typer.main.get_group(found)
    else:
        application = typer.Typer(add_completion=False)
        application.command(name=name)(found)
        loaded = typer.main.get_command(application)
    loaded.name = name
    return plain_flags(loaded)


def plain_flags(command: Any) -> Any:
    """The command, whose help shows a flag without a type: ``--fresh``, not ``--fresh <bool>``."""
    get_params = command.get_params

    def shown(ctx: Any) -> list[Any]:
        parameters = get_params(ctx)
        for parameter in parameters:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        return list(parameters)

    command.get_params = shown
    if not isinstance(command, Lazy):
        for part in getattr(command, "commands", {}).values():
            plain_flags(part)
    return command


app = typer.Typer(cls=House, no_args_is_help=True, rich_markup_mode="rich")


def _version(asked: bool) -> None:
    if asked:
        from sfumato import __version__

        typer.echo(f"sfumato {__version__}")
        raise typer.Exit


@app.callback()
def house(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Protect a data set, attack the result, measure what is left, and report all three.

    Examples:

      sfumato demo

      sfumato study statistic --out out/statistic

      sfumato statistic protect --help
    """


def command() -> Any:
    """The whole command line as one callable command."""
    return plain_flags(typer.main.get_command(app))
