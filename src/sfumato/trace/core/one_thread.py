"""Work on small matrices, which several threads slow down: they wait for each other longer than they compute."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

__all__ = ["one_thread"]

P = ParamSpec("P")
R = TypeVar("R")


def one_thread(work: Callable[P, R]) -> Callable[P, R]:
    """Run linear algebra inside ``work`` on one thread.

    >>> one_thread(max)(1, 2)
    2
    """

    @wraps(work)
    def alone(*given: P.args, **named: P.kwargs) -> R:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(limits=1):
            return work(*given, **named)

    return alone
