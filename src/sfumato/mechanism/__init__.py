"""The textbook mechanisms on numbers, vectors and choices, shared by all rooms.

The mechanisms are loaded when first asked for, so that the base shapes come without the samplers' compiler.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sfumato.mechanism.base import Fitted, Mechanism, NotFittedError, ScopedMechanism

if TYPE_CHECKING:
    from sfumato.mechanism.bounded_number import BoundedNumber
    from sfumato.mechanism.clipped_laplace import ClippedLaplace
    from sfumato.mechanism.exponential import Exponential
    from sfumato.mechanism.gaussian import Gaussian
    from sfumato.mechanism.laplace import Laplace
    from sfumato.mechanism.multivariate_gaussian import MultivariateGaussian
    from sfumato.mechanism.planar import PlanarLaplace
    from sfumato.mechanism.polar_laplace import PolarLaplace
    from sfumato.mechanism.purkayastha import Purkayastha
    from sfumato.mechanism.randomized_response import RandomizedResponse
    from sfumato.mechanism.smooth_gaussian import SmoothGaussian
    from sfumato.mechanism.spherical_cap import SphericalCap
    from sfumato.mechanism.von_mises_fisher import VonMisesFisher
    from sfumato.mechanism.wrapped_laplace import WrappedLaplace

_HOMES = {
    "BoundedNumber": "bounded_number",
    "ClippedLaplace": "clipped_laplace",
    "Exponential": "exponential",
    "Gaussian": "gaussian",
    "Laplace": "laplace",
    "MultivariateGaussian": "multivariate_gaussian",
    "PlanarLaplace": "planar",
    "PolarLaplace": "polar_laplace",
    "Purkayastha": "purkayastha",
    "RandomizedResponse": "randomized_response",
    "SmoothGaussian": "smooth_gaussian",
    "SphericalCap": "spherical_cap",
    "VonMisesFisher": "von_mises_fisher",
    "WrappedLaplace": "wrapped_laplace",
}

__all__ = [
    "BoundedNumber",
    "ClippedLaplace",
    "Exponential",
    "Fitted",
    "Gaussian",
    "Laplace",
    "Mechanism",
    "MultivariateGaussian",
    "NotFittedError",
    "PlanarLaplace",
    "PolarLaplace",
    "Purkayastha",
    "RandomizedResponse",
    "ScopedMechanism",
    "SmoothGaussian",
    "SphericalCap",
    "VonMisesFisher",
    "WrappedLaplace",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"sfumato.mechanism.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
