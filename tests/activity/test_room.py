"""Every part of this kind of data passes the checks; its studies run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sfumato.activity import cab_cells, geolife_places, gowalla_halves, make_browsing, make_log
from sfumato.activity.room import ROOM, log_study
from sfumato.io.files import write_table
from sfumato.study import Study
from sfumato.study.conformance import Check, Example, yield_checks
from sfumato.study.publication import publish_study
from sfumato.study.run.cell import Work, cells_of, evaluate

EXAMPLES = [Example.of(*example) for example in (*ROOM.attacks(), *ROOM.utilities())]
CHECKS = [check for target in (*ROOM.audits(), *EXAMPLES) for check in yield_checks(target)]


@pytest.mark.parametrize("check", CHECKS, ids=str)
def test_checks(check: Check) -> None:
    check.run()


def values(study: Study) -> dict[str, dict[str, float]]:
    """What every measure found, by label and statement."""
    work = Work(
        study=study.name, varied=study.varied, data=study.data, attacks=study.attacks, utilities=study.utilities
    )
    found: dict[str, dict[str, float]] = {}
    for cell in cells_of(study):
        for row in evaluate(work, cell):
            assert np.isfinite(row["value"]), row["reason"]
            found.setdefault(f"{row['label']} {row['mechanism']}", {})[row["measure"]] = row["value"]
    return found


def test_the_study_of_made_up_browsing_runs() -> None:
    study = ROOM.recipes[0].build(  # type: ignore[index]
        users=40, items=60, ks=(2,), scales=(0.5,), ranks=(4,), factor_ks=(2,), factor_scales=(0.1,), epsilons=(4.0,)
    )
    found = values(study)
    assert len(found) == 10
    raw = next(scores for label, scores in found.items() if label.startswith("raw"))
    assert all(scores["linked"] <= raw["linked"] for scores in found.values())


def test_a_report_of_ones_own_log(tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    path = tmp_path / "log.csv"
    write_table(make_log(30, 20), path)
    study = Study.of_file(path, room="activity", ks=[3], epsilons=[4.0])
    outcome = publish_study(study, tmp_path / "out", workers=1)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Who can be found" in page
    grouped = [row["value"] for row in outcome.select(label="groups for all windows", measure="linked")]
    assert max(grouped) <= 1 / 3 + 1e-9


def test_counts_can_be_studied() -> None:
    log = make_browsing(30, 40, counts=True)
    assert log.windows[0].max() > 1
    study = log_study("counts", "counts", log, ks=(3,), epsilons=(4.0,))
    assert "randomised cells" not in study.mechanisms  # they are bits
    assert len(values(study)) == 3


def test_made_up_logs_are_repeatable() -> None:
    assert make_log(10).equals(make_log(10))
    assert not make_log(10).equals(make_log(10, seed=1))
    one, two = (make_browsing(10, 20, seed=seed).windows[0].toarray() for seed in (0, 1))
    assert (one == make_browsing(10, 20).windows[0].toarray()).all()
    assert (one != two).any()


@pytest.mark.data
def test_public_logs_have_the_published_sizes() -> None:
    gowalla = gowalla_halves()
    assert gowalla.shape == (5_628, 30_943)
    assert gowalla_halves(venues=50, users=100).shape == (100, 50)
    cabs = cab_cells()
    assert (cabs.shape[0], cabs.count) == (100, 7)
    assert cabs.labels[0] == "2008-05-19"
    geolife = geolife_places()
    assert geolife.count == 2
    assert 80 < geolife.shape[0] < 182
