"""Promises: what is proved, how promises compose, how they are spent, and how they are tested."""

from sfumato.privacy.case import AuditCase
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
    "Guarantee",
    "KAnonymity",
    "MetricDP",
    "NoGuarantee",
    "PureDP",
    "RenyiDP",
    "ZeroConcentratedDP",
]
