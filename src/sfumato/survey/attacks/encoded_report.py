"""Guess an answer from its encoded report."""

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
from sfumato.survey.attacks.likelihood import conditional_shares
from sfumato.survey.core.local_view import sample_owners
from sfumato.survey.data.survey import Survey
from sfumato.survey.mechanisms.encoding import Encoding
from sfumato.validate import integer

__all__ = ["EncodedReportAttack"]


@dataclass(frozen=True, kw_only=True)
class EncodedReportAttack:
    """The most probable answer of each owner, given the owner's own encoded report.

    The attacker knows whose report each one is, how often each answer goes with the privileged attributes, and the law
    of the encoding: Pr[x | y] ∝ Pr[x | t^p]·Pr[y | x]. No rule guesses more owners right (it is the Bayes rule). The
    score is the share of owners guessed right, the reference what Pr[x | t^p] alone achieves.

    Parameters
    ----------
    bins : int
        A privileged attribute with more values than this is cut into as many quantiles.
    owners : int
        Bounds how many are attacked.

    Examples
    --------
    >>> from sfumato.survey import UnaryEncoding
    >>> from sfumato.survey.data.survey import make_incomes
    >>> survey, front = make_incomes(300), UnaryEncoding(epsilon=8.0, categories=2, optimised=False)
    >>> found = EncodedReportAttack().attack(survey, front.release(survey.answers), mechanism=front)
    >>> found.value > 0.9
    True
    """

    bins: int = 10
    owners: int = 20_000
    name: str = "answer from its report"

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = (
        "whose report each one is, how often each answer goes with the owner's privileged attributes, "
        "and the law of the encoding"
    )

    def __post_init__(self) -> None:
        integer("bins", self.bins)
        integer("owners", self.owners)

    def attack(self, data: Survey, release: Any, *, mechanism: Any = None, rng: Rng | None = None) -> Score:
        """Score the guesses from ``release``, the reports as ``mechanism`` gives them, in the order of the owners."""
        reports = np.asarray(release)
        if not isinstance(mechanism, Encoding):
            raise bad_input("mechanism", type(mechanism).__name__, "the encoding that made the reports")
        if not isinstance(data, Survey) or len(reports) != data.n or mechanism.categories != data.k:
            raise bad_input("release", reports.shape, "one report for each owner of the survey")
        targets = sample_owners(data, self.owners, resolve_rng(rng))
        prior = conditional_shares(data, self.bins)[targets]
        posterior = prior * np.exp(_log_likelihood(mechanism, reports[targets]))
        truth = data.answers[targets]
        return Score.of_share(np.argmax(posterior, axis=1) == truth, float(np.mean(np.argmax(prior, axis=1) == truth)))


def _log_likelihood(mechanism: Any, reports: NDArray[Any]) -> NDArray[np.float64]:
    """log Pr[report | answer] up to a constant in each row, shape (reports, K); each distinct report is asked once."""
    seen, which = np.unique(reports, axis=0, return_inverse=True)
    law = np.stack([mechanism.log_prob(seen[:, None], np.array([x])) for x in range(mechanism.categories)], axis=1)
    return (law - law.max(axis=1, keepdims=True))[which.reshape(-1)]
