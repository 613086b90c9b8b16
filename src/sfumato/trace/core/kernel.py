"""Kernels: what an adversary knows about a path before the release, as the covariance of a Gaussian process.

A prior is a kernel k(t, t′); any mean is allowed, which is the class Θ of Meehan, §5.2. No function here inverts a
kernel matrix: smooth and periodic kernels are singular to machine precision (spec §6.3).
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
    "Kernel",
    "Linear",
    "Matern",
    "Periodic",
    "SumKernel",
    "White",
    "check_covariance",
    "covariance",
]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


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
    """Kernel of a smooth path, k = v·exp(−(s−t)²/2l²) (Meehan, §5.5).

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
    """Kernel of a rhythm, k = v·exp(−2 sin²(π(s−t)/p)/l²) (Meehan, §5.5).

    Its correlation does not decay: points that are whole periods apart determine each other.
    """

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
    """Matérn kernel of a rougher path: ν = ½ is an Ornstein–Uhlenbeck process, 3/2 has a speed, 5/2 an acceleration."""

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
    """Kernel of a drift at unknown speed from a known moment c, k = v·(s−c)(t−c)/l²."""

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
    """Kernel of independent measurement errors, k = v·1{s = t}. With it, no point is determined by its neighbours."""

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
    """Kernel of a sum of independent movements: ``RBF(length=60.0) + Periodic(length=1.0, period=1440.0)``."""

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
    """Check that a matrix is symmetric and positive semi-definite, and remove rounding from its symmetry."""
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
