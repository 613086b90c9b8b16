"""Who said what: attacks on collected reports.

All three know the public places, the front end and the shuffler, and see the reports slot by slot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.noise.entropy import resolve_rng
from sfumato.study import Score
from sfumato.survey.core.local_view import local_shares, sample_owners, unbias, voters
from sfumato.survey.data.survey import Survey
from sfumato.survey.mechanisms.collection import Collection
from sfumato.survey.mechanisms.shuffler import Shuffler
from sfumato.validate import integer, positive, probability

__all__ = ["BayesianAttack", "LearnedAttack", "MajorityVoteAttack"]


@dataclass(frozen=True, kw_only=True)
class MajorityVoteAttack:
    """The inference attack ρ: an owner's answer is guessed by the vote of reports around (Meehan 2023, §4.5).

    For every owner, the reports in the slots of the ``votes`` owners within ``radius`` who are most alike in privileged
    attributes are counted. The permutation is drawn once and the answers are randomised ``resamples`` times; an owner
    is *vulnerable* if the vote is right in a share ``needed`` of them. The score is the share of vulnerable owners, the
    reference what always guessing the commonest answer gives.

    Parameters
    ----------
    radius : float
        r*, in the unit of the places.
    votes, resamples, owners : int
        ``owners`` bounds how many are attacked.
    needed : float
    answer : int, optional
        Attack only owners who gave this answer. Where one answer is far commoner than the others, a vote is right
        about most owners without telling anything; the rare answer shows what the attack can do.
    """

    radius: float
    votes: int = 25
    resamples: int = 50
    needed: float = 0.9
    owners: int = 2000
    answer: int | None = None
    name: str = "majority vote"

    def __post_init__(self) -> None:
        positive("radius", self.radius, zero=True)
        if self.answer is not None:
            integer("answer", self.answer, least=0)
        for field in ("votes", "resamples", "owners"):
            integer(field, getattr(self, field))
        probability("needed", self.needed, one=True)

    def attack(self, data: Survey, release: Survey, *, mechanism: Any = None, rng: Rng | None = None) -> Score:
        rng = resolve_rng(rng)
        _check(data, release)
        targets = self._targets(data, rng)
        who = voters(data, targets, self.radius, self.votes, rng)
        truth = data.answers[targets]
        if isinstance(mechanism, Collection):
            moved = mechanism.permutation(data.n, rng=rng)
            repeats = self.resamples if mechanism.front is not None else 1
            hits = np.zeros(targets.size)
            for _ in range(repeats):
                reports = mechanism.report(data.answers, rng=rng)[moved]
                hits += _vote(reports, who, data.k) == truth
            vulnerable = hits >= self.needed * repeats
        else:  # a mechanism that only shows one release
            vulnerable = _vote(release.answers, who, data.k) == truth
        commonest = int(np.bincount(data.answers).argmax())
        return _share(vulnerable, float(np.mean(truth == commonest)))

    def _targets(self, data: Survey, rng: Rng) -> NDArray[np.int64]:
        if self.answer is None:
            return sample_owners(data, self.owners, rng)
        gave = np.flatnonzero(data.answers == self.answer)
        if gave.size == 0:
            raise bad_input("answer", self.answer, "an answer that somebody gave")
        return gave if gave.size <= self.owners else np.sort(rng.choice(gave, size=self.owners, replace=False))


@dataclass(frozen=True, kw_only=True)
class BayesianAttack:
    """The most probable answer of each owner, given its privileged attributes and where its report may have gone.

    The attacker knows how often each answer goes with the privileged attributes, corrects that by the mix of reports
    within ``radius``, and simulates the shuffler to learn how far a report travels along the reference order:
    Pr[x | z] ∝ Pr[x | t^p]·(Pr[x | near]/Pr[x])·Σ_d Pr[travels d]·Pr[report there | x]. The score is the share of
    owners guessed right, the reference what Pr[x | t^p] alone achieves.

    Parameters
    ----------
    radius : float
        In the unit of the places.
    draws : int
        Simulated permutations.
    bins : int
        A privileged attribute with more values than this is cut into as many quantiles.
    owners : int
        Bounds how many are attacked.
    """

    radius: float
    draws: int = 20
    bins: int = 10
    owners: int = 2000
    name: str = "Bayesian"

    def __post_init__(self) -> None:
        positive("radius", self.radius, zero=True)
        for field in ("draws", "bins", "owners"):
            integer(field, getattr(self, field))

    def attack(self, data: Survey, release: Survey, *, mechanism: Any = None, rng: Rng | None = None) -> Score:
        rng = resolve_rng(rng)
        _check(data, release)
        targets = sample_owners(data, self.owners, rng)
        prior = _conditional_shares(data, self.bins)[targets]
        near = unbias(local_shares(release, targets, self.radius), release.channel)
        overall = unbias(np.bincount(release.answers, minlength=data.k)[None] / data.n, release.channel)
        told = (near + 0.02) / (overall + 0.02) * _likelihood(release, targets, mechanism, self.draws, rng)
        truth = data.answers[targets]
        return _share(np.argmax(prior * told, axis=1) == truth, float(np.mean(np.argmax(prior, axis=1) == truth)))


@dataclass(frozen=True, kw_only=True)
class LearnedAttack:
    """The same attacker with a model in place of known shares: it learns from the release alone.

    Gradient-boosted trees learn place and privileged attributes → report; what they say of an owner (by a model that
    did not see its slot), with the public randomisation undone, is the prior of the Bayesian step. The reference is
    always guessing the commonest answer.

    Parameters
    ----------
    draws, owners : int
        As in :class:`BayesianAttack`.
    trees : int
        Rounds of boosting.
    learned : int
        Bounds how many owners the model learns from.
    """

    draws: int = 20
    owners: int = 2000
    trees: int = 40
    learned: int = 20_000
    name: str = "learned model"

    def __post_init__(self) -> None:
        for field in ("draws", "owners", "trees", "learned"):
            integer(field, getattr(self, field))

    def attack(self, data: Survey, release: Survey, *, mechanism: Any = None, rng: Rng | None = None) -> Score:
        rng = resolve_rng(rng)
        _check(data, release)
        targets = sample_owners(data, self.owners, rng)
        prior = unbias(self._shares(release, targets, rng), release.channel)
        told = _likelihood(release, targets, mechanism, self.draws, rng)
        truth = data.answers[targets]
        return _share(np.argmax((prior + 1e-3) * told, axis=1) == truth, float(np.bincount(truth).max() / truth.size))

    def _shares(self, release: Survey, targets: NDArray[np.int64], rng: Rng) -> NDArray[np.float64]:
        """Pr[report | place, privileged] of the targets, by models that learned from the other half of the owners."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        side = np.zeros((release.n, 0)) if release.privileged is None else release.privileged
        features = np.concatenate([release.where, side], axis=1)
        half = rng.permutation(release.n) % 2
        shares = np.zeros((targets.size, release.k))
        for part in (0, 1):
            known = np.flatnonzero(half != part)
            known = known if known.size <= self.learned else rng.choice(known, size=self.learned, replace=False)
            asked = half[targets] == part
            if np.unique(release.answers[known]).size == 1 or not asked.any():
                shares[asked, release.answers[known[0]]] = 1.0
                continue
            model = HistGradientBoostingClassifier(
                max_iter=self.trees, max_leaf_nodes=15, random_state=int(rng.integers(2**31))
            ).fit(features[known], release.answers[known])
            shares[np.ix_(asked, model.classes_)] = model.predict_proba(features[targets[asked]])
        return shares


