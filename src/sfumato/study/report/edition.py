"""The edition of a report that may be published: no small counts, no reasons that could quote a record."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Literal

from sfumato.errors import InfeasibleError
from sfumato.study.frontier import Estimate, Frontier, Setting
from sfumato.study.threshold import Threshold

__all__ = ["LEAST_COUNT", "Edition", "least_share", "public_frontier", "recommended"]

Edition = Literal["internal", "public"]

LEAST_COUNT = 11
"""Counts of fewer records are not published: the cell size of the guidance that also gives the limit 0.09."""

_NO_REASON = "it could not be measured"


def least_share(records: int | None) -> float:
    """The smallest share of the records that is published; 0 if their number is not known."""
    return 0.0 if records is None else min(1.0, LEAST_COUNT / records)


def public_frontier(plane: Frontier, *, attacks: Collection[str], records: int | None) -> Frontier:
    """The same frontier with numbers that tell of no small group.

    A risk between 0 and 11 records, or fewer than 11 records short of all of them, is rounded up to that bound. All
    numbers have two digits that matter. How many units the largest document or person holds is not said, nor why a
    measure failed: an error message may quote the input.
    """
    least = least_share(records)

    def changed(setting: Setting) -> Setting:
        estimates = {
            name: _coarse(value, least if name in attacks else 0.0) for name, value in setting.estimates.items()
        }
        totals = [replace(total, size=0, statement="") for total in setting.totals]  # how much the largest one holds
        reasons = dict.fromkeys(setting.reasons, _NO_REASON)
        return replace(setting, estimates=estimates, totals=totals, reasons=reasons)

    chance = _two_digits(plane.chance)
    return replace(plane, points=[changed(point) for point in plane.points], raw=changed(plane.raw), chance=chance)


def recommended(plane: Frontier, exact: Frontier, limits: Mapping[str, Threshold]) -> Setting | None:
    """What the exact numbers recommend, as the setting of ``plane``: both editions recommend the same."""
    try:
        chosen = exact.recommended(limits)
    except InfeasibleError as error:
        raise plane.out_of_reach(limits) from error
    return None if chosen is None else next(point for point in plane.points if point.title == chosen.title)


def _coarse(value: Estimate, least: float) -> Estimate:
    mean, low, high = (_risk(end, least) for end in (value.mean, value.low, value.high))
    return Estimate(mean, low, high, _two_digits(value.reference), value.seeds)


def _risk(value: float, least: float) -> float:
    if least and 0 < value < least:
        return _two_digits(least, up=True)
    if least and 1 - least < value < 1:
        return 1.0
    return _two_digits(value)


def _two_digits(value: float, *, up: bool = False) -> float:
    """A number with two digits that matter, to the nearest or upwards.

    >>> _two_digits(0.12345), _two_digits(1234.0), _two_digits(0.0036666, up=True)
    (0.12, 1200.0, 0.0037)
    """
    if not math.isfinite(value) or value == 0:
        return value
    step = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    return float(f"{(math.ceil(value / step) if up else round(value / step)) * step:.2g}")
