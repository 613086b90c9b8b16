"""The two worlds between which an attacker who knows all records but one must decide."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.errors import bad_input
from sfumato.mechanism import Exponential

__all__ = ["worst_worlds"]


def worst_worlds(mechanism: Any, data: Any) -> tuple[Any, Any]:
    """Two neighbours of ``data`` that differ as much as one record can; the mechanism says which.

    >>> import numpy as np
    >>> from sfumato.statistic import Mean
    >>> worst_worlds(Mean(epsilon=1.0, bounds=(0, 9)), np.array([1.0, 2.0, 3.0]))
    (array([0., 2., 3.]), array([9., 2., 3.]))
    """
    if isinstance(mechanism, Exponential):
        return _choice_worlds(mechanism, data)
    if not hasattr(mechanism, "farthest_neighbours"):
        raise bad_input("mechanism", type(mechanism).__name__, "a statistic, which has farthest_neighbours")
    first, second = mechanism.farthest_neighbours(data)
    return first, second


def _choice_worlds(mechanism: Exponential, data: Any) -> tuple[Any, Any]:
    """One record votes for the commonest category, or for the next one: there the choice moves most."""
    votes = mechanism.candidates
    order = np.argsort(-np.asarray(mechanism.scores(data), float), kind="stable")
    if votes is None or len(order) < 2 or len(data) == 0:
        raise bad_input("data", len(data), "records of at least two categories")
    first, second = (np.concatenate([[votes[place]], data[1:]]) for place in order[:2])
    return first, second
