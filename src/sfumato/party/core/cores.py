"""Long arithmetic on all processor cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

from sfumato.validate import extra, integer

__all__ = ["gmp", "spread"]

In = TypeVar("In")
Out = TypeVar("Out")

_PARTS = 4  # pieces of work for each core: the last one to finish is then at most a quarter late


@cache
def gmp() -> Any:
    """The module gmpy2, or an error that names the extra."""
    return extra("gmpy2", "party")


def spread(work: Callable[[In], Out], items: Iterable[In], *, cores: int | None = None) -> list[Out]:
    """``[work(item) for item in items]`` on several cores, in order.

    gmpy2 lets other threads run while it computes, if the thread asks for it; so threads are enough, and no key is
    ever copied to another process.

    >>> spread(lambda k: k * k, [1, 2, 3])
    [1, 4, 9]
    """
    given = list(items)
    count = integer("cores", os.cpu_count() or 1 if cores is None else cores)
    if count == 1 or len(given) < 2:
        return [work(item) for item in given]
    size = -(-len(given) // (count * _PARTS))
    pieces = [given[start : start + size] for start in range(0, len(given), size)]

    def run(piece: Sequence[In]) -> list[Out]:
        return [work(item) for item in piece]

    return [done for piece in _threads(count, os.getpid()).map(run, pieces) for done in piece]


@cache
def _threads(count: int, process: int) -> ThreadPoolExecutor:
    """The threads of this process; one that was forked makes its own."""
    return ThreadPoolExecutor(count, thread_name_prefix="party", initializer=_share)


def _share() -> None:
    gmp().get_context().allow_release_gil = True  # contexts belong to threads
