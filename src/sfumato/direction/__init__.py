"""Directions: angles, times of day, unit vectors and places on the globe.

Mechanisms live in :mod:`sfumato.mechanism`, their laws in :mod:`sfumato.noise`; this room brings them together with
circular statistics, transport distances, an advisor, Bayesian remapping, attacks and utilities. Names are loaded when
first asked for.
"""

from typing import TYPE_CHECKING

from sfumato.lazy import lazy_names

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
    "Advice": "sfumato.direction.advice",
    "BayesianRemap": "sfumato.direction.remap",
    "BusyHours": "sfumato.direction.utility",
    "Candidate": "sfumato.direction.advice",
    "ClippedLaplace": "sfumato.mechanism.clipped_laplace",
    "GroupMeans": "sfumato.direction.survey",
    "HabitAttack": "sfumato.direction.attack",
    "HistogramLinkage": "sfumato.direction.attack",
    "HomeAttack": "sfumato.direction.attack",
    "HourHistogramError": "sfumato.direction.utility",
    "MeanHourError": "sfumato.direction.utility",
    "NaiveCentralSurvey": "sfumato.direction.survey",
    "PlaceAndTimePrivacy": "sfumato.direction.checkins",
    "PlaceHistogramError": "sfumato.direction.utility",
    "PolarLaplace": "sfumato.mechanism.polar_laplace",
    "ProtectedCheckIns": "sfumato.direction.checkins",
    "ProtectedSurvey": "sfumato.direction.survey",
    "Purkayastha": "sfumato.mechanism.purkayastha",
    "RankAgreement": "sfumato.direction.utility",
    "SphericalCap": "sfumato.mechanism.spherical_cap",
    "VonMisesFisher": "sfumato.mechanism.von_mises_fisher",
    "WrappedLaplace": "sfumato.mechanism.wrapped_laplace",
    "angle_to_time": "sfumato.mechanism.coordinates",
    "angle_to_vector": "sfumato.mechanism.coordinates",
    "choose": "sfumato.direction.advice",
    "circular_difference": "sfumato.direction.statistics",
    "circular_distance": "sfumato.direction.statistics",
    "circular_emd": "sfumato.direction.transport",
    "circular_histogram": "sfumato.direction.statistics",
    "circular_mean": "sfumato.direction.statistics",
    "globe_emd": "sfumato.direction.transport",
    "globe_histogram": "sfumato.direction.statistics",
    "group_means": "sfumato.direction.survey",
    "latlon_to_vector": "sfumato.mechanism.coordinates",
    "mean_direction": "sfumato.direction.statistics",
    "mean_place": "sfumato.direction.statistics",
    "metres_to_radians": "sfumato.mechanism.coordinates",
    "nearest_place": "sfumato.direction.checkins",
    "release_columns": "sfumato.direction.frames",
    "sample_size": "sfumato.direction.statistics",
    "scaled_vector": "sfumato.mechanism.coordinates",
    "simulated_sample_size": "sfumato.direction.statistics",
    "time_to_angle": "sfumato.mechanism.coordinates",
    "unit_vector": "sfumato.mechanism.coordinates",
    "vector_to_angle": "sfumato.mechanism.coordinates",
    "vector_to_latlon": "sfumato.mechanism.coordinates",
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


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
