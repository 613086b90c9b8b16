"""What the attacks on generated samples have in common."""

from __future__ import annotations

from typing import Any

from sfumato.errors import bad_input
from sfumato.model.core.cohort import Cohort

__all__ = ["cohort_of"]


def cohort_of(data: Any) -> Cohort:
    """``data`` itself if it names who was trained on and who was not."""
    if not isinstance(data, Cohort):
        raise bad_input("data", type(data).__name__, "a Cohort(train=…, test=…)", "fresh records are the control group")
    return data
