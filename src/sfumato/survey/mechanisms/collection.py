"""Collection of answers: a local randomiser, then the shuffler."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import InputError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.mechanism.randomized_response import RandomizedResponse
from sfumato.noise import Rng
from sfumato.noise.entropy import resolve_rng
from sfumato.promise import Guarantee, NoGuarantee, PureDP
from sfumato.survey.data.survey import Survey
from sfumato.survey.mechanisms.shuffler import Shuffler
from sfumato.survey.promise import ShufflePrivacy

__all__ = ["Collection"]

_ENUMERABLE = 5_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Collection(Mechanism):
    """Each owner randomises the answer; then the shuffler hides who sent which report.

    Both promises hold at once: ε for each answer, whatever the shuffler does, and α on the order of the reports. The
    second carries over from reports to answers because all owners use the same randomiser.

    Parameters
    ----------
    front : Mechanism, optional
        The local front end, which each owner runs alone, e.g. ``RandomizedResponse``. None takes the answers as reports
        that are randomised already.
    shuffler : Shuffler, optional
        None leaves the reports where they are: local privacy alone.

    Examples
    --------
    >>> from sfumato.survey import Groups
    >>> collect = Collection(
    ...     front=RandomizedResponse(epsilon=2.5, categories=2),
    ...     shuffler=Shuffler(alpha=4, groups=Groups.from_places([1.0, 2.0, 3.0], radius=1)),
    ... )
    >>> print(collect.guarantee)
    α = 4 on who sent which report, within groups of 2 to 3 of 3 owners; ε = 2.5 per answer,
    provided that the categories and the groups are public
    >>> collect.release([0, 1, 1]).shape
    (3,)
    """

    front: Any = None
    shuffler: Shuffler | None = None

    def __post_init__(self) -> None:
        if self.front is not None and (
            not isinstance(self.front, Mechanism) or self.front.guarantee.model != "local"
        ):  # one that mixes owners would not carry the promise on the order of reports over to answers
            raise bad_input(
                "front",
                self.front,
                "a mechanism that each owner runs alone (model='local') or None",
                "RandomizedResponse(epsilon=…, categories=…)",
            )
        if self.shuffler is not None and not isinstance(self.shuffler, Shuffler):
            raise bad_input("shuffler", self.shuffler, "a Shuffler or None")

    @property
    def local(self) -> PureDP | None:
        """The promise of the front end, where it is an ε for each answer."""
        return None if self.front is None else ShufflePrivacy.local_part(self.front.guarantee)

    @property
    def alpha(self) -> float:
        """α of the shuffler, ∞ without one."""
        return math.inf if self.shuffler is None else float(self.shuffler.alpha)

    @property
    def guarantee(self) -> Guarantee:
        shuffled = NoGuarantee("not shuffled") if self.shuffler is None else self.shuffler.guarantee
        if self.shuffler is not None and not shuffled.vacuous:
            promise = ShufflePrivacy(float(self.shuffler.alpha), self.shuffler.groups, self.local)
            return promise.assuming(*shuffled.assumptions)
        if self.front is not None:
            return self.front.guarantee
        return NoGuarantee("neither randomised nor shuffled") if self.shuffler is None else shuffled

    def report(self, answers: ArrayLike, *, rng: Rng | None = None) -> NDArray[Any]:
        """The reports, before they are shuffled."""
        return np.asarray(answers) if self.front is None else self.front.release(np.asarray(answers), rng=rng)

    def permutation(self, n: int, *, rng: Rng | None = None) -> NDArray[np.int64]:
        """Whose report each slot receives: one draw of the shuffler, the identity without one."""
        return np.arange(n) if self.shuffler is None else self.shuffler.draw(rng=rng)

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """The collected reports: an array for an array, a :class:`~sfumato.survey.Survey` for a survey."""
        rng = resolve_rng(rng)
        if isinstance(data, Survey):
            if self.front is not None and not isinstance(self.front, RandomizedResponse):
                raise bad_input("front", self.front, "RandomizedResponse, whose reports are answers, for a Survey")
            return data.with_answers(self.release(data.answers, rng=rng), self.channel(data.k))
        if self.shuffler is None:
            return self.report(data, rng=rng)
        return self.shuffler.release(self.report(self.shuffler.check(data), rng=rng), rng=rng)

    def channel(self, categories: int) -> NDArray[np.float64]:
        """Pr[report | answer] of the front end, one row an answer."""
        if self.front is None:
            return np.eye(categories)
        if not isinstance(self.front, RandomizedResponse) or self.front.answers.size != categories:
            raise bad_input("front", self.front, f"RandomizedResponse over {categories} categories")
        return np.full((categories, categories), self.front.other) + np.eye(categories) * (
            self.front.truth - self.front.other
        )

    def log_prob(self, output: ArrayLike, data: ArrayLike) -> NDArray[np.float64]:
        """Exact log-probabilities of outputs (one a row), summed over all reports; for a handful of owners."""
        answers, outputs = np.asarray(data), np.asarray(output)
        if not isinstance(self.front, RandomizedResponse):
            raise InputError(f"front = {self.front}: expected RandomizedResponse for the exact law")
        count = self.front.answers.size**answers.size
        if count > _ENUMERABLE:
            raise InputError(f"{count} possible reports: expected at most {_ENUMERABLE} for the exact law")
        if self.shuffler is None:
            return self.front.log_prob(outputs, answers)
        reports = np.array(list(itertools.product(self.front.answers, repeat=answers.size)))
        weights = self.front.log_prob(reports, answers)
        laws = np.array([self.shuffler.log_prob(outputs, row) for row in reports])
        from scipy.special import logsumexp

        return np.asarray(logsumexp(laws + weights[:, None], axis=0))
