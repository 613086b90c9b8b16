"""From the options of the command line to a mechanism, its data and the meaning of its answer."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

import sfumato.mechanism
from sfumato.errors import bad_input
from sfumato.io.frames import column as frame_column
from sfumato.io.frames import numbers
from sfumato.mechanism import Mechanism, SmoothGaussian
from sfumato.statistic.core.column import check_bounds
from sfumato.statistic.core.smooth_median import median_and_bound
from sfumato.statistic.mechanisms.welch_test import WelchAnswer, WelchTest
from sfumato.study.rooms import command_name
from sfumato.validate import integer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CategoryCounts", "Question", "kinds", "record_mechanisms"]


def record_mechanisms() -> dict[str, type]:
    """The textbook mechanisms by the name they have on the command line: every class of :mod:`sfumato.mechanism`."""
    kinds = [getattr(sfumato.mechanism, name) for name in dir(sfumato.mechanism)]
    return {
        command_name(kind): kind
        for kind in kinds
        if inspect.isclass(kind) and issubclass(kind, Mechanism) and not inspect.isabstract(kind)
    }


@functools.cache
def kinds() -> dict[str, type]:
    """Every mechanism of this kind of data by its name on the command line."""
    from sfumato.statistic.room import ROOM

    return ROOM.mechanisms() | record_mechanisms()


@dataclass(frozen=True)
class CategoryCounts:
    """The number of records of each public category: the scores among which ``exponential`` chooses."""

    categories: Sequence[str]

    def __call__(self, data: Any) -> list[int]:
        words, counts = np.unique(np.asarray(data, dtype=str), return_counts=True)
        found = dict(zip(words.tolist(), counts.tolist(), strict=True))
        strange = len(found.keys() - set(self.categories))
        if strange:
            raise bad_input("data", f"{strange} other categories", f"one of {', '.join(self.categories)}", "list all")
        return [found.get(category, 0) for category in self.categories]


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked of a table, as the commands take it.

    Parameters
    ----------
    kind : type
        The class of the mechanism.
    settings : mapping
        Parameters of the mechanism that have no option of their own; they win over the options.
    """

    kind: type
    columns: Sequence[str]
    epsilon: float | None = None
    low: float | None = None
    high: float | None = None
    delta: float | None = None
    neighbours: str | None = None
    clip: bool = False
    bins: int = 10
    categories: Sequence[str] = ()
    quantiles: Sequence[float] = (0.5,)
    group: str = "group"
    labels: Sequence[str] = ()
    deviation: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise bad_input("--column", list(self.columns), "different columns, at least one")
        if len(self.columns) > 1 and not self.vectors:
            raise bad_input("--column", list(self.columns), f"one column for {self.name}", "ask once for each column")
        if "bounds_y" in self._fields and len(self.columns) != 2:
            raise bad_input("--column", list(self.columns), f"two columns for {self.name}", "--column twice")
        if self._takes_groups and self._bounded and not self._fields & {"bounds", "upper"}:
            raise bad_input("--low, --high", (self.low, self.high), f"none for {self.name}, which needs no bounds")
        if self.labels and "labels" not in self._fields:
            raise bad_input("--label", list(self.labels), f"no labels for {self.name}", "they are for t-tests")
        if self.delta is not None and "delta" not in self._fields:
            raise bad_input("--delta", self.delta, f"no δ for {self.name}, whose promise needs none", "leave it out")
        twice = {"epsilon", "delta"} & {name for name in self.settings if getattr(self, name, None) is not None}
        if twice:
            raise bad_input(f"--set {min(twice)}", self.settings[min(twice)], f"either it or --{min(twice)}")

    @property
    def name(self) -> str:
        """The name of the mechanism on the command line."""
        return command_name(self.kind)

    @cached_property
    def _fields(self) -> set[str]:
        return {one.name for one in dataclasses.fields(self.kind) if one.init}

    @property
    def vectors(self) -> bool:
        """Whether a record is several numbers."""
        return bool(self._fields & {"dimension", "covariance", "bounds_y"}) and not self._takes_smooth_bound

    @property
    def _takes_groups(self) -> bool:
        return "group" in self._fields

    @property
    def each_record(self) -> bool:
        """Whether every record is released with noise, not one answer about all of them."""
        return (
            self.kind in record_mechanisms().values()
            and "candidates" not in self._fields
            and not self._takes_smooth_bound
        )

    @property
    def _takes_smooth_bound(self) -> bool:
        """Whether the noise follows a smooth bound of the answer's sensitivity; the answer then is the median."""
        return issubclass(self.kind, SmoothGaussian)

    @property
    def bounds(self) -> tuple[float, float]:
        """The public bounds, which most mechanisms need."""
        if self.low is None or self.high is None:
            raise bad_input(
                "--low, --high",
                (self.low, self.high),
                f"the public bounds of {self.columns[0]!r}",
                "never taken from the data",
            )
        return self.low, self.high

    def bounds_of(self, column: str) -> tuple[float, float]:
        """The public bounds of one column: those that are set for it alone, or those of all."""
        own = {"bounds_x": 0, "bounds_y": 1}
        for name in self._fields & self.settings.keys() & own.keys():
            if list(self.columns).index(column) == own[name]:
                return check_bounds(self.settings[name])
        return self.bounds

    @property
    def _bounded(self) -> bool:
        return self.low is not None or self.high is not None

    # ── parameters ────────────────────────────────────────────────────────────────────────────────────────────────

    def parameters(self, table: Any) -> dict[str, Any]:
        """The parameters of the mechanism that options give; of the table only the number of rows is used.

        Each parameter has one rule below, whichever mechanism it belongs to.
        """
        if self.neighbours is not None and "neighbours" not in self._fields and self.neighbours != "replace-one":
            raise bad_input("--neighbours", self.neighbours, f"replace-one for {self.name}")
        rules = {name: rule for name, rule in _RULES.items() if name in self._fields and name not in self.settings}
        found = {name: rule(self) for name, rule in rules.items()}
        given = {name: value for name, value in found.items() if value is not None} | dict(self.settings)
        if issubclass(self.kind, WelchTest) and "noise_scale" not in given:
            return self._planned(given, len(table)) | given
        return given

    def _planned(self, given: dict[str, Any], size: int) -> dict[str, Any]:
        """The public noise of a test, from a public guess of the spread."""
        if self.deviation is None:
            raise bad_input("--deviation", None, "a public guess of the standard deviation", "it sets the public noise")
        known = inspect.signature(WelchTest.planned).parameters
        guess = {name: value for name, value in given.items() if name in known}
        planned = WelchTest.planned(size=size, deviation=self.deviation, **guess)
        return {name: getattr(planned, name) for name in ("noise_scale", "check_share", "reserve")}

    @property
    def settled(self) -> set[str]:
        """Parameters that follow from the options and must not be set otherwise: the promise rests on them."""
        return {"neighbours", "utility", "monotonic", "candidates", "dimension"} | (
            {"sensitivity"} if "candidates" in self._fields else set()
        )

    def _categories_or_none(self) -> list[str] | None:
        if self.categories or "edges" in self._fields:  # a histogram also takes bins
            return list(self.categories) or None
        raise bad_input("--category", None, f"every public category for {self.name}", "never taken from the data")

    def _edges(self) -> list[float] | None:
        if self.categories:
            return None
        return np.linspace(*self.bounds, integer("--bins", self.bins) + 1).tolist()

    def _upper(self) -> float:
        low, high = self.bounds
        if low != 0:
            raise bad_input("--low", low, "0 for a t-test", "subtract it from the values first")
        return high

    def _delta(self) -> float | None:
        if "dummies" in self._fields and self.delta is None:
            raise bad_input("--delta", None, "a δ for a t-test, such as 1e-6")
        return self.delta

    def _neighbours(self) -> str | None:
        local = "any-pair"
        default = next(one.default for one in dataclasses.fields(self.kind) if one.name == "neighbours")
        if self.neighbours is not None and default == local:
            raise bad_input("--neighbours", self.neighbours, f"none for {self.name}, which protects every record alone")
        return self.neighbours

    def _sensitivity(self) -> float | None:
        if "candidates" in self._fields:
            return 1.0  # a record changes a count by one
        if not self._bounded or "covariance" in self._fields:
            return None
        return self.largest_change(None, self.bounds[1] - self.bounds[0])

    def largest_change(self, mechanism: Any, *widths: float) -> float:
        """How far two records are apart at most, in the mechanism's norm, if columns are this wide."""
        if hasattr(mechanism, "norm"):
            signs = np.array(list(itertools.product((-1.0, 1.0), repeat=len(widths))))
            return float(np.max(mechanism.norm(signs * widths)))
        return math.nextafter(widths[0], math.inf) if widths[0] > 0 else 0.0  # a difference may be rounded down

    # ── data ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def data(self, table: Any, mechanism: Any) -> Any:
        """The part of the table that is asked about, as the mechanism takes it."""
        if self._takes_smooth_bound:
            return median_and_bound(self.records(table), self.bounds, mechanism.beta)
        return self.records(table)

    def records(self, table: Any) -> Any:
        """The part of the table that is asked about."""
        if self._takes_groups:
            return table
        if self.vectors:
            return np.stack([self._numbers(table, name) for name in self.columns], axis=1)
        only = self.columns[0]
        if self.categories and self._fields & {"categories", "candidates"}:
            return np.array([str(value) for value in frame_column(table, only)])
        if "within" in self._fields and not self._bounded:  # a count of what is true
            return frame_column(table, only)
        return self._numbers(table, only)

    def _numbers(self, table: Any, name: str) -> Any:
        values = numbers(table, name)
        if (
            not self._bounded
            or "outside" in self._fields
            or not (self.each_record or self._takes_smooth_bound or "bounds_y" in self._fields)
        ):
            return values
        low, high = self.bounds_of(name)
        if self.clip:
            return np.clip(values, low, high)
        outside = int(((values < low) | (values > high)).sum())
        if outside:
            own = ", or --set bounds_y=[low, high] for the second column" if "bounds_y" in self._fields else ""
            found, expected = f"{outside} values outside", f"values in [{low:g}, {high:g}]"
            raise bad_input(f"column {name!r}", found, expected, f"--clip{own}")
        return values

    def check(self, mechanism: Any, data: Any) -> None:
        """Raise whatever a release of this data would raise, before anything is paid for."""
        self.check_reach(mechanism)
        mechanism.release(data, rng=np.random.default_rng(0))  # thrown away: only its checks count

    def check_reach(self, mechanism: Any) -> None:
        """Raise an error if noise on each record is too small to hide it among all values within the bounds."""
        if self.each_record and "sensitivity" in self._fields:
            # Public bounds, never the spread of the data: a refusal that one record decides would tell of it.
            low, high = self.bounds
            if self.largest_change(mechanism, *[high - low] * len(self.columns)) > mechanism.sensitivity * (1 + 1e-9):
                raise bad_input(
                    "sensitivity",
                    mechanism.sensitivity,
                    "at least the largest distance between two records within --low and --high",
                    "noise on each record hides it only among values so near; narrower --low and --high with --clip",
                )

    # ── answer ────────────────────────────────────────────────────────────────────────────────────────────────────

    def public(self) -> dict[str, Any]:
        """The options that were given, as plain values; with the name of the mechanism they make the question again."""
        defaults = Question(kind=self.kind, columns=self.columns)
        values = {one.name: getattr(self, one.name) for one in dataclasses.fields(self) if one.name != "kind"}
        given = {name: value for name, value in values.items() if value != getattr(defaults, name)}
        given |= {"columns": self.columns}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}

    def record_table(self, values: Any) -> pa.Table:
        """Released records as a table of the columns that were asked for."""
        import pyarrow as pa

        rows = np.asarray(values).reshape(len(values), -1)
        return pa.table({name: rows[:, k] for k, name in enumerate(self.columns)})

    def released_records(self, table: pa.Table) -> Any:
        """The records in a released table, as the mechanism gave them."""
        columns = [frame_column(table, name) for name in self.columns]
        return np.stack(columns, axis=1) if self.vectors else columns[0]

    def answer_table(self, mechanism: Any, released: Any) -> pa.Table:
        """A released statistic as a table, one row for each number."""
        import pyarrow as pa

        common = {"mechanism": self.name, "column": ", ".join(self.columns)}
        if isinstance(released, WelchAnswer):
            answer = {
                "part": self.parts(mechanism)[0],
                "answered": released.answered,
                "value": released.statistic,
                "p_value": released.p_value,
                "noise_scale": released.noise_scale,
            }
            return pa.Table.from_pylist([common | answer])
        parts = zip(self.parts(mechanism), np.atleast_1d(released).tolist(), strict=True)
        return pa.Table.from_pylist([common | {"part": part, "value": value} for part, value in parts])

    def parts(self, mechanism: Any) -> list[str]:
        """What each released number is."""
        if "edges" in self._fields:
            if mechanism.categories:
                return list(mechanism.categories)
            return [f"{low:g} to {high:g}" for low, high in itertools.pairwise(mechanism.edges)]
        if "q" in self._fields:
            return [f"{level:g}" for level in np.atleast_1d(mechanism.q)]
        if "labels" in self._fields:
            return [" − ".join(mechanism.labels)]
        return [""]


