"""The textbook mechanisms on numbers, vectors and choices, shared by all rooms.

The mechanisms are loaded when first asked for, so that the base shapes come without the samplers' compiler.
"""

from typing import TYPE_CHECKING

from sfumato.lazy import lazy_names
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
    "BoundedNumber": "sfumato.mechanism.bounded_number",
    "ClippedLaplace": "sfumato.mechanism.clipped_laplace",
    "Exponential": "sfumato.mechanism.exponential",
    "Gaussian": "sfumato.mechanism.gaussian",
    "Laplace": "sfumato.mechanism.laplace",
    "MultivariateGaussian": "sfumato.mechanism.multivariate_gaussian",
    "PlanarLaplace": "sfumato.mechanism.planar",
    "PolarLaplace": "sfumato.mechanism.polar_laplace",
    "Purkayastha": "sfumato.mechanism.purkayastha",
    "RandomizedResponse": "sfumato.mechanism.randomized_response",
    "SmoothGaussian": "sfumato.mechanism.smooth_gaussian",
    "SphericalCap": "sfumato.mechanism.spherical_cap",
    "VonMisesFisher": "sfumato.mechanism.von_mises_fisher",
    "WrappedLaplace": "sfumato.mechanism.wrapped_laplace",
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


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
