"""The two worlds between which an attacker who knows all records but one must decide."""

from __future__ import annotations

from typing import Any

from sfumato.errors import bad_input

__all__ = ["worst_worlds"]


def worst_worlds(mechanism: Any, data: Any) -> tuple[Any, Any]:
    """Two neighbours of ``data`` that differ as much as one record can; the mechanism says which.

    >>> import numpy as np
    >>> from sfumato.statistic import Mean
    >>> worst_worlds(Mean(epsilon=1.0, bounds=(0, 9)), np.array([1.0, 2.0, 3.0]))
    (array([0., 2., 3.]), array([9., 2., 3.]))
    """
    if not hasattr(mechanism, "farthest_neighbours"):
        raise bad_input("mechanism", type(mechanism).__name__, "a statistic, which has farthest_neighbours")
    first, second = mechanism.farthest_neighbours(data)
    return first, second
