"""Traces: locations and other series whose neighbouring points betray the hidden one.

Names are loaded when first asked for.
"""

from typing import TYPE_CHECKING

from sfumato.lazy import lazy_names

if TYPE_CHECKING:
    from sfumato.trace.attack import PosteriorAttack, StopAttack, noise_of
    from sfumato.trace.channel import SecretChannel
    from sfumato.trace.fit import LengthFit, fit_lengths
    from sfumato.trace.gps import GpsTrace, Projection, read_gps, write_gps
    from sfumato.trace.linkage import LinkageAttack, uniqueness
    from sfumato.trace.loss import InferentialPrivacy, loss, misspecified_loss, odds_bound, renyi_epsilon
    from sfumato.trace.mechanism import TraceNoise
    from sfumato.trace.posterior import estimate, posterior, posterior_interval
    from sfumato.trace.prior import RBF, Kernel, Linear, Matern, Periodic, SumKernel, White, covariance
    from sfumato.trace.remap import RemappedPlanar
    from sfumato.trace.secret import Secret, all_basic
    from sfumato.trace.stops import Stops, find_stops
    from sfumato.trace.utility import DwellProfile, HeatMap, PathError, SpeedProfile, Trips
    from sfumato.trace.walk import StreetAttack

_HOMES = {
    "DwellProfile": "sfumato.trace.utility",
    "GpsTrace": "sfumato.trace.gps",
    "HeatMap": "sfumato.trace.utility",
    "InferentialPrivacy": "sfumato.trace.loss",
    "Kernel": "sfumato.trace.prior",
    "LengthFit": "sfumato.trace.fit",
    "Linear": "sfumato.trace.prior",
    "LinkageAttack": "sfumato.trace.linkage",
    "Matern": "sfumato.trace.prior",
    "PathError": "sfumato.trace.utility",
    "Periodic": "sfumato.trace.prior",
    "PosteriorAttack": "sfumato.trace.attack",
    "Projection": "sfumato.trace.gps",
    "RBF": "sfumato.trace.prior",
    "RemappedPlanar": "sfumato.trace.remap",
    "Secret": "sfumato.trace.secret",
    "SecretChannel": "sfumato.trace.channel",
    "SpeedProfile": "sfumato.trace.utility",
    "StopAttack": "sfumato.trace.attack",
    "Stops": "sfumato.trace.stops",
    "StreetAttack": "sfumato.trace.walk",
    "SumKernel": "sfumato.trace.prior",
    "TraceNoise": "sfumato.trace.mechanism",
    "Trips": "sfumato.trace.utility",
    "White": "sfumato.trace.prior",
    "all_basic": "sfumato.trace.secret",
    "covariance": "sfumato.trace.prior",
    "estimate": "sfumato.trace.posterior",
    "find_stops": "sfumato.trace.stops",
    "fit_lengths": "sfumato.trace.fit",
    "loss": "sfumato.trace.loss",
    "misspecified_loss": "sfumato.trace.loss",
    "noise_of": "sfumato.trace.attack",
    "odds_bound": "sfumato.trace.loss",
    "posterior": "sfumato.trace.posterior",
    "posterior_interval": "sfumato.trace.posterior",
    "read_gps": "sfumato.trace.gps",
    "renyi_epsilon": "sfumato.trace.loss",
    "uniqueness": "sfumato.trace.linkage",
    "write_gps": "sfumato.trace.gps",
}

__all__ = [
    "RBF",
    "DwellProfile",
    "GpsTrace",
    "HeatMap",
    "InferentialPrivacy",
    "Kernel",
    "LengthFit",
    "Linear",
    "LinkageAttack",
    "Matern",
    "PathError",
    "Periodic",
    "PosteriorAttack",
    "Projection",
    "RemappedPlanar",
    "Secret",
    "SecretChannel",
    "SpeedProfile",
    "StopAttack",
    "Stops",
    "StreetAttack",
    "SumKernel",
    "TraceNoise",
    "Trips",
    "White",
    "all_basic",
    "covariance",
    "estimate",
    "find_stops",
    "fit_lengths",
    "loss",
    "misspecified_loss",
    "noise_of",
    "odds_bound",
    "posterior",
    "posterior_interval",
    "read_gps",
    "renyi_epsilon",
    "uniqueness",
    "write_gps",
]


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
