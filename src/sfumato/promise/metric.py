"""Distances that a metric promise is stated in, by name.

A room adds its own with :func:`register_metric`; a promise only carries the name, so that it prints and pickles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sfumato.errors import bad_input

__all__ = ["Metric", "distance", "distance_words", "register_metric"]

Metric = Callable[[Any, Any], float]
_METRICS: dict[str, Metric] = {}
_SAID: dict[str, Callable[[float], str]] = {}


def register_metric(name: str, metric: Metric, *, said: Callable[[float], str] | None = None) -> Metric:
    """Make ``metric`` available under ``name``; the same name cannot mean two things.

    Parameters
    ----------
    said : callable, optional
        A distance in the words of whoever has such data: ``"200 m"`` for an arc on the globe.
    """
    known = _METRICS.setdefault(name, metric)
    if (known.__module__, known.__qualname__) != (metric.__module__, metric.__qualname__):
        raise bad_input("metric name", name, "a name that is not taken", "choose another name")
    if said is not None:
        _SAID[name] = said
    return metric


def distance(name: str, x: Any, y: Any) -> float:
    """The distance between two inputs under the metric ``name``.

    >>> distance("euclidean", [0.0, 0.0], [3.0, 4.0])
    5.0
    >>> round(distance("angle", [1.0, 0.0], [0.0, 1.0]), 6)
    1.570796
    """
    if name not in _METRICS:
        raise bad_input("metric", name, "one of " + ", ".join(sorted(_METRICS)), "register_metric adds one")
    return float(_METRICS[name](x, y))


def distance_words(name: str, length: float) -> str:
    """A distance in words.

    >>> distance_words("euclidean", 0.5)
    '0.5 of euclidean distance'
    """
    return _SAID[name](length) if name in _SAID else f"{length:.3g} of {name} distance"


def _norm(order: float) -> Metric:
    def norm(x: Any, y: Any) -> float:
        return float(np.linalg.norm((np.asarray(x, float) - np.asarray(y, float)).ravel(), order))

    norm.__qualname__ = f"norm_{order}"
    return norm


def _angle(x: Any, y: Any) -> float:
    """Arc length between unit vectors; arccos of the dot product would return 0 below 1e-8."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    return float(2 * np.arctan2(np.linalg.norm(x - y), np.linalg.norm(x + y)))


def _discrete(x: Any, y: Any) -> float:
    return float(not np.array_equal(x, y))


register_metric("euclidean", _norm(2))
register_metric("manhattan", _norm(1))
register_metric("chebyshev", _norm(np.inf))
register_metric("angle", _angle)
register_metric("discrete", _discrete)
