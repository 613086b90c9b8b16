"""Promises: what is proved, how promises compose, how they are spent, and how they are tested."""

from sfumato.privacy.audit_result import AuditResult
from sfumato.privacy.auditor import audit
from sfumato.privacy.calibrate import (
    SmoothNoise,
    analytic_gaussian_sigma,
    classical_gaussian_sigma,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_rho,
    laplace_scale,
    smooth_gaussian_delta,
    smooth_sensitivity_noise,
)
from sfumato.privacy.case import AuditCase
from sfumato.privacy.divergence import hockey_stick, max_log_ratio, renyi_divergence
from sfumato.privacy.guarantee import (
    ApproxDP,
    Guarantee,
    KAnonymity,
    MetricDP,
    NoGuarantee,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)

__all__ = [
    "ApproxDP",
    "AuditCase",
    "AuditResult",
    "Guarantee",
    "KAnonymity",
    "MetricDP",
    "NoGuarantee",
    "PureDP",
    "RenyiDP",
    "SmoothNoise",
    "ZeroConcentratedDP",
    "analytic_gaussian_sigma",
    "audit",
    "classical_gaussian_sigma",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_rho",
    "hockey_stick",
    "laplace_scale",
    "max_log_ratio",
    "renyi_divergence",
    "smooth_gaussian_delta",
    "smooth_sensitivity_noise",
]
