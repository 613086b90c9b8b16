"""The base of Laplace and Gaussian: noise on a grid, its exact law, and plain floating-point noise for experiments."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism.base import ScopedMechanism
from sfumato.mechanism.container import unpack_exact
from sfumato.noise.discrete_sampler import LARGEST_SCALE, draw_lattice, log_normaliser
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.noise.grid import add_on_grid, check_grid, grid_step, to_units
from sfumato.promise import Guarantee, NoGuarantee
from sfumato.validate import finite_array, positive

__all__ = ["AdditiveMechanism"]


@dataclass(frozen=True, kw_only=True, eq=False)
class AdditiveMechanism(ScopedMechanism):
    """A mechanism that adds independent noise of one scale to every number.

    Parameters
    ----------
    sensitivity : float
        By how much the *whole* released array can change between neighbours, in the norm of the mechanism.
    grid : float, optional
        A power of two of which every input is a whole multiple: 1 for counts, the grid of
        :func:`~sfumato.noise.grid_sum` for sums. Nothing is rounded then, and other input is refused. By default
        the grid has 2^39 to 2^40 steps to the noise scale and the input is rounded to it.
    exact : bool
        ``False`` adds plain floating-point noise, for experiments; such a release has no guarantee.
    """

    sensitivity: float
    grid: float | None = None
    exact: bool = True
    _gaussian: ClassVar[bool]

    def __post_init__(self) -> None:
        positive("sensitivity", self.sensitivity, "the largest change between neighbours; clip the data to bound it")
        if not isinstance(self.exact, bool):
            raise bad_input("exact", self.exact, "True or False")
        if self.grid is not None:
            check_grid("grid", self.grid)
        _ = self.guarantee  # checks unit, neighbours and model
        if self.exact:
            self._units(1)

    @property
    @abstractmethod
    def scale(self) -> float:
        """The scale of the noise (standard deviation for the Gaussian), before the allowance for rounding."""

    @abstractmethod
    def _units(self, count: int) -> float:
        """The scale of the noise for ``count`` numbers, in grid steps."""

    @property
    @abstractmethod
    def _promise(self) -> Guarantee:
        """What holds on the grid."""

    @cached_property
    def guarantee(self) -> Guarantee:
        """What is proved about one release; nothing for ``exact=False``."""
        if self.exact:
            return self._promise
        return NoGuarantee("floating-point noise gives the input away through its low bits", **self.scope)

    @cached_property
    def step(self) -> float:
        """The grid: every released number is a whole multiple of it."""
        return grid_step(self.scale) if self.grid is None else float(self.grid)

    @property
    def bias(self) -> float:
        """The expected error: none."""
        return 0.0

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """The numbers with noise added: a scalar, an array of any shape, a column or a frame, as it came in.

        Integers of any size, decimals and fractions go to the grid exactly; what comes out is a double.
        """
        array, repack = unpack_exact(data)
        rng = resolve_rng(rng)
        if not self.exact:
            draw = rng.normal if self._gaussian else rng.laplace
            return repack(finite_array("data", array) + draw(0.0, self.scale, array.shape))
        noise = draw_lattice(self._gaussian, self._units(array.size), array.size, rng).reshape(array.shape)
        return repack(add_on_grid(array, noise, self.step, rounding=self.grid is None))

    def log_prob(self, output: ArrayLike, data: ArrayLike) -> NDArray[np.float64]:
        """The exact log-probability of each output (first axis) on the grid, −∞ off it, for one input.

        Exact as long as outputs are below 2^53 grid steps; farther out a double stands for several grid points.
        """
        data = finite_array("data", data)
        outputs = finite_array("output", output)
        if outputs.shape[1:] != data.shape:
            raise bad_input("output", outputs.shape, f"shape (n, …) with … = {data.shape}", "add a first axis")
        if not self.exact:
            raise bad_input("exact", self.exact, "exact=True for a law on the grid", "use log_density")
        n = outputs / self.step - to_units(data, self.step, rounding=self.grid is None)
        scale = self._units(data.size)
        x = n / scale
        log_weight = -0.5 * x * x if self._gaussian else -np.abs(x)
        law = np.where(n == np.floor(n), log_weight - log_normaliser(self._gaussian, scale), -np.inf)
        return law.reshape(outputs.shape[0], -1).sum(axis=1)

    def _allowance(self, scale: float) -> float:
        """A scale in steps, checked to be one the sampler takes, and rounded up."""
        if scale <= LARGEST_SCALE:
            return math.nextafter(scale, math.inf)
        if self.grid is None:  # rounding so many numbers costs more than the sensitivity itself
            raise bad_input(
                "scale",
                self.scale,
                f"noise below {LARGEST_SCALE / scale:.2g} of that, for so many numbers",
                "ask for a weaker promise, or release fewer numbers at once",
            )
        raise bad_input("grid", self.grid, f"a grid of at least {self.scale / LARGEST_SCALE:.2g}", "make it coarser")


def next_power_of_two(count: int) -> int:
    """Counts are rounded up so that arrays of similar size share one sampler table."""
    return 1 << max(0, count - 1).bit_length()
