"""Two groups of bounded numbers with dummy records: the input of every private Welch test.

A record is a pair (group, value), so that a neighbour may change a value or move a record to the other group
(Mimoto §7.1). The same dummies stand in both groups and belong to nobody: for dummies fixed without looking at the
data, differential privacy "with dummy data" (Def. 7.1) is ordinary differential privacy of D ↦ M(D ∪ r), even if r is
public. What they cost is bias: the question answered is the t of D ∪ r, with variances that include them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import column, is_frame, numbers
from sfumato.statistic.core.column import check_bounds
from sfumato.validate import finite_array, positive

__all__ = ["TwoGroups", "check_dummies", "read_two_groups"]

Ints = NDArray[np.int64]

MOST_BITS = 20


def check_dummies(upper: float, dummies: Sequence[float]) -> tuple[float, float]:
    """The pair (r₁, r₂) of different numbers in [0, upper]."""
    upper = check_bounds((0.0, positive("upper", upper)))[1]
    if not isinstance(dummies, (tuple, list)) or len(dummies) != 2:
        raise bad_input("dummies", dummies, "a pair (r1, r2)")
    pair = finite_array("dummies", list(dummies), ndim=1)
    if pair.min() < 0 or pair.max() > upper:
        raise bad_input("dummies", tuple(dummies), f"numbers in [0, {upper:g}]")
    if pair[0] == pair[1]:
        raise bad_input("dummies", tuple(dummies), "two different numbers", "their spread keeps the variance above 0")
    check_bounds(tuple(sorted(pair.tolist())))  # so that the square of their distance is a normal double
    return float(pair[0]), float(pair[1])


def read_two_groups(data: Any, *, group: str = "group", value: str = "value") -> tuple[NDArray[Any], NDArray[Any]]:
    """The values of groups A and B from a pair (a, b) of arrays or from a frame with a group and a value column.

    >>> import pyarrow as pa
    >>> read_two_groups(pa.table({"group": ["A", "B", "A"], "value": [1.0, 2.0, 3.0]}))
    (array([1., 3.]), array([2.]))
    """
    if not isinstance(data, (tuple, list)) and is_frame(data):
        labels, values = column(data, group).astype(object), numbers(data, value)
        unknown = [label for label in labels if not (isinstance(label, str) and label in ("A", "B"))]
        if unknown:
            raise bad_input(
                f"column {group!r}", f"{len(unknown)} other labels", "the labels 'A' and 'B'", "recode the groups first"
            )
        return values[labels == "A"], values[labels == "B"]
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise bad_input(
            "data", type(data).__name__, "a pair (a, b) of arrays or a frame", "give the values of groups A and B"
        )
    return finite_array("a", data[0], ndim=1), finite_array("b", data[1], ndim=1)


@dataclass(frozen=True, eq=False)
class TwoGroups:
    """Real records of both groups and the dummies, as whole multiples of upper/2^bits, sorted.

    Whole numbers make every sum exact, so that the sensitivity proved for real arithmetic is the one of the program.
    Rounding each record to a public grid first is harmless: neighbours stay neighbours.
    """

    a: Ints
    b: Ints
    dummies: tuple[int, int]
    bits: int

    @classmethod
    def of(cls, data: Any, *, upper: float, dummies: tuple[float, float], **columns: str) -> TwoGroups:
        """Read, check and place the data on the grid; values outside [0, upper] are refused, not clipped."""
        a, b = read_two_groups(data, **columns)
        size = len(a) + len(b)
        if size == 0:
            raise bad_input("data", "no records", "at least one record")
        for name, values in (("a", a), ("b", b)):
            outside = values[(values < 0) | (values > upper)]
            if outside.size:
                raise bad_input(
                    f"group {name.upper()}", f"{outside.size} values outside", f"values in [0, {upper:g}]", "clip them"
                )
        bits = min(MOST_BITS, (61 - (size + 4).bit_length()) // 2)
        scale = 2.0**bits / upper
        first, second = (round(dummy * scale) for dummy in dummies)
        if first == second:
            raise bad_input("dummies", dummies, f"a distance of at least {2 / scale:.3g}", "set them farther apart")
        return cls(
            a=np.sort(np.rint(a * scale).astype(np.int64)),
            b=np.sort(np.rint(b * scale).astype(np.int64)),
            dummies=(first, second),
            bits=bits,
        )

    @property
    def size(self) -> int:
        """The number of real records, public under replace-one neighbours."""
        return len(self.a) + len(self.b)

    @property
    def upper(self) -> int:
        return 1 << self.bits

    @cached_property
    def moments(self) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """(n, Σx, n·Σx² − (Σx)²) of each group with its dummies, exact."""
        result = []
        for values in (self.a, self.b):
            n = len(values) + 2
            total = int(values.sum()) + sum(self.dummies)
            squares = int((values * values).sum()) + sum(dummy * dummy for dummy in self.dummies)
            result.append((n, total, n * squares - total * total))
        return result[0], result[1]

    @cached_property
    def gap(self) -> float:
        """|μ_A − μ_B| in grid units, correctly rounded."""
        (n_a, sum_a, _), (n_b, sum_b, _) = self.moments
        return abs(sum_a * n_b - sum_b * n_a) / (n_a * n_b)

    @cached_property
    def statistic(self) -> float:
        """Welch's t of D ∪ r, to a few units in the last place."""
        (n_a, sum_a, spread_a), (n_b, sum_b, spread_b) = self.moments
        error = spread_a / (n_a * n_a * (n_a - 1)) + spread_b / (n_b * n_b * (n_b - 1))
        return (sum_a * n_b - sum_b * n_a) / (n_a * n_b) / float(error**0.5)
