"""Attack on check-ins: re-identify users by their histograms of hours and places."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from sfumato.direction.attacks.scoring import Floats, require_check_ins
from sfumato.direction.data.check_ins import CheckIns, nearest_place
from sfumato.errors import InfeasibleError
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.validate import integer

__all__ = ["HistogramLinkageAttack"]


@dataclass(frozen=True, kw_only=True)
class HistogramLinkageAttack:
    """Re-identifies users: links their protected histograms to histograms that the attacker knows.

    Every other record of a user is the attacker's background knowledge, the rest is what was released. Users are
    matched by the k nearest histograms (Hellinger distance) of hours and, where there are any, places.

    Parameters
    ----------
    k : int
        A user counts as linked when the true one is among the k nearest.
    adaptive : bool
        Protect the background with the same mechanism before comparing.
    """

    k: int = 1
    adaptive: bool = True

    criterion: ClassVar[Criterion] = "linkability"
    knows: ClassVar[str] = (
        "every other raw record of each user, which released records are one user's, and the law of the noise"
    )
    needs: ClassVar[frozenset[str]] = frozenset({"user"})

    def __post_init__(self) -> None:
        integer("k", self.k)

    @property
    def name(self) -> str:
        return "users linked" if self.k == 1 else f"users linked, top {self.k}"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of users linked; the reference is k out of all."""
        rng = resolve_rng(rng)
        require_check_ins(data, release)
        order = np.argsort(data.user, kind="stable")
        turn = np.empty(len(data), dtype=np.int64)
        turn[order] = np.arange(len(data))
        known = data.select(turn % 2 == 0)
        if self.adaptive and mechanism is not None:
            known = _protected_alike(mechanism, known, rng)
        users = data.users
        background, target = self._profiles(known, users), self._profiles(release.select(turn % 2 == 1), users)
        present = (background.sum(axis=1) > 0) & (target.sum(axis=1) > 0)
        if not present.any():
            raise InfeasibleError("no user has two records: expected one that the attacker knows and one to link to it")
        closeness = target[present] @ background[present].T
        own = np.diag(closeness)
        # ties are broken at random: a profile equal to many others links to none of them
        ahead = (closeness > own[:, None]).sum(axis=1)
        level = (closeness == own[:, None]).sum(axis=1) - 1
        rank = ahead + rng.integers(level + 1)
        return Score.of_share(rank < self.k, min(1.0, self.k / int(present.sum())))

    def _profiles(self, data: CheckIns, users: int) -> Floats:
        hours = np.zeros((users, 24))
        np.add.at(hours, (data.user, data.hour.astype(np.int64) % 24), 1)
        places = np.zeros((users, len(data.places)))
        np.add.at(places, (data.user, data.place), 1)
        total = np.maximum(hours.sum(axis=1, keepdims=True), 1)
        return np.concatenate((np.sqrt(hours / total), np.sqrt(places / total)), axis=1)


def _protected_alike(mechanism: Any, known: CheckIns, rng: Rng) -> CheckIns:
    """The background under the same noise: of whole check-ins, or of their hours or places only."""
    kind = getattr(getattr(mechanism, "noise", mechanism), "kind", None)  # of the mechanism, or of the one inside
    if kind == "hour":
        return replace(known, hour=np.asarray(mechanism.release(known.hour, rng=rng)))
    if kind == "latlon":
        latlon = np.asarray(mechanism.release(known.latlon, rng=rng))
        return replace(known, latlon=latlon, place=nearest_place(latlon, known.places))
    protected: CheckIns = mechanism.release(known, rng=rng)
    return protected
