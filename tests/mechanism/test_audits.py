"""The auditor finds every textbook promise kept, and the tight ones attained."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.auditor import audit
from sfumato.auditor.examples import audit_cases

TIGHT = ("Laplace", "BoundedNumber", "Gaussian", "Gaussian, large ε", "Gaussian, given σ", "RandomizedResponse")


@pytest.mark.parametrize("case", audit_cases(), ids=lambda case: case.label)
def test_promise_holds_and_is_not_loose_where_the_theorem_is_tight(case):
    result = audit(case, rng=np.random.default_rng(1), samples=5_000)
    assert result.verdict == "holds"
    if case.label in TIGHT:
        assert result.found > 0.999 * result.promised
