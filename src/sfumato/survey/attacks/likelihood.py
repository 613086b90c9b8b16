"""What the attacks on surveys share: likelihoods of reports, shares of right guesses, checks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.survey.data.survey import Survey
from sfumato.survey.mechanisms.collection import Collection
from sfumato.survey.mechanisms.shuffler import Shuffler

__all__ = ["check_survey", "conditional_shares", "likelihood"]


def check_survey(data: Survey, release: Survey) -> None:
    if not isinstance(data, Survey) or not isinstance(release, Survey) or data.n != release.n:
        raise bad_input("release", type(release).__name__, "a Survey of the same owners")


def likelihood(
    release: Survey, targets: NDArray[np.int64], mechanism: Any, repeats: int, rng: Rng
) -> NDArray[np.float64]:
    """Σ_d Pr[the report travels d places]·Pr[what lies there | answer], for each target and answer."""
    channel = np.eye(release.k) if release.channel is None else release.channel
    shuffler = mechanism.shuffler if isinstance(mechanism, Collection) else None
    if shuffler is None:
        return channel[:, release.answers[targets]].T
    offsets, weights = _travel(shuffler, repeats, rng)
    place = np.empty(release.n, np.int64)
    place[shuffler.reference] = np.arange(release.n)
    seen = release.answers[shuffler.reference]
    likelihood = np.full((targets.size, release.k), 1e-12)
    for offset, weight in zip(offsets, weights, strict=True):
        at = place[targets] + offset
        inside = (at >= 0) & (at < release.n)
        likelihood[inside] += weight * channel[:, seen[at[inside]]].T
    return likelihood


def _travel(shuffler: Shuffler, repeats: int, rng: Rng) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """How far a report travels along the reference order, with probabilities; the 2001 commonest are kept."""
    n = shuffler.reference.size
    place = np.empty(n, np.int64)
    place[shuffler.reference] = np.arange(n)
    counts = np.zeros(2 * n - 1, np.int64)
    for _ in range(repeats):
        moved = shuffler.draw(rng=rng)  # the slot of owner i holds the report of owner moved[i]
        counts += np.bincount(place - place[moved] + n - 1, minlength=2 * n - 1)
    offsets = np.flatnonzero(counts)
    if offsets.size > 2001:
        offsets = np.sort(offsets[np.argsort(-counts[offsets], kind="stable")[:2001]])
    return offsets - (n - 1), counts[offsets] / counts.sum()


def conditional_shares(data: Survey, bins: int) -> NDArray[np.float64]:
    """Pr[answer | privileged attributes] of every owner, with one imaginary owner spread over the answers."""
    overall = np.bincount(data.answers, minlength=data.k) / data.n
    cell = np.zeros(data.n, np.int64)
    if data.privileged is not None:
        for column in data.privileged.T:
            values, code = np.unique(column, return_inverse=True)
            if values.size > bins:
                code = np.searchsorted(np.quantile(column, np.linspace(0, 1, bins + 1)[1:-1]), column)
            cell = np.unique(cell * (int(code.max()) + 1) + code, return_inverse=True)[1]
    counts = np.zeros((int(cell.max()) + 1, data.k))
    np.add.at(counts, (cell, data.answers), 1.0)
    return ((counts + overall) / (counts.sum(axis=1, keepdims=True) + 1))[cell]