_RULES: dict[str, Callable[[Question], Any]] = {
    "epsilon": lambda asked: asked.epsilon,
    "delta": Question._delta,
    "neighbours": Question._neighbours,
    "bounds": lambda asked: asked.bounds,
    "bounds_x": lambda asked: asked.bounds,
    "bounds_y": lambda asked: asked.bounds,
    "low": lambda asked: asked.bounds[0],
    "high": lambda asked: asked.bounds[1],
    "within": lambda asked: asked.bounds if asked._bounded else None,
    "upper": Question._upper,
    "dummies": lambda asked: (0.0, asked.bounds[1]),
    "outside": lambda asked: "clip" if asked.clip else None,
    "edges": Question._edges,
    "categories": Question._categories_or_none,
    "q": lambda asked: asked.quantiles[0] if len(asked.quantiles) == 1 else tuple(asked.quantiles),
    "group": lambda asked: asked.group,
    "labels": lambda asked: tuple(asked.labels) or None,
    "value": lambda asked: asked.columns[0],
    "sensitivity": Question._sensitivity,
    "dimension": lambda asked: 1 if asked._takes_smooth_bound else len(asked.columns),
    "candidates": Question._categories_or_none,
    "utility": lambda asked: CategoryCounts(tuple(asked.categories)),
    "monotonic": lambda asked: asked.neighbours == "add-remove",
}
"""What each parameter of a mechanism is made from; None leaves it at its default."""
