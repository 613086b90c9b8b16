"""Private shuffling as printed: two readings of the dissertation that break its own guarantee."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.mechanism import Mechanism
from sfumato.survey import Groups, ShufflePrivacy, Shuffler
from sfumato.survey.examples import group_pairs, permutations_of


@dataclass(frozen=True, kw_only=True, eq=False)
class LiteralKendall(Mechanism):
    """Algorithm 1 with Kendall's distance read from D.2 to the letter: pairs of *places* with items in another order.

    That distance is not invariant under relabelling the owners, so that two neighbouring inputs can be further apart
    than Δ = ω(ω+1)/2.
    """

    alpha: float
    groups: Groups

    @property
    def guarantee(self) -> ShufflePrivacy:
        return ShufflePrivacy(self.alpha, self.groups)

    @cached_property
    def sound(self) -> Shuffler:
        return Shuffler(alpha=self.alpha, groups=self.groups, order="bfs", sensitivity_form="printed")

    @cached_property
    def law(self) -> tuple[np.ndarray, np.ndarray]:
        orders = np.array(list(itertools.permutations(range(self.groups.n))))
        reference = self.sound.reference
        distance = np.zeros(len(orders))
        for i, j in itertools.combinations(range(self.groups.n), 2):
            distance += (orders[:, i] - orders[:, j]) * (reference[i] - reference[j]) < 0
        weight = np.exp(-self.sound.theta * distance)
        return orders, weight / weight.sum()

    def release(self, data: Any, *, rng: np.random.Generator | None = None) -> np.ndarray:
        assert rng is not None
        orders, probability = self.law
        reports = np.asarray(data)
        out = np.empty_like(reports)
        out[self.sound.reference] = reports[orders[rng.choice(len(orders), p=probability)]]
        return out

    def log_prob(self, output: Any, data: Any) -> np.ndarray:
        orders, probability = self.law
        drawn = np.empty_like(orders)
        drawn[:, self.sound.reference] = np.asarray(data)[orders]
        mass = {row.tobytes(): p for row, p in zip(drawn, probability, strict=True)}
        return np.log([mass[np.asarray(row, drawn.dtype).tobytes()] for row in output])


@dataclass(frozen=True, kw_only=True, eq=False)
class HammingByWidth(LiteralKendall):
    """Hamming–Mallows shuffling with Δ from the width, as Property 4 reads: two neighbours need Δ = 2, not ω = 1."""

    @cached_property
    def sound(self) -> Shuffler:
        return Shuffler(alpha=self.alpha, groups=self.groups, order=np.arange(self.groups.n), metric="hamming")

    @cached_property
    def law(self) -> tuple[np.ndarray, np.ndarray]:
        orders = np.array(list(itertools.permutations(range(self.groups.n))))
        width = self.sound.width
        weight = np.exp(-self.alpha / width * np.count_nonzero(orders != self.sound.reference, axis=1))
        return orders, weight / weight.sum()


def _case(mechanism: LiteralKendall, name: str, source: str) -> AuditCase:
    reports = np.arange(mechanism.groups.n)
    return AuditCase(
        mechanism=mechanism,
        pairs=group_pairs(reports, mechanism.groups),
        outputs=permutations_of(reports),
        name=name,
        expected="broken",
        source=source,
    )


CASES = [
    _case(
        LiteralKendall(alpha=1.3, groups=Groups.from_lists([[0, 2, 4], [0, 1], [0, 2], [3, 4], [2, 3, 4]])),
        "shuffling with Kendall's distance as printed in D.2",
        "Meehan 2023, D.2 (errata E10)",
    ),
    _case(
        HammingByWidth(alpha=1.3, groups=Groups.from_lists([[0, 1], [0, 1], [2, 3], [2, 3], [4]])),
        "Hamming shuffling with Δ from the width",
        "Meehan 2023, Property 4",
    ),
]
