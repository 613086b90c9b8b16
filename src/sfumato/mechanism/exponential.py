"""The exponential mechanism."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism.base import ScopedMechanism
from sfumato.noise.choice import LARGEST_RATE, LEAST_RATE, draw_exponential
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.noise.interval import Interval, at_least, at_most
from sfumato.promise import Assumption, PureDP
from sfumato.validate import finite_array, positive

__all__ = ["Exponential"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Exponential(ScopedMechanism):
    """Chooses an option z with probability ∝ exp(ε·ρ(x, z)/(2Δ)): ε-DP (Weggenmann M6; McSherry and Talwar 2007).

    **Theorem.** Δ bounds how far one option's score moves between neighbours: Δ ≥ max_z |ρ(x, z) − ρ(x′, z)|. Then one
    weight moves by a factor of at most exp(ε/2) and so does their sum. If all scores move the same way between
    neighbours, as counts do when a record is added (``monotonic``), one of the two factors is enough and the exponent
    is ε·ρ/Δ.

    The draw is exact (:func:`~sfumato.noise.choice.draw_exponential`): an option of probability 2⁻¹⁰⁰ has that
    probability.

    Parameters
    ----------
    epsilon : float
    sensitivity : float
        Δ of the scores, the same for every option.
    candidates : sequence, optional
        What to return; by default the position of the option is returned.
    utility : callable, optional
        ``utility(data)`` gives the scores of the options, an array of shape (k,) or (n, k). By default ``release``
        takes the scores themselves.
    monotonic : bool
        All scores move the same way between neighbours.
    unit, neighbours, model
        What the sensitivity was computed for.

    Examples
    --------
    >>> mechanism = Exponential(epsilon=2.0, sensitivity=1.0, candidates=["red", "green", "blue"])
    >>> mechanism.release([10.0, 3.0, 1.0], rng=np.random.default_rng(1))
    'red'
    >>> Exponential(epsilon=2.0, sensitivity=1.0).release(np.zeros((4, 100)), rng=np.random.default_rng(1)).shape
    (4,)
    """

    epsilon: float
    sensitivity: float
    candidates: Sequence[Any] | None = None
    utility: Callable[[Any], ArrayLike] | None = None
    monotonic: bool = False

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        positive("sensitivity", self.sensitivity, "the largest change of one score between neighbours")
        if self.candidates is not None and len(self.candidates) == 0:
            raise bad_input("candidates", self.candidates, "at least one candidate")
        if self.utility is not None and not callable(self.utility):
            raise bad_input("utility", self.utility, "a function of the data", "or leave it out and release scores")
        if not isinstance(self.monotonic, bool):
            raise bad_input("monotonic", self.monotonic, "True or False")
        if not 2 * LEAST_RATE <= Fraction(float(self.epsilon)) / Fraction(float(self.sensitivity)) <= LARGEST_RATE:
            raise bad_input(
                "epsilon", self.epsilon, f"ε/Δ between 2^-899 and 2^900 (Δ = {self.sensitivity:g})", "scale the scores"
            )
        _ = self.guarantee

    @property
    def guarantee(self) -> PureDP:
        """ε-DP for one choice."""
        public = () if self.candidates is None else (Assumption("candidates"),)
        return PureDP(self.epsilon, **self.scope).assuming(*public)

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """One option for the scores of shape (k,), or one for each row of scores of shape (n, k).

        Every row is a choice of its own: rows that see the same records compose.
        """
        scores = self.scores(data)
        chosen = draw_exponential(np.atleast_2d(scores), self._factor, resolve_rng(rng))
        if self.candidates is None:
            return int(chosen[0]) if scores.ndim == 1 else chosen
        if scores.ndim == 1:
            return self.candidates[int(chosen[0])]
        return [self.candidates[k] for k in chosen]

    def scores(self, data: Any) -> NDArray[np.float64]:
        """The scores that a release of ``data`` would use, checked."""
        scores = finite_array("scores", data if self.utility is None else self.utility(data))
        if scores.ndim not in (1, 2) or scores.shape[-1] == 0:
            raise bad_input("scores", scores.shape, "shape (options,) or (n, options) with at least one option")
        if self.candidates is not None and scores.shape[-1] != len(self.candidates):
            raise bad_input("scores", scores.shape, f"one score for each of the {len(self.candidates)} candidates")
        return scores

    def log_probs(self, data: Any) -> NDArray[np.float64]:
        """The log-probability of every option, in the shape of the scores."""
        logits = self.scores(data) * (self.epsilon / (self.sensitivity if self.monotonic else 2 * self.sensitivity))
        logits = logits - logits.max(axis=-1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))

    def log_prob(self, output: Any, data: Any) -> NDArray[np.float64]:
        """The log-probability of each output (a position, or a candidate if there are any) for one input.

        Anything else is no output of this mechanism and has log-probability −∞.
        """
        law = self.log_probs(data)
        if law.ndim != 1:
            raise bad_input("data", law.shape, "one input with scores of shape (options,)", "call it row by row")
        if self.candidates is None:
            places = np.asarray(output)
            if places.dtype.kind not in "biuf":
                return np.full(places.shape, -np.inf)
            known = (places >= 0) & (places < law.size) & (places == np.floor(places))
            return np.where(known, law[np.where(known, places, 0).astype(np.int64)], -np.inf)
        position = {candidate: k for k, candidate in enumerate(self.candidates)}
        return np.array([law[position[one]] if one in position else -np.inf for one in output])

    def _factor(self, digits: int) -> Interval:
        factor = at_most(self.epsilon, digits) / at_least(self.sensitivity, digits)
        return factor if self.monotonic else factor / 2
