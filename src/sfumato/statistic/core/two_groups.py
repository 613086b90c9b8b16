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
from sfumato.promise import Assumption
from sfumato.statistic.core.column import check_bounds
from sfumato.validate import finite_array, positive

__all__ = ["LABELS", "TwoGroups", "check_dummies", "check_labels", "public_labels", "read_two_groups"]

LABELS = ("A", "B")
"""What groups are called if nothing else is declared; the statistic grows with the mean of the first."""

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


def check_labels(labels: Sequence[Any]) -> tuple[str, str]:
    """The labels of the two groups as they are written, the first first.

    >>> check_labels((1, 0))
    ('1', '0')
    """
    if not isinstance(labels, (tuple, list)) or len(labels) != 2:
        raise bad_input("labels", labels, "two labels", "the first group first")
    first, second = map(_written, labels)
    if first == second:
        raise bad_input("labels", tuple(labels), "two different labels")
    return first, second


def public_labels(labels: tuple[str, str]) -> tuple[Assumption, ...]:
    """What a promise takes as public about the labels: nothing if they are those of before any data."""
    return () if labels == LABELS else (Assumption("labels"),)


def _written(label: Any) -> str:
    """A label as people write it: 1.0 is ``1``, as it becomes in a column of numbers that had gaps."""
    if isinstance(label, (bool, np.bool_)):
        return str(label).lower()
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    return str(label)


def read_two_groups(
    data: Any, *, group: str = "group", value: str = "value", labels: Sequence[Any] = LABELS
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The values of both groups from a pair (a, b) of arrays or from a frame with a group and a value column.

    Which labels there are and which is first is declared, never read from the records. Another label is an error that
    names neither it nor how often it occurs.

    >>> import pyarrow as pa
    >>> trial = pa.table({"arm": ["control", "drug", "control"], "days": [1.0, 2.0, 3.0]})
    >>> read_two_groups(trial, group="arm", value="days", labels=("drug", "control"))
    (array([2.]), array([1., 3.]))
    """
    if not isinstance(data, (tuple, list)) and is_frame(data):
        told, values = column(data, group), numbers(data, value)
        first, second = check_labels(labels)
        if told.dtype.kind == "b":  # a reader of files turns True, TRUE and true into the same
            first, second = first.lower(), second.lower()
        written = np.array([_written(label) for label in told.tolist()], dtype=object)
        in_first, in_second = written == first, written == second
        if not (in_first | in_second).all():
            raise bad_input(
                f"column {group!r}",
                "other labels",
                f"the labels {first!r} and {second!r} alone",
                "declare the two labels (labels=(first, second), --label twice), and leave out other records",
            )
        return values[in_first], values[in_second]
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise bad_input(
            "data", type(data).__name__, "a pair (a, b) of arrays or a frame", "give the values of both groups"
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
    def of(cls, data: Any, *, upper: float, dummies: tuple[float, float], **columns: Any) -> TwoGroups:
        """Read, check and place the data on the grid; values outside [0, upper] are refused, not clipped."""
        a, b = read_two_groups(data, **columns)
        size = len(a) + len(b)
        if size == 0:
            raise bad_input("data", "no records", "at least one record")
        for name, values in zip(columns.get("labels", LABELS), (a, b), strict=True):
            outside = values[(values < 0) | (values > upper)]
            if outside.size:
                raise bad_input(
                    f"group {name}", f"{outside.size} values outside", f"values in [0, {upper:g}]", "clip them"
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
