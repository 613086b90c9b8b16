"""Risk against utility: every setting averaged over its seeds, and which of them is worth choosing."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sfumato.errors import InfeasibleError, bad_input
from sfumato.notebook import html_table
from sfumato.study.outcome import Outcome
from sfumato.study.run.cell import Row
from sfumato.study.study import RAW_LABEL
from sfumato.study.threshold import Threshold
from sfumato.study.wording import GREEK, shown
from sfumato.validate import choice, number

__all__ = ["Estimate", "Frontier", "Setting", "Total", "best", "estimate", "frontier", "settings"]


@dataclass(frozen=True)
class Estimate:
    """A measure of one setting over its seeds: mean, 95 % interval (NaN if unknown), reference, number of seeds."""

    mean: float
    low: float
    high: float
    reference: float
    seeds: int

    @property
    def cautious(self) -> float:
        """The upper end of the interval, or the mean where there is none: what to compare with a risk limit."""
        return self.mean if math.isnan(self.high) else self.high


@dataclass(frozen=True)
class Total:
    """What a holder of ``size`` units loses: the promise for all of them (empty if none is proved) and its ε."""

    holder: str
    size: int
    statement: str
    epsilon: float


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One mechanism with its parameters, and everything measured on its releases.

    ``name`` tells it from the others under its label by the parameters in which they differ: ``"ε = 0.5"``. A
    ``syntactic`` promise is about the form of the release (k-anonymity), not about what can be inferred from it: it is
    never called proved. ``totals`` says what those lose who hold several units, ``reasons`` why a measure has no value.
    """

    label: str
    name: str
    mechanism: str
    parameters: Mapping[str, Any]
    varied: float
    promise: str
    statement: str
    guaranteed: bool
    syntactic: bool
    unit: str
    neighbours: str
    model: str
    estimates: Mapping[str, Estimate]
    epsilon: float = math.nan
    totals: Sequence[Total] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return f"{self.label}, {self.name}" if self.name else self.label

    @property
    def proved(self) -> bool:
        """Whether the promise bounds what can be inferred, by whomever."""
        return self.guaranteed and not self.syntactic

    @property
    def kept_by(self) -> str:
        """What stands behind the promise, in a word or two: a proof, the form of the release, or nothing."""
        return "proved" if self.proved else "form only" if self.guaranteed else "nothing proved"

    @property
    def largest_epsilon(self) -> float:
        """The largest ε that anyone loses who is known to hold several units, or that of one unit."""
        known = [total.epsilon for total in self.totals if not math.isnan(total.epsilon)]
        return max([self.epsilon, *known]) if known else self.epsilon


