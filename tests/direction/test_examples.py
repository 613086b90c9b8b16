"""The auditor on the directional mechanisms and on the published mistakes."""

from __future__ import annotations

import pytest

from sfumato.auditor import audit
from sfumato.direction.examples import audit_cases
from sfumato.noise import seeded_rng
from specimens.direction import CASES


def test_auditor_finds_promises_kept_and_attained_within_one_per_cent():
    for case in audit_cases():
        if case.label.startswith(("VonMisesFisher", "Purkayastha", "SphericalCap", "WrappedLaplace, tight")):
            result = audit(case, rng=seeded_rng(0))
            assert result.verdict == "holds", str(result)
            assert result.attained > 0.99, str(result)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_auditor_refuses_the_published_promises(case):
    assert audit(case, rng=seeded_rng(0)).verdict == "broken"
