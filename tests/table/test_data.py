"""The made-up hospital has what makes files of real ones awkward."""

from __future__ import annotations

import datetime as dt

from sfumato.table import check, protect
from sfumato.table.core.proposal.schema_proposal import propose_schema
from sfumato.table.data import hospital_schema, make_hospital


def test_the_hospital_is_awkward_and_repeats() -> None:
    table = make_hospital(2_000)
    assert make_hospital(2_000).equals(table)
    assert not make_hospital(2_000, seed=1).equals(table)
    assert len(set(table["patient_id"].to_pylist())) == 2_000
    assert any(code.startswith("0") for code in table["zip"].to_pylist())
    assert all(len(code) == 5 for code in table["zip"].to_pylist())
    assert isinstance(table["birth_date"][0].as_py(), dt.date)
    assert 0.01 < table["diagnosis"].null_count / 2_000 < 0.1
    assert check(table, hospital_schema()).k == 1


def test_its_roles_are_proposed_and_it_is_protected() -> None:
    table = make_hospital(2_000)
    assert propose_schema(table).roles == {
        "zip": "quasi", "birth_date": "quasi", "sex": "quasi", "diagnosis": "sensitive", "cost": "sensitive",
        "patient_id": "identifier",
    }  # fmt: skip
    for recoding in ("global", "local"):
        release = protect(table, hospital_schema(), k=5, l=2, recoding=recoding)
        found = check(release, hospital_schema())
        assert found.k >= 5
        assert found.sensitive["diagnosis"].distinct_l >= 2