def _check(data: Survey, release: Survey) -> None:
    if not isinstance(data, Survey) or not isinstance(release, Survey) or data.n != release.n:
        raise bad_input("release", type(release).__name__, "a Survey of the same owners")


def _counts(reports: NDArray[np.int64], who: NDArray[np.int64], categories: int) -> NDArray[np.float64]:
    """How often each answer is reported in the slots ``who`` (−1 is nobody)."""
    counts = np.zeros((len(who), categories))
    rows = np.broadcast_to(np.arange(len(who))[:, None], who.shape)[who >= 0]
    np.add.at(counts, (rows, reports[who[who >= 0]]), 1.0)
    return counts


def _vote(reports: NDArray[np.int64], who: NDArray[np.int64], categories: int) -> NDArray[np.int64]:
    return np.argmax(_counts(reports, who, categories), axis=1)


def _likelihood(
    release: Survey, targets: NDArray[np.int64], mechanism: Any, draws: int, rng: Rng
) -> NDArray[np.float64]:
    """Σ_d Pr[the report travels d places]·Pr[what lies there | answer], for each target and answer."""
    channel = np.eye(release.k) if release.channel is None else release.channel
    shuffler = mechanism.shuffler if isinstance(mechanism, Collection) else None
    if shuffler is None:
        return channel[:, release.answers[targets]].T
    offsets, weights = _travel(shuffler, draws, rng)
    place = np.empty(release.n, np.int64)
    place[shuffler.reference] = np.arange(release.n)
    seen = release.answers[shuffler.reference]
    likelihood = np.full((targets.size, release.k), 1e-12)
    for offset, weight in zip(offsets, weights, strict=True):
        at = place[targets] + offset
        inside = (at >= 0) & (at < release.n)
        likelihood[inside] += weight * channel[:, seen[at[inside]]].T
    return likelihood


def _travel(shuffler: Shuffler, draws: int, rng: Rng) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """How far a report travels along the reference order, with probabilities; the 2001 commonest are kept."""
    n = shuffler.reference.size
    place = np.empty(n, np.int64)
    place[shuffler.reference] = np.arange(n)
    counts = np.zeros(2 * n - 1, np.int64)
    for _ in range(draws):
        moved = shuffler.draw(rng=rng)  # the slot of owner i holds the report of owner moved[i]
        counts += np.bincount(place - place[moved] + n - 1, minlength=2 * n - 1)
    offsets = np.flatnonzero(counts)
    if offsets.size > 2001:
        offsets = np.sort(offsets[np.argsort(-counts[offsets], kind="stable")[:2001]])
    return offsets - (n - 1), counts[offsets] / counts.sum()


def _conditional_shares(data: Survey, bins: int) -> NDArray[np.float64]:
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


def _share(right: NDArray[np.bool_], reference: float) -> Score:
    """A share with its Wilson interval."""
    n, share, z = right.size, float(right.mean()), 1.959964
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Score(share, min(centre - half, share), max(centre + half, share), reference)
