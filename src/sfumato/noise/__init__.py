"""Samplers: entropy, exact discrete noise, and the noise of the directional and ranking mechanisms.

The samplers are loaded when first asked for: they bring a compiler along.
"""

from typing import TYPE_CHECKING

from sfumato.lazy import lazy_names
from sfumato.noise.entropy import Rng, resolve_rng, secure_rng, seeded_rng

if TYPE_CHECKING:
    from sfumato.noise.gaussian import discrete_gaussian
    from sfumato.noise.grid import grid_bounds, grid_step, grid_sum, sum_grid
    from sfumato.noise.laplace import discrete_laplace

_HOMES = {
    "discrete_gaussian": "sfumato.noise.gaussian",
    "discrete_laplace": "sfumato.noise.laplace",
    "grid_bounds": "sfumato.noise.grid",
    "grid_step": "sfumato.noise.grid",
    "grid_sum": "sfumato.noise.grid",
    "sum_grid": "sfumato.noise.grid",
}

__all__ = [
    "Rng",
    "discrete_gaussian",
    "discrete_laplace",
    "grid_bounds",
    "grid_step",
    "grid_sum",
    "resolve_rng",
    "secure_rng",
    "seeded_rng",
    "sum_grid",
]


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
