"""What is left of a statistic: its error, whether its interval holds the truth, and how well a test still decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.statistic.core.studies import EachStudy, PValues, Studies, make_studies
from sfumato.study.shapes import Score
from sfumato.validate import choice, integer, probability

__all__ = ["Coverage", "Discrimination", "Error", "FalseAlarms", "Power", "power_curve", "share_interval"]


def share_interval(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a share.

    >>> low, high = share_interval(5, 100)
    >>> round(low, 3), round(high, 3)
    (0.022, 0.112)
    """
    z2 = 1.959964**2
    share = successes / trials
    middle = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = (z2 * (share * (1 - share) / trials + z2 / (4 * trials * trials))) ** 0.5 / (1 + z2 / trials)
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True, kw_only=True)
class Error:
    """How far a released statistic is from the exact one: |release − exact|, averaged over bins or quantiles.

    Parameters
    ----------
    query : mechanism of this room
        Its ``answer`` is the exact statistic.
    relative : bool
        Divide by |exact| (by the mean |exact| of an array).

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.statistic import Mean
    >>> Error(query=Mean(epsilon=1.0, bounds=(0, 10))).measure(np.array([1.0, 3.0]), 2.5).value
    0.5
    """

    query: Any
    relative: bool = False
    better: Literal["higher", "lower"] = "lower"

    def __post_init__(self) -> None:
        _check_query(self.query)

    @property
    def name(self) -> str:
        return "relative error" if self.relative else "absolute error"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        exact, released = _both(self.query, data, release)
        error = float(np.abs(released - exact).mean())
        if self.relative:
            size = float(np.abs(exact).mean())
            if size == 0:
                raise bad_input("exact answer", 0.0, "a statistic other than 0", "measure the absolute error")
            error /= size
        return Score(error, reference=0.0)


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """Whether release ± margin holds the exact statistic; over seeds, the coverage of the interval.

    Parameters
    ----------
    query : Count, Sum, Mean, Variance or Histogram
        With a noise ``margin``; the mechanism that made the release.
    level : float
        What the interval promises.
    """

    query: Any
    level: float = 0.95
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        _check_query(self.query)
        if not hasattr(self.query, "margin"):
            raise bad_input("query", self.query, "a mechanism with a margin", "quantiles have none")
        probability("level", self.level)

    @property
    def name(self) -> str:
        return f"coverage of the {self.level:.0%} interval"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        exact, released = _both(self.query, data, release)
        covered = np.abs(released - exact) <= self.query.margin(data, self.level)
        return Score(float(np.mean(covered)), reference=self.level)


def _check_query(query: Any) -> None:
    if not isinstance(query, Mechanism) or not hasattr(query, "answer"):
        raise bad_input("query", query, "a mechanism with an exact answer, such as Mean")


def _both(query: Any, data: Any, release: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    exact = np.asarray(query.answer(data), float)
    released = exact if release is data else np.asarray(release, float)  # the raw data answers exactly
    if released.shape != exact.shape:
        raise bad_input("release", released.shape, f"the shape {exact.shape} of the exact answer")
    return exact, released


@dataclass(frozen=True, kw_only=True)
class _Decisions:
    """Base of the measures on the p-values of many studies."""

    level: float = 0.05

    def __post_init__(self) -> None:
        probability("level", self.level)

    def _rejected(self, data: Any, release: Any) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        if isinstance(release, Studies):
            release = release.p_values
        if not isinstance(release, PValues):
            raise bad_input("release", type(release).__name__, "PValues", "EachStudy releases them")
        return release.equal <= self.level, release.different <= self.level


@dataclass(frozen=True, kw_only=True)
class FalseAlarms(_Decisions):
    """The type-I error: how often equal means are rejected. A test at level 5 % must not exceed 5 %."""

    better: Literal["higher", "lower"] = "lower"
    name: str = "false alarms (type-I error)"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        rejected, _ = self._rejected(data, release)
        return Score(float(rejected.mean()), *share_interval(int(rejected.sum()), len(rejected)), reference=self.level)


@dataclass(frozen=True, kw_only=True)
class Power(_Decisions):
    """How often different means are found. Means nothing beside a level that is not kept."""

    better: Literal["higher", "lower"] = "higher"
    name: str = "power"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        _, rejected = self._rejected(data, release)
        low, high = share_interval(int(rejected.sum()), len(rejected))
        return Score(float(rejected.mean()), low, high, reference=float((data.p_values.different <= self.level).mean()))


@dataclass(frozen=True, kw_only=True)
class Discrimination(_Decisions):
    """Power less false alarms: 0 for a coin, whatever the level it pretends to keep."""

    better: Literal["higher", "lower"] = "higher"
    name: str = "power above false alarms"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        alarms, found = self._rejected(data, release)
        value = float(found.mean() - alarms.mean())
        spread = 1.96 * float(np.sqrt(found.var() / len(found) + alarms.var() / len(alarms)))
        raw = data.p_values
        reference = float((raw.different <= self.level).mean() - (raw.equal <= self.level).mean())
        return Score(value, value - spread, value + spread, reference=reference)


def power_curve(
    test: Mechanism,
    effects: list[float],
    *,
    size: int,
    runs: int,
    level: float = 0.05,
    mean: float = 100.0,
    deviation: float = 14.0,
    rng: Rng | None = None,
) -> NDArray[np.float64]:
    """The share of ``runs`` made-up studies in which ``test`` rejects equal means, for each true difference.

    The value at effect 0 is the type-I error.
    """
    choice("effects", len(effects) > 0, (True,), "give at least one effect")
    probability("level", level)
    generator = resolve_rng(rng)
    each = EachStudy(test=test)
    shares = []
    for effect in effects:
        studies = make_studies(
            integer("runs", runs), size, effect=effect, mean=mean, deviation=deviation, rng=generator
        )
        released = each.release(Studies(equal=studies.different[:1], different=studies.different), rng=generator)
        shares.append(float((released.different <= level).mean()))
    return np.array(shares)
