"""A survey, check-ins and their protection, for tests of directions."""

from __future__ import annotations

import numpy as np

from sfumato.direction import ProtectedCheckIns, Purkayastha
from sfumato.direction.data.check_ins import make_check_ins
from sfumato.direction.data.sleep import make_sleep_survey

__all__ = ["SURVEY", "VISITS", "protected"]

SURVEY = make_sleep_survey(people=300, nights=7)
VISITS = make_check_ins(users=60, places=80, cities=4, records=6_000)


def protected(level: float) -> ProtectedCheckIns:
    """Place at the level within 3e-5 rad (191 m) and time at the level within three hours."""
    return ProtectedCheckIns(
        place=Purkayastha(level=level, radius=3e-5, kind="latlon"),
        time=Purkayastha(level=level, radius=np.pi / 4, kind="hour"),
    )
