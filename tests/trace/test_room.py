"""Traces as a kind of data: public names, studies, documentation."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

import sfumato.trace
from helpers import DOCS
from sfumato.trace.room import ROOM, day_study


def test_public_names_are_all_there():
    for name in sfumato.trace.__all__:
        assert getattr(sfumato.trace, name) is not None
    with pytest.raises(AttributeError):
        sfumato.trace.nothing


def test_a_view_for_the_auditor_is_no_mechanism_of_its_own():
    ways = ["trace-noise", "place-noise", "time-cut", "lasting-noise", "sticky-zone", "remapped-planar"]
    assert list(ROOM.mechanisms())[:6] == ways
    assert "secret-channel" not in ROOM.mechanisms()


def test_examples_of_the_page_run():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testfile(str(DOCS / "trace.md"), module_relative=False, optionflags=flags)
    assert result.attempted > 5
    assert result.failed == 0


def test_noise_for_the_places_is_ahead_of_every_other_noise_on_made_up_days():
    """The picture in the README: at no larger error, the strongest adversary finds fewer of the stops."""
    found = {"noise for the places": 0.0, "noise shaped for the secrets": 0.0, "planar Laplace, remapped": 0.0}
    for seed in range(4):
        study = day_study(errors=(300.0,), seed=seed)
        localisation, path_error = study.attacks[0], study.utilities[0]
        for label in found:
            mechanism = study.mechanisms[label][-2 if label == "noise for the places" else 0]
            rng = np.random.default_rng(seed)
            release = mechanism.release(study.data, rng=rng)
            assert path_error.measure(study.data, release).value < 700
            found[label] += localisation.attack(study.data, release, mechanism=mechanism, rng=rng).value / 4
    assert found["noise for the places"] < 0.35
    assert found["noise for the places"] < min(found["noise shaped for the secrets"], found["planar Laplace, remapped"])
