"""Every registered promise holds, every specimen is caught.

Sampled verdicts come from fixed seeds at confidence 1 − 1e-6: a sound, tight mechanism would be called broken once in
a million audits.
"""

from __future__ import annotations

import numpy as np
import pytest

import helpers
from sfumato.auditor import AuditCase, audit
from sfumato.cli.audit import cases_in
from sfumato.study.conformance import collect_cases
from sfumato.study.conformance.mechanism import BUILD_CONFIDENCE

SPECIMENS = cases_in(helpers.SPECIMENS)
CASES = collect_cases()


def test_every_case_has_a_name_of_its_own() -> None:
    labels = [case.label for case in CASES + SPECIMENS]
    assert len(labels) == len(set(labels)), sorted(label for label in set(labels) if labels.count(label) > 1)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_promise_holds(case: AuditCase) -> None:
    result = audit(case, confidence=BUILD_CONFIDENCE, rng=np.random.default_rng(0))
    assert result.as_expected, str(result)


@pytest.mark.parametrize("case", SPECIMENS, ids=lambda case: case.label)
def test_specimen_is_caught(case: AuditCase) -> None:
    assert case.expected == "broken"
    assert case.source, "a specimen says where it was published"
    result = audit(case, confidence=BUILD_CONFIDENCE, rng=np.random.default_rng(0))
    assert result.verdict == "broken", str(result)
