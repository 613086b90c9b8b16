"""Every part of this kind of data passes the checks; its study runs."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.party.data import make_party
from sfumato.party.protection import protect
from sfumato.party.room import ROOM
from sfumato.study.conformance import Check, Example, yield_checks
from sfumato.study.run.cell import Work, cells_of, evaluate

EXAMPLES = [Example.of(*example) for example in (*ROOM.attacks(), *ROOM.utilities())]
CHECKS = [check for target in (*ROOM.audits(), *EXAMPLES) for check in yield_checks(target)]


@pytest.mark.parametrize("check", CHECKS, ids=str)
def test_checks(check: Check) -> None:
    check.run()


def test_the_study_runs() -> None:
    study = ROOM.recipes[0].build(people=50, epsilons=(1.0,))
    work = Work(
        study=study.name, varied=study.varied, data=study.data, attacks=study.attacks, utilities=study.utilities
    )
    for cell in cells_of(study):
        assert all(np.isfinite(row["value"]) for row in evaluate(work, cell))


def test_people_are_repeatable() -> None:
    assert make_party(20).equals(make_party(20))
    assert not make_party(20).equals(make_party(20, seed=1))


def test_only_the_protected_column_leaves() -> None:
    people = make_party(20)
    released = protect(people, "value", epsilon=1.0, low=0.0, high=100.0).data
    assert released.column_names == ["value"]
    assert not np.isin(released["value"].to_numpy(), people["value"].to_numpy()).any()
