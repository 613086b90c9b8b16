"""Every recipe runs small: copies are told from blurs, and encoders, digits and motion have a frontier."""

from __future__ import annotations

import numpy as np
import pytest

import sfumato as sf
from sfumato.errors import InputError
from sfumato.model import StudentAccuracy, make_census
from sfumato.model.core.cohort import Cohort
from sfumato.model.room import ROOM
from sfumato.study.study import Study

BUILD = {recipe.name: recipe.build for recipe in ROOM.recipes}
SMALL = {"source": "digits", "train": 200, "fresh": 100}


def found(study: Study, measure: str) -> dict[tuple[str, float], float]:
    """The values of one measure by label and place in the sweep."""
    outcome = sf.run(study, workers=1, progress=False)
    rows = outcome.select(measure=measure)
    assert all(np.isfinite(row["value"]) for row in rows), rows
    return {(row["label"], row["varied"]): row["value"] for row in rows}


def test_digits_of_a_kernel_estimate() -> None:
    study = BUILD["digit-kernels"](bandwidths=(0.01, 5.0), dimension=16, **SMALL)
    seen = found(study, "generated closer than fresh")
    assert seen["kernel density", 0.01] > 0.95
    assert seen["kernel density", 5.0] < 0.05


def test_digits_of_autoencoders_and_their_truncation() -> None:
    pytest.importorskip("torch")
    wide = BUILD["digit-autoencoders"](latents=(2,), epochs=1, **SMALL)
    assert set(found(wide, "precision and recall")) >= {("dense", 2.0), ("convolutional", 2.0)}
    cut = BUILD["digit-truncation"](truncations=(0.1, 4.0), latent=4, epochs=1, **SMALL)
    assert set(found(cut, "generated closer than fresh")) >= {("truncated", 0.1), ("truncated", 4.0)}


def test_encoders_against_epochs() -> None:
    pytest.importorskip("torch")
    study = BUILD["memory"](epochs=(0, 2), criteria=("simclr",), size=64, public=200)
    seen = found(study, "déjà vu")
    assert abs(seen["simclr", 0.0]) < 0.25
    assert seen["raw data", next(place for label, place in seen if label == "raw data")] == 1
    assert found(study, "whole images recognised")


def test_motion() -> None:
    pytest.importorskip("torch")
    from model.anonymisers.test_motion_autoencoder import walkers

    study = BUILD["motion"](weights=(1.0,), epochs=1, data=walkers(windows=11))
    assert found(study, "person named by a recording")


def test_a_picture_of_copies_stands_in_the_report() -> None:
    pytest.importorskip("PIL")
    pytest.importorskip("plotly")
    study = BUILD["digit-kernels"](bandwidths=(0.01,), dimension=8, **SMALL)
    picture = study.pictures[1](None)
    assert "The generator copies its training set." in picture.caption
    assert picture.figure.layout.images[0].source.startswith("data:image/png;base64,")
    assert not picture.public


def test_bad_options_of_recipes() -> None:
    for options in ({"source": "faces"}, {"train": 9_999, "source": "digits"}, {"fresh": 0, "source": "digits"}):
        with pytest.raises(InputError):
            BUILD["digit-kernels"](**options)


def test_a_student_learns_from_a_good_teacher_only() -> None:
    train, test, other = (make_census(400, seed=seed) for seed in range(3))
    group = Cohort(train=train, test=test)
    label = "job"
    good = StudentAccuracy(label=label).measure(group, other, rng=np.random.default_rng(0))
    shuffled = other.set_column(
        other.column_names.index(label), label, [np.random.default_rng(1).permutation(other[label].to_pylist())]
    )
    bad = StudentAccuracy(label=label).measure(group, shuffled, rng=np.random.default_rng(0))
    assert bad.value < good.value
    assert good.reference == pytest.approx(good.value, abs=0.15)
    with pytest.raises(InputError, match="has no column"):
        StudentAccuracy(label="weight").measure(group, other)
    with pytest.raises(InputError, match="no column to be a label"):
        StudentAccuracy().measure(Cohort(train=np.zeros((3, 2)), test=np.ones((3, 2))), np.zeros((3, 2)))
    with pytest.raises(InputError, match="one column"):
        StudentAccuracy().measure(Cohort(train=train.select([label]), test=test.select([label])), other.select([label]))
