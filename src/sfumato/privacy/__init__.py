"""Promises: what is proved, how promises compose, how they are spent, and how they are tested."""

from sfumato.privacy.account import Accountant, noise_for
from sfumato.privacy.audit_result import AuditResult
from sfumato.privacy.auditor import audit
from sfumato.privacy.calibrate import (
    analytic_gaussian_sigma,
    classical_gaussian_sigma,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_rho,
    laplace_scale,
)
from sfumato.privacy.case import AuditCase
from sfumato.privacy.compose import compose, compose_optimally, parallel, subsample
from sfumato.privacy.convert import (
    RenyiBound,
    as_replace_one,
    group,
    metric_epsilon,
    renyi_bound,
    through_query,
    to_approx,
    to_renyi,
    to_zcdp,
    within,
)
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
from sfumato.privacy.ledger import Balance, Entry, Ledger
from sfumato.privacy.personal import PersonalAccountant
from sfumato.privacy.sensitivity import global_sensitivity, local_sensitivity, smooth_sensitivity
from sfumato.privacy.smooth import SmoothNoise, smooth_delta, smooth_sensitivity_noise, tuned_smooth_noise

__all__ = [
    "Accountant",
    "ApproxDP",
    "AuditCase",
    "AuditResult",
    "Balance",
    "Entry",
    "Guarantee",
    "KAnonymity",
    "Ledger",
    "MetricDP",
    "NoGuarantee",
    "PersonalAccountant",
    "PureDP",
    "RenyiBound",
    "RenyiDP",
    "SmoothNoise",
    "ZeroConcentratedDP",
    "analytic_gaussian_sigma",
    "as_replace_one",
    "audit",
    "classical_gaussian_sigma",
    "compose",
    "compose_optimally",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_rho",
    "global_sensitivity",
    "group",
    "hockey_stick",
    "laplace_scale",
    "local_sensitivity",
    "max_log_ratio",
    "metric_epsilon",
    "noise_for",
    "parallel",
    "renyi_bound",
    "renyi_divergence",
    "smooth_delta",
    "smooth_sensitivity",
    "smooth_sensitivity_noise",
    "subsample",
    "through_query",
    "to_approx",
    "to_renyi",
    "to_zcdp",
    "tuned_smooth_noise",
    "within",
]
