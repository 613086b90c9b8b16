"""The Laplace mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from sfumato.errors import bad_input
from sfumato.mechanism.additive import AdditiveMechanism, next_power_of_two
from sfumato.noise.discrete import discrete_laplace_variance
from sfumato.promise import Guarantee, PureDP
from sfumato.promise.calibration import laplace_scale
from sfumato.validate import positive

__all__ = ["Laplace"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Laplace(AdditiveMechanism):
    """Adds Laplace noise of scale Δ₁/ε to every number: ε-DP (Weggenmann M1; Mimoto Thm 2.1; Fischer Thm 1).

    **Theorem.** Let X be the input rounded to the grid of step g, and N independent with P(N = n) ∝ exp(−|n|·ε/Δ_g),
    where Δ_g = Δ₁/g + d for d numbers. Then g·(X + N) is ε-DP: neighbours differ by at most Δ₁/g + d steps in the L₁
    norm after rounding, and each step costs a factor exp(ε/Δ_g). With ``grid`` given nothing is rounded and
    Δ_g = ⌊Δ₁/g⌋. (The allowance d is d·2⁻³⁹/ε of Δ₁ at most: invisible unless ε is tiny, and needed for the proof.)

    Parameters
    ----------
    epsilon : float
    sensitivity : float
        The L₁ sensitivity Δ₁ of the whole array released. An L₂ sensitivity, or one entry's range for an array of which
        a record can change many entries, is the commonest published mistake: the promise is void then.
    grid, exact
        See :class:`~sfumato.mechanism.additive.AdditiveMechanism`.
    unit, neighbours, model
        What the sensitivity was computed for.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = Laplace(epsilon=0.5, sensitivity=1.0)
    >>> mechanism.guarantee
    PureDP(unit='record', neighbours='replace-one', model='central', epsilon=0.5)
    >>> mechanism.release(np.array([12.0, 7.0]), rng=np.random.default_rng(1)).shape
    (2,)
    >>> Laplace(epsilon=0.5, sensitivity=1, grid=1).release(12).is_integer()  # a count stays whole
    True

    References
    ----------
    Dwork, McSherry, Nissim, Smith (2006); Ghosh, Roughgarden, Sundararajan (2009) for the law on the integers.
    """

    epsilon: float
    _gaussian: ClassVar[bool] = False

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        super().__post_init__()

    @property
    def _promise(self) -> Guarantee:
        return PureDP(self.epsilon, **self.scope)

    @property
    def scale(self) -> float:
        """Δ₁/ε."""
        return laplace_scale(self.epsilon, self.sensitivity)

    @property
    def variance(self) -> float:
        """The variance of one released number."""
        if not self.exact:
            return 2 * self.scale**2
        return discrete_laplace_variance(self._units(1)) * self.step**2

    def _units(self, count: int) -> float:
        steps = self.sensitivity / self.step
        if self.grid is None:
            steps += next_power_of_two(count)
        else:
            steps = math.floor(steps)
            if steps < 1:
                raise bad_input("grid", self.grid, f"a grid of at most the sensitivity {self.sensitivity:g}")
        return self._allowance(math.nextafter(steps, math.inf) / self.epsilon)