@dataclass(frozen=True, kw_only=True)
class Frontier:
    """All settings on the plane of one attack and one utility.

    Parameters
    ----------
    attack, utility : str
    better : {"higher", "lower"}
        Which way the utility is better.
    points : sequence of Setting
        Without the raw data.
    raw : Setting
        The unprotected reference.
    chance : float
        What the attacker achieves without the release (NaN if the attack does not say).
    """

    attack: str
    utility: str
    better: str
    points: Sequence[Setting]
    raw: Setting
    chance: float

    def risk(self, setting: Setting) -> Estimate:
        return setting.estimates[self.attack]

    def use(self, setting: Setting) -> Estimate:
        return setting.estimates[self.utility]

    def gain(self, setting: Setting) -> float:
        """The utility turned so that more is better."""
        mean = self.use(setting).mean
        return mean if self.better == "higher" else -mean

    @property
    def efficient(self) -> list[Setting]:
        """The settings that no other one beats in both risk and utility (by their means), from low risk to high."""
        kept: list[Setting] = []
        for setting in sorted(self.points, key=lambda point: (self.risk(point).mean, -self.gain(point))):
            if not math.isnan(self.gain(setting)) and (not kept or self.gain(setting) > self.gain(kept[-1])):
                kept.append(setting)
        return kept

    @property
    def span(self) -> tuple[float, float]:
        """What the attacker achieves with nothing and with everything: chance and the raw data.

        An attack that knows no chance, or that is not defined on the raw data, is taken at its lowest or highest.
        """
        means = [mean for point in self.points if not math.isnan(mean := self.risk(point).mean)] or [0.0]
        raw = self.risk(self.raw).mean
        return (min(means) if math.isnan(self.chance) else self.chance, max(means) if math.isnan(raw) else raw)

    def levels(self, shares: Sequence[float] = (0.1, 0.25, 0.5, 0.75)) -> list[float]:
        """Risk limits at these shares of the way from chance to the attack on the raw data."""
        low, high = self.span
        return [low + share * (high - low) for share in shares]

    def best(self, *, risk_at_most: float, guaranteed: bool = False) -> Setting:
        """The most useful setting whose risk, up to its 95 % interval, stays within a limit.

        Parameters
        ----------
        risk_at_most : float
            In the unit of the attack. The upper end of the interval must respect it.
        guaranteed : bool
            Only settings with a proved promise; one about the form of the release is none.

        Raises
        ------
        InfeasibleError
            If no setting does; says how low one can get.
        """
        limit = number("risk_at_most", risk_at_most)
        known = [p for p in self.points if not math.isnan(self.gain(p)) and not math.isnan(self.risk(p).mean)]
        candidates = [point for point in known if point.proved or not guaranteed]
        if not candidates:
            lack = "carries a proved promise" if known else f"has both '{self.attack}' and '{self.utility}' measured"
            raise InfeasibleError(f"no setting {lack}: add one to the study")
        admitted = [point for point in candidates if self.risk(point).cautious <= limit]
        if not admitted:
            nearest = min(candidates, key=lambda point: self.risk(point).cautious)
            raise InfeasibleError(
                f"no setting keeps '{self.attack}' at or below {shown(limit)}: the lowest is "
                f"{shown(self.risk(nearest).cautious)} with {nearest.title}"
            )
        return max(admitted, key=lambda point: (self.gain(point), -self.risk(point).mean))

    def within(self, limits: Mapping[str, Threshold]) -> list[Setting]:
        """The settings whose risks, up to their 95 % intervals, keep all of the limits; an unknown risk keeps none."""
        return [
            point
            for point in self.points
            if all(point.estimates[attack].cautious <= limit.value for attack, limit in limits.items())
        ]

    def recommended(self, limits: Mapping[str, Threshold]) -> Setting | None:
        """The most useful setting within limits that a reader has named; nothing while none is named.

        If the study has settings with a proved promise, it is one of those.

        Raises
        ------
        InfeasibleError
            If no setting keeps them; says how low one can get.
        """
        if not limits:
            return None
        proved = [point for point in self.points if point.proved]
        candidates = proved or list(self.points)
        kept = [point for point in self.within(limits) if point in candidates and not math.isnan(self.gain(point))]
        if not kept:
            raise self.out_of_reach(limits)
        return max(kept, key=lambda point: (self.gain(point), -self.risk(point).mean))

    def out_of_reach(self, limits: Mapping[str, Threshold]) -> InfeasibleError:
        """That no setting keeps the limits, and how low each risk can be had."""
        proved = [point for point in self.points if point.proved]
        candidates = proved or list(self.points)
        parts = []
        for attack, limit in limits.items():
            risks = [(risk, point.title) for point in candidates if (risk := point.estimates[attack].cautious) == risk]
            lowest, title = min(risks, default=(math.nan, "any setting"))
            parts.append(f"'{attack}' at most {shown(limit.value)} (the lowest is {shown(lowest)} with {title})")
        which = "setting with a proved promise" if proved else "setting"
        return InfeasibleError(f"no {which} keeps {' and '.join(parts)}, counting the upper end of its interval")

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        rows = [
            [point.title, point.kept_by, shown(self.risk(point).mean), shown(self.use(point).mean)]
            for point in [self.raw, *self.points]
        ]
        caption = f"{self.attack} (chance {shown(self.chance)}) against {self.utility} ({self.better} is better)"
        return html_table(caption, ["setting", "promise", self.attack, self.utility], rows)


def estimate(rows: Sequence[Row], *, floor: float = -math.inf) -> Estimate:
    """Mean over seeds and a 95 % interval.

    The interval is the wider one of Student's t over the seeds and the mean of the intervals that the measure itself
    reports: the first knows the noise of the mechanism, the second that of a finite number of targets. It is cut at
    ``floor``, below which the measure never is.
    """
    values = np.array([row["value"] for row in rows], dtype=float)
    mean = float(np.mean(values))
    spread = _student(values)
    below = np.fmax(spread, mean - _mean([row["low"] for row in rows]))
    above = np.fmax(spread, _mean([row["high"] for row in rows]) - mean)
    low = float(np.maximum(mean - below, floor))  # NaN stays NaN
    return Estimate(mean, low, float(mean + above), _mean([row["reference"] for row in rows]), len(rows))


