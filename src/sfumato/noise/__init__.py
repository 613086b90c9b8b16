"""Samplers: entropy, exact discrete noise, and the noise of the directional and ranking mechanisms.

The samplers are loaded when first asked for: they bring a compiler along.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sfumato.noise.entropy import Rng, resolve_rng, secure_rng, seeded_rng

if TYPE_CHECKING:
    from sfumato.noise.gaussian import discrete_gaussian
    from sfumato.noise.grid import grid_bounds, grid_step, grid_sum, sum_grid
    from sfumato.noise.laplace import discrete_laplace

_HOMES = {
    "discrete_gaussian": "gaussian",
    "discrete_laplace": "laplace",
    "grid_bounds": "grid",
    "grid_step": "grid",
    "grid_sum": "grid",
    "sum_grid": "grid",
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


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"sfumato.noise.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
