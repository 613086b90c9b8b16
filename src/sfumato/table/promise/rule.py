"""A promise in the form that compiled code takes, and the comparisons that all kernels share."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from numba import njit

__all__ = ["SLACK", "Kind", "Rule", "at_least", "at_most"]

SLACK = 1e-12  # rounding of sums of frequencies; far below any frequency of a table


class Kind(IntEnum):
    """Which kernel judges a rule (:func:`sfumato.table.promise.compiled.rule_holds`)."""

    DISTINCT = 0
    ENTROPY = 1
    RECURSIVE = 2
    PRESENT_VALUES = 3
    EQUAL_DISTANCE = 4
    ORDERED_DISTANCE = 5
    TREE_DISTANCE = 6
    PRESENCE = 7
    POPULATION = 8


class Rule(NamedTuple):
    """One condition on a class.

    ``values`` are the sensitive values that the rule treats apart, ``factor`` a second number where it needs one.
    """

    kind: Kind
    bound: float
    column: str | None = None
    factor: float = 0.0
    values: tuple[str, ...] = ()


@njit(cache=True)
def at_least(level, bound):  # type: ignore[no-untyped-def]
    """Whether a level reaches a lower bound; numbers or arrays."""
    return level >= bound - SLACK


@njit(cache=True)
def at_most(level, bound):  # type: ignore[no-untyped-def]
    """Whether a level stays within an upper bound; numbers or arrays."""
    return level <= bound + SLACK
