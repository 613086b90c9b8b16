"""Linkage of users to their protected paths by a few known places, and the uniqueness of those places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.trace.attacks.belief import check_cohort
from sfumato.validate import integer

__all__ = ["LinkageAttack", "uniqueness"]

Path = NDArray[np.float64]
Timed = tuple[Path, Path]
_GAP, _FAR = 600.0, 20_000.0


@dataclass(frozen=True, kw_only=True)
class LinkageAttack:
    """Links each user to the protected path that passes closest to a few places known with their times.

    The value is the share of users recognised, the reference a guess. Data and release are arrays of shape
    (users, n, d).

    Parameters
    ----------
    known : int
        How many timed places of each user the attacker has.
    """

    criterion: ClassVar[Criterion] = "linkability"
    knows: ClassVar[str] = "a few places of a person with their times"

    known: int = 4
    name: str = "users recognised"

    def __post_init__(self) -> None:
        integer("known", self.known)

    def attack(
        self, data: ArrayLike, release: ArrayLike, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        truth, seen = check_cohort("data", data), check_cohort("release", release)
        if truth.shape != seen.shape:
            raise bad_input("release", seen.shape, f"the shape of the data, {truth.shape}")
        users, n, _ = truth.shape
        if self.known > n:
            raise bad_input("known", self.known, f"at most the {n} points of a path")
        generator = resolve_rng(rng)
        moments = generator.permuted(np.broadcast_to(np.arange(n), (users, n)), axis=1)[:, : self.known]
        hits = []
        for user in range(users):
            places = truth[user, moments[user]]
            far = np.linalg.norm(seen[:, moments[user]] - places, axis=2).sum(1)
            best = np.flatnonzero(far == far.min())
            hits.append(generator.choice(best) == user)
        return Score.of_share(hits, 1 / users)

    def recognise(self, people: Sequence[Timed], releases: Sequence[Timed], *, rng: Rng | None = None) -> Score:
        """The same for people who were seen at times of their own: (times, path) of each, and of each release.

        A release without points within ten minutes of a known time counts as 20 km away then. The release of person k
        is the k-th.
        """
        generator = resolve_rng(rng)
        hits = []
        for user, (times, path) in enumerate(people):
            known = np.sort(generator.permutation(len(times))[: self.known])
            far = np.array([_apart(times[known], path[known], *release) for release in releases])
            best = np.flatnonzero(far == far.min())
            hits.append(generator.choice(best) == user)
        return Score.of_share(hits, 1 / len(releases))


def _apart(moments: Path, places: Path, times: Path, path: Path) -> float:
    """The sum of the distances of known places from a path at their moments."""
    after = np.clip(np.searchsorted(times, moments), 1, len(times) - 1)
    near = np.minimum(np.abs(times[after] - moments), np.abs(times[after - 1] - moments)) <= _GAP
    there = np.stack([np.interp(moments, times, axis) for axis in path.T], axis=1)
    return float(np.where(near, np.linalg.norm(there - places, axis=1), _FAR).sum())


def uniqueness(visits: ArrayLike, known: int) -> NDArray[np.float64]:
    """The re-identification risk of every user against an attacker who knows *the worst* ``known`` of their places.

    risk = 1/(number of users who also visited all of them), maximised over all choices of ``known`` places: the
    location attack of Pellungrini et al. (2017). Users are bits of a word set, so a choice costs a few AND operations.

    Parameters
    ----------
    visits : array of int of shape (users, places)
        The places each user visited, as whole numbers; −1 for none.
    known : int

    >>> uniqueness([[0, 1], [0, 2], [0, 1]], 1).tolist()
    [0.5, 1.0, 0.5]
    """
    table = np.asarray(visits)
    if table.ndim != 2 or table.dtype.kind not in "iu":
        raise bad_input("visits", table.dtype, "whole numbers of shape (users, places)")
    integer("known", known, most=table.shape[1])
    users = len(table)
    places, codes = np.unique(table, return_inverse=True)
    codes = codes.reshape(table.shape).astype(np.int64)
    words = (users + 63) // 64
    visitors = np.zeros((len(places), words), np.uint64)
    rows = np.repeat(np.arange(users), table.shape[1])
    np.bitwise_or.at(visitors, (codes.ravel(), rows // 64), np.uint64(1) << (rows % 64).astype(np.uint64))
    codes[table < 0] = -1
    return _worst_choice(codes, visitors, known)


# Depth-first search over the choices of ``size`` places of one user, in lexicographic order. At every turn of the inner
# loop pick[0] < … < pick[depth] is the choice so far, stack[d + 1] for d < depth is the set of users who visited all of
# own[pick[0]] … own[pick[d]], and ``fewest`` is the smallest set of visitors over all complete choices before this one.
# A user always visits their own places, so no set is smaller than 1 and the search stops there.
@njit(cache=True)
def _worst_choice(codes, visitors, known):  # type: ignore[no-untyped-def]  # pragma: no cover
    users = len(codes)
    words = visitors.shape[1]
    risk = np.zeros(users)
    stack = np.empty((known + 1, words), np.uint64)
    pick = np.empty(known, np.int64)
    for user in range(users):
        own = np.unique(codes[user])
        own = own[own >= 0]
        size = min(known, len(own))
        if size == 0:
            continue
        stack[0, :] = ~np.uint64(0)
        depth = 0
        pick[0] = 0
        fewest = users
        while depth >= 0:
            if pick[depth] > len(own) - (size - depth):
                depth -= 1
                if depth >= 0:
                    pick[depth] += 1
                continue
            for w in range(words):
                stack[depth + 1, w] = stack[depth, w] & visitors[own[pick[depth]], w]
            if depth + 1 == size:
                count = 0
                for w in range(words):
                    x = stack[size, w]
                    while x:
                        x &= x - np.uint64(1)
                        count += 1
                fewest = min(fewest, count)
                pick[depth] += 1
            else:
                pick[depth + 1] = pick[depth] + 1
                depth += 1
            if fewest == 1:
                break
        risk[user] = 1.0 / fewest
    return risk
