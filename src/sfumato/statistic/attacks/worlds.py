"""The two worlds between which an attacker who knows all records but one must decide."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import is_frame
from sfumato.statistic.algorithm8 import WelchAlgorithm8
from sfumato.statistic.core.column import read_column
from sfumato.statistic.core.studies import Studies, StudiesMechanism
from sfumato.statistic.core.two_groups import read_two_groups
from sfumato.statistic.mechanisms.count import Count
from sfumato.statistic.mechanisms.histogram import Histogram
from sfumato.statistic.mechanisms.private_welch import PrivateWelch
from sfumato.statistic.mechanisms.quantile import Quantile
from sfumato.statistic.mechanisms.sum import BoundedMechanism
from sfumato.statistic.mechanisms.welch_test import WelchTest

__all__ = ["worst_worlds"]


def worst_worlds(mechanism: Any, data: Any) -> tuple[Any, Any]:
    """Two neighbours of ``data`` that differ as much as one record can: the target at one extreme or the other.

    With replace-one neighbours the target's value is the lowest or the highest; with add-remove neighbours the target
    is there, at the extreme farther from what the others say, or is not.

    >>> from sfumato.statistic import Mean
    >>> worst_worlds(Mean(epsilon=1.0, bounds=(0, 9)), np.array([1.0, 2.0, 3.0]))
    (array([0., 2., 3.]), array([9., 2., 3.]))
    """
    if isinstance(mechanism, StudiesMechanism) and isinstance(data, Studies):
        return worst_worlds(mechanism.one_test(), data.equal[0])
    if isinstance(mechanism, (PrivateWelch, WelchTest, WelchAlgorithm8)):
        a, b = read_two_groups(data, group=mechanism.group, value=mechanism.value)
        a = a if len(a) else np.zeros(1)
        return (_with_first(a, 0.0), b), (_with_first(a, mechanism.upper), b)
    extremes = _extremes(mechanism)
    if is_frame(data):
        raise bad_input("data", "a frame", "one column as an array", "take the column out first")
    records = read_column(data, mechanism.column)
    if mechanism.neighbours == "add-remove":
        return np.append(records, [extremes[1]]), records
    if len(records) == 0:
        raise bad_input("data", "no records", "at least one record")
    return _with_first(records, extremes[0]), _with_first(records, extremes[1])


def _with_first(records: NDArray[Any], value: Any) -> NDArray[Any]:
    return np.concatenate([np.array([value]), records[1:]])


def _extremes(mechanism: Any) -> tuple[Any, Any]:
    if isinstance(mechanism, (BoundedMechanism, Quantile)):
        return mechanism.bounds
    if isinstance(mechanism, Count):
        if mechanism.within is None:
            return False, True
        return mechanism.within[1] + 1, mechanism.within[0]
    if isinstance(mechanism, Histogram):
        options = mechanism.edges or mechanism.categories or ()
        return options[0], options[-1]
    raise bad_input("mechanism", type(mechanism).__name__, "a mechanism of this room")
