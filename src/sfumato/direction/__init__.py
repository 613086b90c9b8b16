"""Directions: angles, times of day, unit vectors and places on the globe.

Mechanisms live in :mod:`sfumato.mechanism`, their laws in :mod:`sfumato.noise`; this room brings them together with
circular statistics, transport distances, an advisor, Bayesian remapping, attacks and utilities. Names are loaded when
first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.direction.advice import Advice, Candidate, choose
    from sfumato.direction.attack import HabitAttack, HistogramLinkage, HomeAttack
    from sfumato.direction.checkins import PlaceAndTimePrivacy, ProtectedCheckIns, nearest_place
    from sfumato.direction.frames import release_columns
    from sfumato.direction.remap import BayesianRemap
    from sfumato.direction.statistics import (
        circular_difference,
        circular_distance,
        circular_histogram,
        circular_mean,
        globe_histogram,
        mean_direction,
        mean_place,
        sample_size,
        simulated_sample_size,
    )
    from sfumato.direction.survey import GroupMeans, NaiveCentralSurvey, ProtectedSurvey, group_means
    from sfumato.direction.transport import circular_emd, globe_emd
    from sfumato.direction.utility import (
        BusyHours,
        HourHistogramError,
        MeanHourError,
        PlaceHistogramError,
        RankAgreement,
    )
    from sfumato.mechanism.clipped_laplace import ClippedLaplace
    from sfumato.mechanism.coordinates import (
        angle_to_time,
        angle_to_vector,
        latlon_to_vector,
        metres_to_radians,
        scaled_vector,
        time_to_angle,
        unit_vector,
        vector_to_angle,
        vector_to_latlon,
    )
    from sfumato.mechanism.polar_laplace import PolarLaplace
    from sfumato.mechanism.purkayastha import Purkayastha
    from sfumato.mechanism.spherical_cap import SphericalCap
    from sfumato.mechanism.von_mises_fisher import VonMisesFisher
    from sfumato.mechanism.wrapped_laplace import WrappedLaplace

_HOMES = {
    "Advice": "direction.advice",
    "BayesianRemap": "direction.remap",
    "BusyHours": "direction.utility",
    "Candidate": "direction.advice",
    "ClippedLaplace": "mechanism.clipped_laplace",
    "GroupMeans": "direction.survey",
    "HabitAttack": "direction.attack",
    "HistogramLinkage": "direction.attack",
    "HomeAttack": "direction.attack",
    "HourHistogramError": "direction.utility",
    "MeanHourError": "direction.utility",
    "NaiveCentralSurvey": "direction.survey",
    "PlaceAndTimePrivacy": "direction.checkins",
    "PlaceHistogramError": "direction.utility",
    "PolarLaplace": "mechanism.polar_laplace",
    "ProtectedCheckIns": "direction.checkins",
    "ProtectedSurvey": "direction.survey",
    "Purkayastha": "mechanism.purkayastha",
    "RankAgreement": "direction.utility",
    "SphericalCap": "mechanism.spherical_cap",
    "VonMisesFisher": "mechanism.von_mises_fisher",
    "WrappedLaplace": "mechanism.wrapped_laplace",
    "angle_to_time": "mechanism.coordinates",
    "angle_to_vector": "mechanism.coordinates",
    "choose": "direction.advice",
    "circular_difference": "direction.statistics",
    "circular_distance": "direction.statistics",
    "circular_emd": "direction.transport",
    "circular_histogram": "direction.statistics",
    "circular_mean": "direction.statistics",
    "globe_emd": "direction.transport",
    "globe_histogram": "direction.statistics",
    "group_means": "direction.survey",
    "latlon_to_vector": "mechanism.coordinates",
    "mean_direction": "direction.statistics",
    "mean_place": "direction.statistics",
    "metres_to_radians": "mechanism.coordinates",
    "nearest_place": "direction.checkins",
    "release_columns": "direction.frames",
    "sample_size": "direction.statistics",
    "scaled_vector": "mechanism.coordinates",
    "simulated_sample_size": "direction.statistics",
    "time_to_angle": "mechanism.coordinates",
    "unit_vector": "mechanism.coordinates",
    "vector_to_angle": "mechanism.coordinates",
    "vector_to_latlon": "mechanism.coordinates",
}

__all__ = [
    "Advice",
    "BayesianRemap",
    "BusyHours",
    "Candidate",
    "ClippedLaplace",
    "GroupMeans",
    "HabitAttack",
    "HistogramLinkage",
    "HomeAttack",
    "HourHistogramError",
    "MeanHourError",
    "NaiveCentralSurvey",
    "PlaceAndTimePrivacy",
    "PlaceHistogramError",
    "PolarLaplace",
    "ProtectedCheckIns",
    "ProtectedSurvey",
    "Purkayastha",
    "RankAgreement",
    "SphericalCap",
    "VonMisesFisher",
    "WrappedLaplace",
    "angle_to_time",
    "angle_to_vector",
    "choose",
    "circular_difference",
    "circular_distance",
    "circular_emd",
    "circular_histogram",
    "circular_mean",
    "globe_emd",
    "globe_histogram",
    "group_means",
    "latlon_to_vector",
    "mean_direction",
    "mean_place",
    "metres_to_radians",
    "nearest_place",
    "release_columns",
    "sample_size",
    "scaled_vector",
    "simulated_sample_size",
    "time_to_angle",
    "unit_vector",
    "vector_to_angle",
    "vector_to_latlon",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"sfumato.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
