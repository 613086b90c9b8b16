"""The three risks of opinion 05/2014 for synthetic tables, against a control group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from sfumato.errors import bad_input
from sfumato.model.core.mixed_rows import MixedRows, closest_records, code_together
from sfumato.noise import Rng, seeded_rng
from sfumato.study.score import Score
from sfumato.validate import integer, positive

__all__ = ["RiskEstimate", "inference_risk", "linkability_risk", "singling_out_risk"]


@dataclass(frozen=True, kw_only=True)
class RiskEstimate:
    """Successes of one attack against training records, against fresh ones, and of guessing.

    Parameters
    ----------
    hits, control_hits : int
        Attacks that succeeded against training records, and against fresh ones.
    attacks, control_attacks : int
        How many were made.
    guess : float
        The rate of an attacker who has no synthetic data.
    """

    hits: int
    attacks: int
    control_hits: int
    control_attacks: int
    guess: float

    @property
    def rate(self) -> Score:
        """The success rate beside that against fresh records."""
        hits = np.arange(self.attacks) < self.hits
        return Score.of_share(hits, self.control_hits / self.control_attacks)

    @property
    def risk(self) -> Score:
        """(rate − control)/(1 − control): what the attack has from the training set itself; 0 without any leak.

        The interval joins the Wilson intervals of both rates, as Giomi et al. 2023 do.
        """
        attack, control = self.rate, Score.of_share(np.arange(self.control_attacks) < self.control_hits)
        if control.value >= 1:
            return Score(0.0, 0.0, 0.0, 0.0)
        value = (attack.value - control.value) / (1 - control.value)
        half_a = (attack.high - attack.low) / 2
        half_c = (control.high - control.low) / 2
        spread = math.hypot(half_a / (1 - control.value), half_c * (1 - attack.value) / (1 - control.value) ** 2)
        return Score(max(0.0, value), max(0.0, value - spread), min(1.0, max(0.0, value + spread)), 0.0)

    @property
    def strong(self) -> bool:
        """Whether the attack beats guessing; if not, a small risk says nothing."""
        return self.rate.low > self.guess


def _groups(
    train: Any, test: Any, synthetic: Any, attacks: int, rng: Rng | None
) -> tuple[MixedRows, MixedRows, MixedRows, Rng]:
    known, fresh, made = code_together(train, test, synthetic)
    generator = seeded_rng(0) if rng is None else rng
    integer("attacks", attacks)
    return known, fresh, made, generator


def _targets(rows: MixedRows, count: int, rng: Rng) -> MixedRows:
    return rows.take(rng.choice(len(rows), min(count, len(rows)), replace=False))


def linkability_risk(
    train: Any,
    test: Any,
    synthetic: Any,
    *,
    halves: tuple[Sequence[str], Sequence[str]] | None = None,
    attacks: int = 1_000,
    neighbours: int = 1,
    rng: Rng | None = None,
) -> RiskEstimate:
    """Link two halves of a person's record through the synthetic table (Giomi et al. 2023, anonymeter).

    The attacker has some columns of a person from one source and others from a second, without names. If both halves
    have a common synthetic record among their ``neighbours`` closest, they are taken for the same person.

    Parameters
    ----------
    halves : pair of lists of str, optional
        The columns of the two sources; by default every other column.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> train, test = rng.normal(size=(2, 200, 4))
    >>> linkability_risk(train, test, train, attacks=100).risk.value > 0.9
    True
    """
    known, fresh, made, generator = _groups(train, test, synthetic, attacks, rng)
    if known.width < 2:
        raise bad_input("columns", known.width, "at least two, one for each half")
    names = sorted(known.names) if halves is None else []
    first, second = (names[::2], names[1::2]) if halves is None else halves
    if set(first) & set(second) or not first or not second:
        raise bad_input("halves", halves, "two lists of columns without a common one")
    neighbours = integer("neighbours", neighbours, most=len(made))

    def linked(rows: MixedRows) -> int:
        sides = [
            closest_records(made.select(side), rows.select(side), count=neighbours).which for side in (first, second)
        ]
        return int((sides[0][:, :, None] == sides[1][:, None, :]).any(axis=(1, 2)).sum())

    targets, others = _targets(known, attacks, generator), _targets(fresh, attacks, generator)
    guess = float(hypergeom(len(made), neighbours, neighbours).sf(0))  # two random sets of neighbours meet
    return RiskEstimate(
        hits=linked(targets),
        attacks=len(targets),
        control_hits=linked(others),
        control_attacks=len(others),
        guess=guess,
    )


def inference_risk(
    train: Any,
    test: Any,
    synthetic: Any,
    *,
    secret: str,
    known_columns: Sequence[str] | None = None,
    attacks: int = 1_000,
    tolerance: float = 0.05,
    rng: Rng | None = None,
) -> RiskEstimate:
    """Guess a column of a person from the closest synthetic record on the columns that are known.

    Parameters
    ----------
    secret : str
    known_columns : list of str, optional
        By default all others.
    tolerance : float
        A guessed number is right if it is within this share of the true one.
    """
    known, fresh, made, generator = _groups(train, test, synthetic, attacks, rng)
    positive("tolerance", tolerance, zero=True)
    if secret not in known.names:
        raise bad_input("secret", secret, "one of " + ", ".join(known.names))
    helpers = [name for name in known.names if name != secret] if known_columns is None else list(known_columns)
    if not helpers or secret in helpers:
        raise bad_input("known_columns", helpers, "at least one column, without the secret")

    def values(rows: MixedRows) -> NDArray[Any]:
        only = rows.select([secret])
        return only.raw[:, 0] if only.number_names else only.codes[:, 0]

    numeric = secret in known.number_names

    def right(true: NDArray[Any], guess: NDArray[Any]) -> NDArray[np.bool_]:
        return np.abs(guess - true) <= tolerance * np.abs(true) if numeric else guess == true

    def hits(rows: MixedRows) -> int:
        found = closest_records(made.select(helpers), rows.select(helpers)).which[:, 0]
        return int(right(values(rows), values(made)[found]).sum())

    targets, others = _targets(known, attacks, generator), _targets(fresh, attacks, generator)
    drawn = values(made)[generator.integers(len(made), size=len(targets))]
    guess = max(float(right(values(targets), drawn).mean()), _best_constant(values(targets), values(made), right))
    return RiskEstimate(
        hits=hits(targets),
        attacks=len(targets),
        control_hits=hits(others),
        control_attacks=len(others),
        guess=guess,
    )


def _best_constant(true: NDArray[Any], made: NDArray[Any], right: Any) -> float:
    """What always guessing the most frequent synthetic value achieves."""
    seen, counts = np.unique(made, return_counts=True)
    return float(right(true, np.full(len(true), seen[counts.argmax()])).mean())


def singling_out_risk(
    train: Any,
    test: Any,
    synthetic: Any,
    *,
    columns: int | None = None,
    attacks: int = 500,
    rng: Rng | None = None,
) -> RiskEstimate:
    """Guess descriptions that fit exactly one person, from descriptions that fit exactly one synthetic record.

    A description joins conditions on some columns of a random synthetic record: equal to its category; at least its
    number where that is above the median, at most where it is below. Descriptions of one column are instead: beyond the
    extremes, or equal to a value that occurs once. It succeeds if exactly one person fits. Both groups are reduced to
    one size, because how many fit depends on it.

    Parameters
    ----------
    columns : int, optional
        Of a description; by default as few, from 3 on, as give half the descriptions that are wanted.

    Guessing is what random descriptions that do not look at synthetic records achieve.
    """
    known, fresh, made, generator = _groups(train, test, synthetic, attacks, rng)
    size = min(len(known), len(fresh))
    group, control = (_targets(part, size, generator) for part in (known, fresh))
    wanted = None if columns is None else integer("columns", columns, most=known.width)
    told: list[tuple[Condition, ...]] = []
    for count in range(min(3, known.width), known.width + 1) if wanted is None else [wanted]:
        make = _descriptions if count > 1 else _extremes
        found = [one for one in make(made, count, attacks, generator) if _fitting(made, one) == 1]
        told = max(told, found, key=len)
        if 2 * len(told) >= attacks:
            break
    if not told:
        raise bad_input("synthetic", "no record stands out", "descriptions that fit one record", "use more columns")
    blind = [_random_description(made, len(told[0]), generator) for _ in range(attacks)]
    return RiskEstimate(
        hits=sum(_fitting(group, one) == 1 for one in told),
        attacks=len(told),
        control_hits=sum(_fitting(control, one) == 1 for one in told),
        control_attacks=len(told),
        guess=sum(_fitting(group, one) == 1 for one in blind) / len(blind),
    )


# A condition is (column, sign, value): sign 0 means equal, 1 at least, −1 at most. Numbers come first, then categories.
Condition = tuple[int, int, float]


def _values(rows: MixedRows, place: int) -> NDArray[Any]:
    width = len(rows.number_names)
    return rows.raw[:, place] if place < width else rows.codes[:, place - width]


def _fitting(rows: MixedRows, conditions: Sequence[Condition]) -> int:
    fits: NDArray[np.bool_] = np.ones(len(rows), bool)
    for place, sign, value in conditions:
        column = _values(rows, place)
        fits &= column == value if sign == 0 else column >= value if sign > 0 else column <= value
    return int(fits.sum())


def _descriptions(made: MixedRows, columns: int, attacks: int, rng: Rng) -> list[tuple[Condition, ...]]:
    numbers = len(made.number_names)
    middle = np.median(made.raw, axis=0) if numbers else np.empty(0)
    out: dict[tuple[Condition, ...], None] = {}
    for _ in range(2 * attacks):
        record = int(rng.integers(len(made)))
        places = np.sort(rng.choice(made.width, columns, replace=False))
        parts = []
        for place in places.tolist():
            value = float(_values(made, place)[record])
            parts.append((place, 0 if place >= numbers else 1 if value > middle[place] else -1, value))
        if _fitting(made, parts) == 1:
            out[tuple(parts)] = None
        if len(out) == attacks:
            break
    return list(out)


def _extremes(made: MixedRows, columns: int, attacks: int, rng: Rng) -> list[tuple[Condition, ...]]:
    out: list[tuple[Condition, ...]] = []
    for place in range(made.width):
        column = _values(made, place)
        seen, counts = np.unique(column, return_counts=True)
        out += [((place, 0, float(value)),) for value in seen[counts == 1]]
        if place < len(made.number_names):
            out += [((place, 1, float(column.max())),), ((place, -1, float(column.min())),)]
    chosen = rng.permutation(len(out))[:attacks]
    return [out[one] for one in chosen]


def _random_description(made: MixedRows, columns: int, rng: Rng) -> tuple[Condition, ...]:
    """Conditions on random columns with values drawn between the extremes, each by itself."""
    numbers = len(made.number_names)
    parts = []
    for place in rng.choice(made.width, columns, replace=False).tolist():
        column = _values(made, place)
        if place < numbers:
            value = float(rng.uniform(column.min(), column.max() + 1e-12))
            parts.append((place, 1 if rng.random() < 0.5 else -1, value))
        else:
            parts.append((place, 0, float(rng.choice(np.unique(column)))))
    return tuple(parts)
