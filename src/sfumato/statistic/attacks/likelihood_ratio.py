"""The most powerful test between two worlds: the likelihood ratio of a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.statistic.attacks.worlds import worst_worlds
from sfumato.statistic.core.studies import StudiesMechanism
from sfumato.statistic.core.two_groups import read_two_groups
from sfumato.statistic.mechanisms.welch_test import WelchAnswer
from sfumato.study.study import Raw
from sfumato.validate import integer

__all__ = ["Floats", "LikelihoodRatio"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class LikelihoodRatio:
    """An attacker who knows the mechanism and all records but one, and weighs two values of that one.

    The two worlds are the farthest neighbours of the data. The score of a release is its log-likelihood ratio under the
    mechanism's own law, which no other attacker beats (Neyman and Pearson); without a law (a variance) it is how much
    nearer the release is to one exact answer than to the other, which for public n is the same up to a factor.

    Parameters
    ----------
    repeats : int
        Releases drawn from each world.
    """

    criterion: ClassVar[str | None] = "inference"
    knows: ClassVar[str] = "the mechanism and every record but one, of which two values are possible"

    repeats: int = 1000

    def __post_init__(self) -> None:
        integer("repeats", self.repeats, least=20)

    def _scores(self, data: Any, mechanism: Mechanism | None, rng: Rng | None) -> tuple[Floats, Floats] | None:
        """Scores of releases from either world; nothing to score where the raw data itself is released."""
        if mechanism is None:
            raise bad_input("mechanism", None, "the mechanism that made the release", "the attacker uses its law")
        if isinstance(mechanism, Raw):
            return None
        first, second = worst_worlds(mechanism, data)
        if isinstance(mechanism, StudiesMechanism):
            mechanism = mechanism.one_test()
        rng = resolve_rng(rng)
        drawn = [_draw(mechanism, world, self.repeats, rng) for world in (first, second)]
        return _score(mechanism, drawn[0], first, second), _score(mechanism, drawn[1], first, second)


def _draw(mechanism: Any, data: Any, count: int, rng: Rng) -> Any:
    if hasattr(mechanism, "sample"):
        return mechanism.sample(data, count, rng)
    return [mechanism.release(data, rng=rng) for _ in range(count)]


def _score(mechanism: Any, outputs: Any, first: Any, second: Any) -> Floats:
    law = getattr(mechanism, "log_prob", None) or getattr(mechanism, "log_density", None)
    if law is not None:
        return np.asarray(law(outputs, first) - law(outputs, second))
    if isinstance(outputs[0], WelchAnswer):  # a test without a law: its statistic grows with the mean of A
        columns = {"group": mechanism.group, "value": mechanism.value, "labels": mechanism.labels}
        means = [read_two_groups(world, **columns)[0].mean() for world in (first, second)]
        return np.array([answer.statistic for answer in outputs]) * np.sign(means[0] - means[1])
    near, far = np.asarray(mechanism.answer(first), float), np.asarray(mechanism.answer(second), float)
    released = np.asarray(outputs, float).reshape(len(outputs), -1)
    return np.asarray(np.abs(released - far).sum(axis=1) - np.abs(released - near).sum(axis=1))
