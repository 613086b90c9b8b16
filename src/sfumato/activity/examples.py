"""Every mechanism, attack and utility with inputs to try it on, for the auditor, the checks and the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sfumato.activity.attacks.linkage import LinkageAttack
from sfumato.activity.mechanisms.activity_noise import ActivityNoise
from sfumato.activity.utilities.mean_error import MeanError
from sfumato.auditor import AuditCase

__all__ = ["attack_examples", "audit_cases", "utility_examples"]

DATA = np.array([1.0, 4.0, 4.0, 9.5])
RELEASE = np.array([0.5, 6.0, 3.0, 8.0])


def audit_cases() -> Iterator[AuditCase]:
    """One case, or more, for each mechanism."""
    yield _activity_noise()


def attack_examples() -> Iterator[tuple[Any, Any, Any]]:
    """Each attack with data and a release of it."""
    yield LinkageAttack(), DATA, RELEASE


def utility_examples() -> Iterator[tuple[Any, Any, Any]]:
    """Each utility with data and a release of it."""
    yield MeanError(), DATA, RELEASE


def _activity_noise() -> AuditCase:
    """ActivityNoise on the two ends of its range and on numbers close to each other."""
    return AuditCase(
        mechanism=ActivityNoise(epsilon=1.0, low=0.0, high=10.0),
        pairs=[(0.0, 10.0), (4.0, 4.5)],
        bad=[float("nan"), 11.0, "seven"],
        source="Dwork, McSherry, Nissim, Smith 2006",
    )