def _student(values: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    if len(values) < 2:
        return math.nan
    from scipy.special import stdtrit

    return float(stdtrit(len(values) - 1, 0.975) * values.std(ddof=1) / math.sqrt(len(values)))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else math.nan


def settings(outcome: Outcome) -> list[Setting]:
    """Every setting of a study, the raw data first, averaged over its seeds."""
    groups: dict[tuple[str, str, str], dict[str, list[Row]]] = {}
    for row in outcome.rows:
        # Not the whole repr: a set inside is written in another order by another process.
        key = (row["label"], row["mechanism"].partition("(")[0], row["parameters"])
        groups.setdefault(key, {}).setdefault(row["measure"], []).append(row)
    names = _names(list(groups), outcome.varied)
    floors = dict.fromkeys((row["measure"] for row in outcome.rows), 0.0)
    floors |= {row["measure"]: -math.inf for row in outcome.rows if row["value"] < 0}
    found = []
    for key, measures in groups.items():
        first = next(iter(measures.values()))[0]
        shared = {
            name: first[name]
            for name in (
                "label",
                "mechanism",
                "varied",
                "promise",
                "statement",
                "guaranteed",
                "syntactic",
                "unit",
                "neighbours",
                "model",
                "epsilon",
            )
        }
        shared["totals"] = [
            Total(holder, size, statement, math.nan if epsilon is None else epsilon)
            for holder, size, statement, epsilon in json.loads(first["totals"])
        ]
        shared["reasons"] = {m: why for m, rows in measures.items() if (why := next(filter(None, _reasons(rows)), ""))}
        estimates = {measure: estimate(rows, floor=floors[measure]) for measure, rows in measures.items()}
        found.append(Setting(name=names[key], parameters=json.loads(key[2]), estimates=estimates, **shared))
    return found


def _reasons(rows: Sequence[Row]) -> list[str]:
    return [row["reason"] for row in rows]


def _names(keys: Sequence[tuple[str, str, str]], varied: str) -> dict[tuple[str, str, str], str]:
    """What tells each setting from its siblings: the swept parameter if that is enough, or else all that differs."""
    by_label: dict[str, list[dict[str, Any]]] = {}
    for label, _, parameters in keys:
        by_label.setdefault(label, []).append(_leaves(json.loads(parameters)))
    names = {}
    for label, mechanism, text in keys:
        leaves, siblings = _leaves(json.loads(text)), by_label[label]
        differing = [path for path in leaves if any(other.get(path) != leaves[path] for other in siblings)]
        swept = [path for path in differing if path.rpartition(".")[2] == varied]
        if swept and len({other.get(swept[0]) for other in siblings}) == len(siblings):
            differing = swept[:1]
        parts = [f"{_shown_path(path)} = {shown(leaves[path])}" for path in differing]
        if len({leaves[path] for path in differing}) == 1:  # parts of a mechanism that are swept together
            parts = [f"{_shown_path(differing[0].rpartition('.')[2])} = {shown(leaves[differing[0]])}"]
        names[label, mechanism, text] = ", ".join(parts)
    return names


def _leaves(parameters: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """The parameters with those of nested objects, ``{"noise": {"Laplace": {…}}}``, as ``"noise.epsilon"``."""
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        if isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
            many = len(value) > 1
            found |= _leaves({f"{name} {place}" if many else name: item for place, item in enumerate(value, 1)}, path)
            continue
        if isinstance(value, Mapping) and len(value) == 1 and isinstance(next(iter(value.values())), Mapping):
            found |= _leaves(next(iter(value.values())), f"{path}{name}.")
        else:
            found[path + name] = value if isinstance(value, str | int | float | None) else json.dumps(value)
    return found


def _shown_path(path: str) -> str:
    *outer, name = path.split(".")
    return " ".join([*outer, GREEK.get(name, name)])


def frontier(outcome: Outcome, *, attack: str | None = None, utility: str | None = None) -> Frontier:
    """The plane of one attack and one utility; by default the first of each."""
    attack = choice("attack", attack or outcome.attacks[0], list(outcome.attacks))
    utility = choice("utility", utility or next(iter(outcome.utilities)), list(outcome.utilities))
    found = settings(outcome)
    raw = next((setting for setting in found if setting.label == RAW_LABEL), None)
    if raw is None or len(found) < 2:
        raise bad_input("outcome", outcome.name, "the raw data and at least one setting", "run the study again")
    points = [setting for setting in found if setting.label != RAW_LABEL]
    measured = [setting.estimates[attack] for setting in found if attack not in setting.reasons]
    references = [estimate.reference for estimate in measured] or [math.nan]
    chance = float(np.median(references)) if not np.isnan(references).any() else math.nan
    return Frontier(
        attack=attack, utility=utility, better=outcome.utilities[utility], points=points, raw=raw, chance=chance
    )


def best(
    outcome: Outcome,
    *,
    risk_at_most: float,
    attack: str | None = None,
    utility: str | None = None,
    guaranteed: bool = False,
) -> Setting:
    """Which setting is best at a given risk: see :meth:`Frontier.best`."""
    return frontier(outcome, attack=attack, utility=utility).best(risk_at_most=risk_at_most, guaranteed=guaranteed)
