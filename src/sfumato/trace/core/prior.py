"""What an adversary expects of a path before seeing it: Gaussian processes over time.

A prior is a kernel k(t, t′); any mean is allowed, which is the class Θ of Meehan, §5.2. The functions here never invert
a kernel matrix: smooth and periodic kernels are singular to machine precision (spec §6.3).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.validate import choice, finite_array, positive

__all__ = [
    "RBF",
    "Conditional",
    "Kernel",
    "Linear",
    "Matern",
    "Periodic",
    "SumKernel",
    "White",
    "condition",
    "covariance",
]

Matrix = NDArray[np.float64]
_ROUNDING = 2.0**-52


class Kernel(ABC):
    """A stationary or linear covariance function of time, in the unit of the times it is given."""

    variance: float

    @property
    @abstractmethod
    def summary(self) -> str:
        """The kernel in a few words, for a promise: kind, length and standard deviation."""

    def __str__(self) -> str:
        return self.summary

    @abstractmethod
    def __call__(self, s: Matrix, t: Matrix) -> Matrix:
        """k(s, t), broadcast over both arguments."""

    def __add__(self, other: Kernel) -> SumKernel:
        return SumKernel(parts=(self, other))


@dataclass(frozen=True, kw_only=True)
class RBF(Kernel):
    """k = v·exp(−(s−t)²/2l²): a smooth path (Meehan, §5.5).

    >>> float(RBF(length=6.0)(np.array(0.0), np.array(6.0)).round(3))
    0.607
    """

    length: float
    variance: float = 1.0

    def __post_init__(self) -> None:
        positive("length", self.length)
        positive("variance", self.variance)

    @property
    def summary(self) -> str:
        return f"a smooth path (RBF, length {self.length:.4g}, deviation {self.variance**0.5:.4g})"

    def __call__(self, s: Matrix, t: Matrix) -> Matrix:
        return self.variance * np.exp(-0.5 * ((s - t) / self.length) ** 2)


@dataclass(frozen=True, kw_only=True)
class Periodic(Kernel):
    """k = v·exp(−2 sin²(π(s−t)/p)/l²): a daily rhythm (Meehan, §5.5). It never forgets."""

    length: float
    period: float
    variance: float = 1.0

    def __post_init__(self) -> None:
        positive("length", self.length)
        positive("period", self.period)
        positive("variance", self.variance)

    @property
    def summary(self) -> str:
        return f"a rhythm of period {self.period:.4g} (length {self.length:.4g}, deviation {self.variance**0.5:.4g})"

    def __call__(self, s: Matrix, t: Matrix) -> Matrix:
        return self.variance * np.exp(-2.0 * np.sin(np.pi * (s - t) / self.period) ** 2 / self.length**2)


@dataclass(frozen=True, kw_only=True)
class Matern(Kernel):
    """A rougher path: ν = ½ is an Ornstein–Uhlenbeck process, 3/2 has a speed, 5/2 an acceleration."""

    length: float
    nu: float = 1.5
    variance: float = 1.0

    def __post_init__(self) -> None:
        positive("length", self.length)
        positive("variance", self.variance)
        choice("nu", self.nu, (0.5, 1.5, 2.5))

    @property
    def summary(self) -> str:
        return f"a path (Matérn {self.nu:g}, length {self.length:.4g}, deviation {self.variance**0.5:.4g})"

    def __call__(self, s: Matrix, t: Matrix) -> Matrix:
        x = np.sqrt(2 * self.nu) * np.abs(s - t) / self.length
        polynomial = {0.5: 1.0, 1.5: 1 + x, 2.5: 1 + x + x**2 / 3}[self.nu]
        return self.variance * polynomial * np.exp(-x)


@dataclass(frozen=True, kw_only=True)
class Linear(Kernel):
    """k = v·(s−c)(t−c)/l²: a drift at unknown speed from a known moment c."""

    length: float
    centre: float = 0.0
    variance: float = 1.0

    def __post_init__(self) -> None:
        positive("length", self.length)
        positive("variance", self.variance)

    @property
    def summary(self) -> str:
        return f"a drift from {self.centre:.4g} (length {self.length:.4g}, deviation {self.variance**0.5:.4g})"

    def __call__(self, s: Matrix, t: Matrix) -> Matrix:
        return self.variance * (s - self.centre) * (t - self.centre) / self.length**2


@dataclass(frozen=True, kw_only=True)
class White(Kernel):
    """k = v·1{s = t}: the error of the receiver. It keeps neighbouring points from determining each other."""

    variance: float

    def __post_init__(self) -> None:
        positive("variance", self.variance)

    @property
    def summary(self) -> str:
        return f"error of deviation {self.variance**0.5:.4g}"

    def __call__(self, s: Matrix, t: Matrix) -> Matrix:
        return self.variance * (s == t).astype(float)


@dataclass(frozen=True, kw_only=True)
class SumKernel(Kernel):
    """Independent movements added: ``RBF(length=60.0) + Periodic(length=1.0, period=1440.0)``."""

    parts: tuple[Kernel, ...]

    @property
    def summary(self) -> str:
        return " with ".join(part.summary for part in self.parts)

    def __call__(self, s: Matrix, t: Matrix) -> Matrix:
        return np.sum([part(s, t) for part in self.parts], axis=0)


def covariance(kernel: Kernel, times: ArrayLike) -> Matrix:
    """The covariance matrix of a trace observed at ``times`` (sorted, distinct).

    >>> covariance(RBF(length=1.0), [0.0, 1.0]).round(3)
    array([[1.   , 0.607],
           [0.607, 1.   ]])
    """
    moments = finite_array("times", times, ndim=1)
    if len(moments) < 2:
        raise bad_input("times", moments.tolist(), "at least two moments", "a trace of one point has no path to hide")
    if not (np.diff(moments) > 0).all():
        where = int(np.argmin(np.diff(moments) > 0))
        raise bad_input(
            f"times[{where + 1}]", float(moments[where + 1]), "strictly increasing times", "sort, drop duplicates"
        )
    return check_covariance(kernel(moments[:, None], moments[None, :]))


def check_covariance(matrix: ArrayLike, name: str = "covariance") -> Matrix:
    """A symmetric positive semi-definite matrix, symmetrised to the last bit."""
    array = finite_array(name, matrix, ndim=2)
    if array.shape[0] != array.shape[1]:
        raise bad_input(name, array.shape, "a square matrix")
    scale = float(np.abs(array).max(initial=0.0))
    if not np.allclose(array, array.T, atol=1e-9 * scale, rtol=0):
        raise bad_input(name, "an asymmetric matrix", "a symmetric matrix")
    array = (array + array.T) / 2
    try:  # positive definite once a little is added to the diagonal: cheaper than all eigenvalues
        np.linalg.cholesky(array + 1e-7 * max(scale, 1e-300) * np.eye(len(array)))
    except np.linalg.LinAlgError:
        lowest = float(np.linalg.eigvalsh(array)[0])
        raise bad_input(
            name, f"lowest eigenvalue {lowest:.3g}", "a positive semi-definite matrix", "check the kernel"
        ) from None
    return array


@dataclass(frozen=True)
class Conditional:
    """A prior split at the secret times S: X_U | X_S = s has mean A·s and covariance ``rest``.

    ``lift`` is Ã (n × S: identity on S, A on U) and ``rest`` is M (zero on S, Σ_{u|s} on U), both in the order of the
    trace, so that the law of a release with noise Σᵍ given the secret s is N(Ã s, M + Σᵍ) up to a constant mean.
    ``lift_error`` and ``rest_error`` bound how far rounding may have moved the two, in the spectral norm.
    """

    lift: Matrix
    rest: Matrix
    lift_error: float = 0.0
    rest_error: float = 0.0


def condition(prior: Matrix, secret: NDArray[np.intp]) -> Conditional:
    """Split ``prior`` at the indices ``secret``; Σ_ss must be regular (two secrets one period apart are one)."""
    n = len(prior)
    within = prior[np.ix_(secret, secret)]
    values, vectors = np.linalg.eigh(within)
    if values[0] <= 1e-10 * values[-1]:
        raise bad_input(
            "secret", secret.tolist(), "times whose values the prior does not tie together exactly",
            "keep one of the secrets that determine each other",
        )  # fmt: skip
    others = np.setdiff1d(np.arange(n), secret)
    cross = prior[np.ix_(others, secret)]
    weights = (cross @ vectors / values) @ vectors.T
    rest = np.zeros((n, n))
    block = prior[np.ix_(others, others)] - weights @ cross.T
    rest[np.ix_(others, others)] = (block + block.T) / 2
    lift = np.zeros((n, len(secret)))
    lift[secret, np.arange(len(secret))] = 1.0
    lift[others] = weights
    # The eigenvalues of Σ_ss are off by a few roundings of the largest, which its condition number passes on to A.
    relative = _ROUNDING * (len(secret) + 4) * values[-1] / values[0]
    lift_error = float(relative * np.linalg.norm(weights))
    return Conditional(
        lift, rest, lift_error, float(lift_error * np.linalg.norm(cross) + 4 * _ROUNDING * np.linalg.norm(prior))
    )
