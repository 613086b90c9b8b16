"""Surveys: one categorical answer per person, with a public place and side knowledge; and generators of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.noise import seeded_rng
from sfumato.validate import finite_array, integer

__all__ = ["Survey", "make_colour_map", "make_hospital_stays", "make_incomes"]


@dataclass(frozen=True, eq=False)
class Survey:
    """Answers of n owners.

    Parameters
    ----------
    answers : array of int, shape (n,)
        0, …, K − 1.
    where : array of shape (n, d)
        Public auxiliary values t_i that say who is near whom: places, an age.
    categories : sequence of str
        What the answers mean.
    privileged : array of shape (n, p), optional
        Side knowledge t^p of an attacker.
    geometry : {"plane", "globe"}
        How distances between places are measured.
    channel : array of shape (K, K), optional
        Pr[report | answer] of the public randomisation that the answers went through.
    names : sequence of str
        What the columns of ``where`` are.
    radii : array of shape (n,), optional
        How far each owner wants to hide, which is public.
    owners : array of shape (n,), optional
        The public names of the owners, where groups are made of names.
    """

    answers: NDArray[np.int64]
    where: NDArray[np.float64]
    categories: Sequence[str]
    privileged: NDArray[np.float64] | None = None
    geometry: Literal["plane", "globe"] = "plane"
    channel: NDArray[np.float64] | None = field(default=None, repr=False)
    names: Sequence[str] = ()
    radii: NDArray[np.float64] | None = field(default=None, repr=False)
    owners: NDArray[Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", np.asarray(self.answers))
        n = self.answers.size
        if n == 0 or self.answers.ndim != 1 or self.answers.dtype.kind not in "iu":
            raise bad_input("answers", self.answers, "one whole number for each owner")
        if self.answers.min() < 0 or self.answers.max() >= self.k:
            raise bad_input("answers", int(self.answers.max()), f"categories from 0 to {self.k - 1}")
        for name in ("where", "privileged"):
            value = getattr(self, name)
            if value is None:
                continue
            rows = finite_array(name, value)
            rows = rows[:, None] if rows.ndim == 1 else rows
            if rows.ndim != 2 or len(rows) != n:
                raise bad_input(name, rows.shape, f"one row for each of the {n} owners")
            object.__setattr__(self, name, rows)
        if self.radii is not None and finite_array("radii", self.radii, ndim=1).shape != (n,):
            raise bad_input("radii", np.shape(self.radii), f"one radius for each of the {n} owners")

    def arranged(self, rows: NDArray[np.int64]) -> Self:
        """The owners in another order."""
        parts = {name: getattr(self, name) for name in ("answers", "where", "privileged", "radii", "owners")}
        taken: dict[str, Any] = {name: None if part is None else part[rows] for name, part in parts.items()}
        return replace(self, **taken)

    @property
    def n(self) -> int:
        """Number of owners."""
        return len(self.answers)

    @property
    def k(self) -> int:
        """Number of possible answers."""
        return len(self.categories)

    def with_answers(self, answers: ArrayLike, channel: NDArray[np.float64] | None = None) -> Self:
        """The same owners with other answers, which went through ``channel``."""
        return replace(self, answers=np.asarray(answers), channel=channel)

    def __len__(self) -> int:
        return self.n


def make_colour_map(n: int = 20_000, *, seed: int = 0, spread: float = 0.08) -> Survey:
    """Syn: eight colours on a map, as two clusters of two crescents of two halves (Meehan 2023, Fig. 4.1).

    The colour is 4·cluster + 2·crescent + half: coarser patterns (four crescents, two clusters) survive a shuffle that
    the finest does not.

    >>> make_colour_map(100).k
    8
    """
    rng = seeded_rng(seed)
    integer("n", n, least=8)
    cluster, crescent = rng.integers(0, 2, n), rng.integers(0, 2, n)
    angle = rng.uniform(0, np.pi, n)
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    lower = np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], axis=1)
    points = np.where(crescent[:, None] == 0, upper, lower) + np.stack([cluster * 4.0, np.zeros(n)], axis=1)
    points += spread * rng.standard_normal((n, 2))
    colour = 4 * cluster + 2 * crescent + (angle > np.pi / 2)
    names = ["red", "orange", "gold", "green", "teal", "blue", "violet", "brown"]
    return Survey(colour.astype(np.int64), points, names, names=("x", "y"))


def make_hospital_stays(n: int = 10_000, *, seed: int = 0, sites: int = 200, towns: int = 25) -> Survey:
    """Who pays for a hospital stay, by hospital, with the amount as side knowledge: hospitals cluster in towns.

    >>> make_hospital_stays(500).categories
    ['public', 'private', 'self', 'other']
    """
    rng = seeded_rng(seed)
    integer("n", n, least=sites)
    centre = rng.uniform(0, 500, (towns, 2))  # kilometres
    town = rng.integers(0, towns, sites)
    place = centre[town] + rng.normal(0, 8, (sites, 2))
    mix = rng.dirichlet([2.0, 1.5, 0.8, 0.3], size=towns)
    hospital = rng.choice(sites, size=n, p=rng.dirichlet(np.full(sites, 2.0)))
    chance = mix[town[hospital]].cumsum(axis=1)
    payer = (rng.random(n)[:, None] > chance[:, :-1]).sum(axis=1)
    amount = rng.normal(np.array([9.0, 9.8, 8.3, 8.8])[payer], 0.5)  # logarithm of the bill
    return Survey(payer, place[hospital], ["public", "private", "self", "other"], amount, names=("x", "y"))


def make_incomes(n: int = 10_000, *, seed: int = 0) -> Survey:
    """Income above a threshold, by age, with marital status as side knowledge: shaped like the Adult set.

    >>> make_incomes(500).where.shape
    (500, 1)
    """
    rng = seeded_rng(seed)
    integer("n", n, least=2)
    age = np.clip(np.round(rng.gamma(8.0, 4.8, n)), 17, 90)
    married = rng.random(n) < 1 / (1 + np.exp(-(age - 32) / 8))
    log_odds = -3.6 + 2.2 * married + 0.09 * (age - 17) - 0.0011 * (age - 17) ** 2
    rich = rng.random(n) < 1 / (1 + np.exp(-log_odds))
    return Survey(rich.astype(np.int64), age, ["<=50K", ">50K"], married.astype(float), names=("age",))
