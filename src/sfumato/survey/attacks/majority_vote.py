"""Guess an answer by the majority around a place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.noise.entropy import resolve_rng
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.survey.attacks.likelihood import check_survey
from sfumato.survey.core.local_view import sample_owners, voters
from sfumato.survey.data.survey import Survey
from sfumato.survey.mechanisms.collection import Collection
from sfumato.validate import integer, positive, probability

__all__ = ["MajorityVoteAttack"]


@dataclass(frozen=True, kw_only=True)
class MajorityVoteAttack:
    """The inference attack ρ: an owner's answer is guessed by the vote of reports around (Meehan 2023, §4.5).

    For every owner, the reports in the slots of the ``votes`` owners within ``radius`` who are most alike in privileged
    attributes are counted. The permutation is drawn once and the answers are randomised ``repeats`` times; an owner
    is *vulnerable* if the vote is right in a share ``needed`` of them. The score is the share of vulnerable owners, the
    reference what always guessing the commonest answer gives.

    Parameters
    ----------
    radius : float
        r*, in the unit of the places.
    votes, repeats, owners : int
        ``owners`` bounds how many are attacked.
    needed : float
    answer : int, optional
        Attack only owners who gave this answer. Where one answer is far commoner than the others, a vote is right
        about most owners without telling anything; the rare answer shows what the attack can do.
    simulated : bool
        As above. Otherwise the reports of the release at hand are counted once, and an owner is vulnerable if the vote
        is right.
    """

    radius: float
    votes: int = 25
    repeats: int = 50
    needed: float = 0.9
    owners: int = 2000
    answer: int | None = None
    simulated: bool = True
    name: str = "majority vote"

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = "every owner's place and privileged attributes"

    def __post_init__(self) -> None:
        positive("radius", self.radius, zero=True)
        if self.answer is not None:
            integer("answer", self.answer, least=0)
        for field in ("votes", "repeats", "owners"):
            integer(field, getattr(self, field))
        probability("needed", self.needed, one=True)

    def attack(self, data: Survey, release: Survey, *, mechanism: Any = None, rng: Rng | None = None) -> Score:
        rng = resolve_rng(rng)
        check_survey(data, release)
        targets = self._targets(data, rng)
        who = voters(data, targets, self.radius, self.votes, rng)
        truth = data.answers[targets]
        if self.simulated and isinstance(mechanism, Collection):
            moved = mechanism.permutation(data.n, rng=rng)
            repeats = self.repeats if mechanism.front is not None else 1
            hits = np.zeros(targets.size)
            for _ in range(repeats):
                reports = mechanism.report(data.answers, rng=rng)[moved]
                hits += _vote(reports, who, data.k) == truth
            vulnerable = hits >= self.needed * repeats
        else:  # one release is all there is
            vulnerable = _vote(release.answers, who, data.k) == truth
        commonest = int(np.bincount(data.answers).argmax())
        return Score.of_share(vulnerable, float(np.mean(truth == commonest)))

    def _targets(self, data: Survey, rng: Rng) -> NDArray[np.int64]:
        if self.answer is None:
            return sample_owners(data, self.owners, rng)
        gave = np.flatnonzero(data.answers == self.answer)
        if gave.size == 0:
            raise bad_input("answer", self.answer, "an answer that somebody gave")
        return gave if gave.size <= self.owners else np.sort(rng.choice(gave, size=self.owners, replace=False))


def _counts(reports: NDArray[np.int64], who: NDArray[np.int64], categories: int) -> NDArray[np.float64]:
    """How often each answer is reported in the slots ``who`` (−1 is nobody)."""
    counts = np.zeros((len(who), categories))
    rows = np.broadcast_to(np.arange(len(who))[:, None], who.shape)[who >= 0]
    np.add.at(counts, (rows, reports[who[who >= 0]]), 1.0)
    return counts


def _vote(reports: NDArray[np.int64], who: NDArray[np.int64], categories: int) -> NDArray[np.int64]:
    return np.argmax(_counts(reports, who, categories), axis=1)
