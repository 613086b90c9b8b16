"""Every part of this kind of data passes the checks; its study runs."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.model.room import ROOM
from sfumato.study.conformance import Check, Example, yield_checks
from sfumato.study.run.cell import Work, cells_of, evaluate

EXAMPLES = [Example.of(*example) for example in (*ROOM.attacks(), *ROOM.utilities())]
CHECKS = [check for target in (*ROOM.audits(), *EXAMPLES) for check in yield_checks(target)]


@pytest.mark.parametrize("check", CHECKS, ids=str)
def test_checks(check: Check) -> None:
    check.run()


def test_the_study_tells_copies_from_blurs() -> None:
    study = next(iter(ROOM.recipes)).build(points=200, bandwidths=(0.001, 10.0))
    work = Work(
        study=study.name, varied=study.varied, data=study.data, attacks=study.attacks, utilities=study.utilities
    )
    found: dict[str, list[float]] = {}
    for cell in cells_of(study):
        for row in evaluate(work, cell):
            assert np.isfinite(row["value"])
            if row["measure"] == "generated closer than fresh":
                name = row["label"] if row["label"] == "raw data" else f"{row['label']} {row['varied']}"
                found.setdefault(name, []).append(row["value"])
    assert min(found["kernel density 0.001"]) > 0.95
    assert max(found["kernel density 10.0"]) < 0.1
    assert min(found["raw data"]) == 1.0
