"""Every mechanism, attack and utility with inputs to try it on, for the auditor, the checks and the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.party.attacks.linkage import LinkageAttack
from sfumato.party.mechanisms.party_noise import PartyNoise
from sfumato.party.utilities.mean_error import MeanError

__all__ = ["attack_examples", "audit_cases", "utility_examples"]

DATA = np.array([1.0, 4.0, 4.0, 9.5])
RELEASE = np.array([0.5, 6.0, 3.0, 8.0])


def audit_cases() -> Iterator[AuditCase]:
    """One case, or more, for each mechanism."""
    yield _party_noise()


def attack_examples() -> Iterator[tuple[Any, Any, Any]]:
    """Each attack with data and a release of it."""
    yield LinkageAttack(), DATA, RELEASE


def utility_examples() -> Iterator[tuple[Any, Any, Any]]:
    """Each utility with data and a release of it."""
    yield MeanError(), DATA, RELEASE


def _party_noise() -> AuditCase:
    """PartyNoise on the two ends of its range and on numbers close to each other."""
    return AuditCase(
        mechanism=PartyNoise(epsilon=1.0, low=0.0, high=10.0),
        pairs=[(0.0, 10.0), (4.0, 4.5)],
        bad=[float("nan"), 11.0, "seven"],
        source="Dwork, McSherry, Nissim, Smith 2006",
    )
