"""Work on small matrices and small trees, which several threads slow down: they wait for each other in busy loops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["one_thread"]


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra and learning on one thread, as a block or as a decorator.

    Only libraries that are loaded can be limited: import scikit-learn before.

    >>> with one_thread():
    ...     max(1, 2)
    2
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield
