"""Traces: locations and other series whose neighbouring points betray the hidden one."""

from sfumato.trace.fit import LengthFit, fit_lengths
from sfumato.trace.loss import InferentialPrivacy, loss, misspecified_loss, odds_bound, renyi_epsilon
from sfumato.trace.mechanism import TraceNoise
from sfumato.trace.prior import RBF, Kernel, Linear, Matern, Periodic, SumKernel, White, covariance
from sfumato.trace.secret import Secret, all_basic

__all__ = [
    "RBF",
    "InferentialPrivacy",
    "Kernel",
    "LengthFit",
    "Linear",
    "Matern",
    "Periodic",
    "Secret",
    "SumKernel",
    "TraceNoise",
    "White",
    "all_basic",
    "covariance",
    "fit_lengths",
    "loss",
    "misspecified_loss",
    "odds_bound",
    "renyi_epsilon",
]
