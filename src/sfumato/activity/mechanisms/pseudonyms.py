"""Fresh pseudonyms and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.activity.core.activity import Activity
from sfumato.activity.mechanisms.base import ActivityMechanism
from sfumato.noise import Rng
from sfumato.promise import NoGuarantee

__all__ = ["Pseudonyms"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Pseudonyms(ActivityMechanism):
    """Releases the activity as it is, under a fresh pseudonym in every window.

    The door gives the pseudonyms; the rows are unchanged. What people do is what they are known by: on real logs most
    of them are linked across windows. Kept as what the others are compared with.

    Examples
    --------
    >>> Pseudonyms().guarantee.vacuous
    True
    """

    technique = "pseudonymization"

    @property
    def guarantee(self) -> NoGuarantee:
        return NoGuarantee("a fresh pseudonym hides the name, and what people do tells who they are")

    def _release(self, activity: Activity, rng: Rng) -> Activity:
        return activity
