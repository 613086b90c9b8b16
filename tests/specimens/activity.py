"""Activity logs with promises that do not hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.activity import Factoriser, PrivateFactorisation
from sfumato.activity.core.activity import Activity, as_dense
from sfumato.activity.examples import reached_k
from sfumato.activity.mechanisms.base import ActivityMechanism
from sfumato.activity.mechanisms.private_factorisation import _scaled_rows
from sfumato.auditor import AuditCase
from sfumato.mechanism import RandomizedResponse
from sfumato.mechanism.clusters import k_member_groups
from sfumato.noise import Rng
from sfumato.promise import ApproxDP, KAnonymity, PureDP

__all__ = ["CASES"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PrintedAlgorithm3(ActivityMechanism):
    """Algorithm 3 as printed: the users' factors are grouped as U′, and U·Vᵀ is returned (Mimoto 2022, §5.2)."""

    k: int = 3
    rank: int = 2

    @property
    def guarantee(self) -> KAnonymity:
        return KAnonymity(self.k)

    def _release(self, activity: Activity, rng: Rng) -> Activity:
        factors = [Factoriser(rank=self.rank, sweeps=10).fit(window, rng) for window in activity.windows]
        for one in factors:
            k_member_groups(one.users, self.k, rng=rng)  # U′, which the last line of the pseudo-code forgets
        return activity.with_windows(one.product() for one in factors)


@dataclass(frozen=True, kw_only=True, eq=False)
class ItemSideOnly(PrivateFactorisation):
    """A private factorisation as it is often sold: the items' side is noised and paid for, the rows are exact."""

    @property
    def guarantee(self) -> ApproxDP:
        return ApproxDP(self.epsilon, self.delta, unit="user")

    def _release(self, activity: Activity, rng: Rng) -> Activity:
        rows = [_scaled_rows(as_dense(window)) for window in activity.windows]
        directions = self._item_side(rows, rng, ()).directions
        return activity.with_windows(part @ directions @ directions.T for part in rows)


@dataclass(frozen=True, kw_only=True, eq=False)
class CellsSoldAsUsers(ActivityMechanism):
    """Randomised response with ε for each cell, promised to each user, who has many cells."""

    epsilon: float = 1.0

    @property
    def guarantee(self) -> PureDP:
        return PureDP(self.epsilon, unit="user", neighbours="any-pair", model="local")

    def _release(self, activity: Activity, rng: Rng) -> Activity:
        response = RandomizedResponse(epsilon=self.epsilon, categories=2)
        return activity.with_windows(
            response.release(as_dense(window).astype(int), rng=rng) + 0.0 for window in activity.windows
        )


MATRIX = (np.random.default_rng(3).random((9, 6)) < 0.4) * 1.0
OTHER = MATRIX.copy()
OTHER[0] = 1 - OTHER[0]
CROWD = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
MOVED = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])

CASES = [
    AuditCase(
        mechanism=PrintedAlgorithm3(),
        pairs=[(MATRIX, OTHER)],
        reached=reached_k,
        expected="broken",
        source="Mimoto 2022, Algorithm 3: U where U′ is meant",
    ),
    AuditCase(
        mechanism=ItemSideOnly(epsilon=2.0, delta=1e-3, rank=2),
        pairs=[(CROWD, MOVED)],
        features=lambda release: np.asarray(release).ravel(),
        samples=1_500,
        expected="broken",
        source="factorisations that publish V privately and U as it is",
    ),
    AuditCase(
        mechanism=CellsSoldAsUsers(),
        pairs=[(np.zeros((1, 6)), np.ones((1, 6)))],
        samples=3_000,
        expected="broken",
        source="ε of a cell printed as ε of a person",
    ),
]
