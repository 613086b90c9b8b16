"""``sfumato rooms``: list the kinds of data."""

from __future__ import annotations

from sfumato.study import find_rooms
from sfumato.study.console import screen

__all__ = ["rooms_command"]


def rooms_command() -> None:
    """List the kinds of data, their ready studies (sfumato study) and their commands.

    Example: sfumato rooms
    """
    from rich.table import Table

    heads = ("kind of data", "what it is for", "studies", "commands")
    table = Table(*heads, box=None, pad_edge=False, header_style="bold")
    for room in find_rooms().values():
        recipes = "\n".join(recipe.name + (" (demo)" if recipe.demo else "") for recipe in room.recipes)
        table.add_row(room.name, room.summary, recipes, "\n".join(room.commands))
    screen.print(table, width=screen.width if screen.is_terminal else 120)
