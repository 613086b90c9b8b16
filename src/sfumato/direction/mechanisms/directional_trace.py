"""Traces of directions, protected as a whole: a vector of directional releases with its composition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.direction.core.coordinates import CIRCLES, metric_name
from sfumato.direction.core.directional import ROUNDING, DirectionalMechanism
from sfumato.direction.mechanisms.purkayastha import PurkayasthaLaw, _law
from sfumato.errors import bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Guarantee, MetricDP, PureDP, metric_epsilon
from sfumato.validate import finite_array, integer

__all__ = ["DirectionalTrace"]


@dataclass(frozen=True, kw_only=True, eq=False)
class DirectionalTrace(DirectionalMechanism):
    r"""Replaces every direction of a trace by one around it, at a promise for the whole trace.

    A trace is up to T = ``length`` directions of one person: where they were, or when. Each gets Purkayastha noise of
    its own, of concentration κ = ε/T (Weggenmann names such vectors of releases as future work, ch. 8).

    **Theorem.** For any two traces x, y of the same number m ≤ T of directions and every set Z of traces,
    Pr[z ∈ Z | x] ≤ e^{ε·d(x, y)}·Pr[z ∈ Z | y] with d(x, y) = max_t d∠(x_t, y_t), the distance of the farthest pair.
    *Proof.* The noises are independent, so losses add up: Σ_t κ·d∠(x_t, y_t) ≤ m·κ·max_t d∠(x_t, y_t) ≤ ε·d(x, y)
    (Weggenmann, Theorem 7.21, for each). Traces that differ by the same distance everywhere attain it. ∎

    The sum, κ·Σ_t d∠, is the sharper bound: a trace that differs in one direction only costs a T-th. The number of
    directions of a trace is not protected. Many traces of one person add up: k of them cost kε.

    Parameters
    ----------
    epsilon, level, radius, pure, kind, normalise, wrap, snap, unit, neighbours, model
        See :class:`~sfumato.direction.core.directional.DirectionalMechanism`, for a whole trace: ``level`` holds for
        traces that are within ``radius`` of each other all the time, ``pure`` for any two.
    length : int
        The most directions that a trace may have, chosen without looking at the data.

    Examples
    --------
    >>> from sfumato.direction import metres_to_radians
    >>> walk = DirectionalTrace(level=3.0, radius=metres_to_radians(200), length=30, kind="latlon")
    >>> print(walk.guarantee)
    ε = 95565.1 per unit of farthest great-circle distance per trace (any-pair neighbours, local model)
    >>> [len(trace) for trace in walk.release([[[48.1, 11.5], [48.2, 11.5]], [[48.1, 11.6]]])]
    [2, 1]
    """

    length: int = 1
    unit: str = "trace"

    def __post_init__(self) -> None:
        integer("length", self.length)
        if self.sensitivity is not None:
            raise bad_input("sensitivity", self.sensitivity, "None", "a trace is protected within a radius, or wholly")
        super().__post_init__()

    @property
    def kappa(self) -> float:
        """The concentration of the noise of one direction: a T-th of that of the trace, rounded down."""
        return metric_epsilon(super().kappa, float(self.length))

    @property
    def guarantee(self) -> Guarantee:
        if self.pure is not None:
            promise: Guarantee = PureDP(self.pure, **self.scope)
        else:
            name = f"farthest {metric_name(self.kind, self.metric)}"
            promise = MetricDP(self._directional_epsilon, name, **self.scope)
        return promise if self.snap else promise.assuming(ROUNDING)

    def law(self, n: int) -> PurkayasthaLaw:
        """The law of one direction around its input."""
        return _law(n, self.kappa)

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """One trace (an array of directions), or a list of traces, each with noise of its own.

        Parameters
        ----------
        data : array_like, or sequence of array_like
            A trace has shape (m,) for angles and hours, (m, 2) for places, (m, n) for vectors.
        """
        rng = resolve_rng(rng)
        if not self._is_list(data):
            self._check_trace(data)
            return super().release(data, rng=rng)
        for trace in data:
            self._check_trace(trace)
        joined = super().release(np.concatenate([finite_array("trace", trace) for trace in data]), rng=rng)
        return np.split(joined, np.cumsum([len(trace) for trace in data])[:-1])

    def _is_list(self, data: Any) -> bool:
        if not isinstance(data, Sequence) or isinstance(data, str) or len(data) == 0:
            return False
        return np.ndim(data[0]) == (1 if self.kind in CIRCLES else 2)

    def _check_trace(self, trace: Any) -> None:
        if np.ndim(trace) != (1 if self.kind in CIRCLES else 2):
            raise bad_input("trace", np.shape(trace), "a row for each direction of a trace, or a list of traces")
        if len(trace) > self.length:
            raise bad_input(
                "trace", f"{len(trace)} directions", f"at most {self.length}", "raise length (--set length=…)"
            )
