"""Re-identification by the law of the mechanism, where it is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.activity.attacks.scoring import score_assignment, window_pairs
from sfumato.activity.core.activity import as_dense
from sfumato.activity.core.assignment import CANDIDATES, EXACT, Affinity, assign
from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.study.score import Score
from sfumato.validate import integer

__all__ = ["LikelihoodAttack"]


@dataclass(frozen=True, kw_only=True)
class LikelihoodAttack:
    """The assignment of greatest likelihood, by the exact law of each cell. All windows of a user are used at once.

    For cells with independent noise the log-likelihood of a released row y for a 0/1 row x is a sum over cells that is
    linear in x, so that all pairs are one matrix product. The attacker knows what everybody did in all windows and,
    being told which released rows belong together, asks whose they are: what the noise itself hides.

    Examples
    --------
    >>> from sfumato.activity import RandomizedCells
    >>> made, matrix = RandomizedCells(epsilon=20.0), np.eye(4)
    >>> release = made.release(matrix, rng=np.random.default_rng(0))
    >>> LikelihoodAttack().attack(matrix, release, mechanism=made, rng=np.random.default_rng(0)).value
    1.0
    """

    criterion: ClassVar[str] = "singling out"
    knows: ClassVar[str] = "what everybody did in all windows, the law of the noise, and which rows are of one person"

    needs: ClassVar[str] = "cell_scores"

    exact: int = EXACT
    candidates: int = CANDIDATES
    name: str = "re-identified by the law"

    def __post_init__(self) -> None:
        integer("exact", self.exact)
        integer("candidates", self.candidates)

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of users whose rows are found."""
        original, seen = window_pairs(data, release)
        scores = getattr(mechanism, "cell_scores", None)
        if scores is None:
            raise bad_input("mechanism", mechanism, "one whose cells have a known law", "the learned attack needs none")
        left, right, term = [], [], np.zeros(original.shape[0])
        for known, released in zip(original.windows, seen.windows, strict=True):
            zero, one = scores(as_dense(released))
            left.append(as_dense(known))
            right.append(one)
            term = term + zero.sum(axis=1)
        affinity = Affinity(np.hstack(left), np.hstack(right), term)
        found = assign(affinity, resolve_rng(rng), exact=self.exact, candidates=self.candidates)
        together = np.hstack([as_dense(window) for window in seen.windows])
        return score_assignment(found, together)
