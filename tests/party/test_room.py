"""Every part of this kind of data passes the checks; its study runs."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.party import make_bids
from sfumato.party.protection import protect, recompute
from sfumato.party.room import ROOM
from sfumato.release import Release
from sfumato.study.conformance import Check, Example, yield_checks
from sfumato.study.run.cell import Work, cells_of, evaluate

EXAMPLES = [Example.of(*example) for example in (*ROOM.attacks(), *ROOM.utilities())]
CHECKS = [check for target in (*ROOM.audits(), *EXAMPLES) for check in yield_checks(target)]


@pytest.mark.parametrize("check", CHECKS, ids=str)
def test_checks(check: Check) -> None:
    check.run()


def test_the_study_runs() -> None:
    study = ROOM.recipes[0].build(bids=50, epsilons=(1.0,))
    work = Work(
        study=study.name, varied=study.varied, data=study.data, attacks=study.attacks, utilities=study.utilities
    )
    for cell in cells_of(study):
        assert all(np.isfinite(row["value"]) for row in evaluate(work, cell))


def test_bids_are_repeatable_and_in_range() -> None:
    assert make_bids(20).equals(make_bids(20))
    assert not make_bids(20).equals(make_bids(20, seed=1))
    bids = make_bids(500, bits=5)
    for name in ("mine", "yours"):
        assert 0 <= min(bids[name].to_pylist()) <= max(bids[name].to_pylist()) < 32


def test_only_the_answers_leave() -> None:
    released = protect(make_bids(20), "at_least", epsilon=1.0).data
    assert released.column_names == ["at_least"]
    counted = protect(make_bids(20), "at_least", mechanism="private-count", epsilon=1.0)
    assert counted.data.column_names == ["number"]
    assert counted.data.num_rows == 1


def test_an_edited_release_fails_its_checks() -> None:
    import pyarrow as pa

    release = protect(make_bids(20), "at_least", epsilon=1.0)
    assert all(check.result == "holds" for check in recompute(release))
    for table in (pa.table({"at_least": [2] * 20}), pa.table({"at_least": [1] * 19}), pa.table({"other": [1] * 20})):
        edited = Release(card=release.card, key=release.key, guarantee=release.guarantee, table=table)
        assert any(check.result == "fails" for check in recompute(edited))
