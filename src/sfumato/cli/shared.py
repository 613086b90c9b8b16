"""Options that protect, attack and measure of one kind of data share: written once, as one function's signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["shared_options"]

Read = TypeVar("Read")


def shared_options(read: Callable[..., Read]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the parameters of ``read`` as well as its own.

    The command is called with what ``read`` makes of them as its first argument, in their place. Both functions carry
    typer annotations as if they were commands; parameters of the command follow those of ``read``.

    Examples
    --------
    >>> def _table(rows: int, columns: int = 2) -> list[int]:
    ...     return [rows, columns]
    >>> @shared_options(_table)
    ... def show(table: list[int], *, title: str = "") -> None:
    ...     print(title, table)
    >>> show(rows=3, title="size")
    size [3, 2]
    >>> str(inspect.signature(show))
    "(*, rows: int, columns: int = 2, title: str = '') -> None"
    """
    shared = list(inspect.signature(read, eval_str=True).parameters.values())

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
        parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (*shared, *own)]

        def run(**given: Any) -> None:
            command(read(**{one.name: given.pop(one.name) for one in shared if one.name in given}), **given)

        run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
        run.__signature__ = inspect.Signature(parameters, return_annotation=None)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorate
