"""Traces: locations and other series whose neighbouring points betray the hidden one."""

from sfumato.trace.attack import PosteriorAttack, StopAttack, StrongestAttack, believed, noise_of
from sfumato.trace.channel import SecretChannel
from sfumato.trace.fit import LengthFit, fit_lengths
from sfumato.trace.gps import GpsTrace, Projection, read_gps, write_gps
from sfumato.trace.linkage import LinkageAttack, uniqueness
from sfumato.trace.loss import (
    InferentialPrivacy,
    joint_loss,
    loss,
    misspecified_loss,
    odds_bound,
    renyi_epsilon,
    repeated_noise,
)
from sfumato.trace.mechanism import TraceNoise
from sfumato.trace.posterior import estimate, posterior, posterior_interval
from sfumato.trace.prior import RBF, Kernel, Linear, Matern, Periodic, SumKernel, White, covariance
from sfumato.trace.remap import RemappedPlanar
from sfumato.trace.secret import Secret, all_basic
from sfumato.trace.stops import Stops, find_stops
from sfumato.trace.utility import DwellProfile, HeatMap, PathError, SpeedProfile, Trips
from sfumato.trace.walk import StreetAttack

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
    "StrongestAttack",
    "SumKernel",
    "TraceNoise",
    "Trips",
    "White",
    "all_basic",
    "believed",
    "covariance",
    "estimate",
    "find_stops",
    "fit_lengths",
    "joint_loss",
    "loss",
    "misspecified_loss",
    "noise_of",
    "odds_bound",
    "posterior",
    "posterior_interval",
    "read_gps",
    "renyi_epsilon",
    "repeated_noise",
    "uniqueness",
    "write_gps",
]
