"""The anonymising auto-encoder: the activity stays, the person goes, a fresh network says so."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.model import (
    ActivityKept,
    MotionAutoencoder,
    MotionSplit,
    MotionWindows,
    WindowIdentityAttack,
    load_motion,
    split_motion,
)
from sfumato.model.anonymisers.window_attack import recording_hits
from sfumato.promise import NoGuarantee

pytest.importorskip("torch")


def walkers(seed: int = 0, windows: int = 12) -> MotionSplit:
    """Four people, two activities: the activity is the frequency, the person the height of the wave."""
    rng = np.random.default_rng(seed)
    made, tags = [], []
    for person in range(4):
        for activity in range(2):
            for trial in (1, 2, 11):
                time = np.arange(32)[None] + rng.uniform(0, 50, (windows, 1))
                wave = (0.5 + 0.6 * person) * np.sin(2 * np.pi * time * (0.06 + 0.12 * activity))
                made.append(np.stack([wave, np.abs(wave)], axis=1) + 0.1 * rng.normal(size=(windows, 2, 32)))
                tags += [(activity, person, trial)] * windows
    told = np.array(tags)
    return split_motion(MotionWindows(np.concatenate(made), told[:, 0], told[:, 1], told[:, 2]))


def test_the_person_goes_and_the_activity_stays() -> None:
    data = walkers()
    model = MotionAutoencoder(weight=2.0, bottleneck=0.05, dimension=4, epochs=12, filters=8)
    made = model.release(data, rng=np.random.default_rng(0))
    attack, kept = WindowIdentityAttack(epochs=15), ActivityKept(epochs=15)
    rng = np.random.default_rng(1)
    raw, hidden = attack.attack(data, data, rng=rng), attack.attack(data, made, rng=rng)
    assert raw.value > 0.8
    assert hidden.value < raw.value - 0.3
    assert kept.measure(data, made, rng=rng).value > 0.85
    assert made.test.windows.shape == data.test.windows.shape
    assert type(model.guarantee) is NoGuarantee


def test_recordings_add_up() -> None:
    data = walkers(windows=2)
    told = np.full((len(data.test.person), 4), -5.0)
    told[np.arange(len(told)), data.test.person] = -4.9  # every window leans to its person by a little
    told[::2] = np.roll(told[::2], 1, axis=1) * 0.5  # and half of them say another
    assert recording_hits(told, data).shape == (8,)
    right = np.full((len(data.test.person), 4), -5.0)
    right[np.arange(len(right)), data.test.person] = -4.9
    assert recording_hits(right, data).all()


def test_the_split_is_by_recording() -> None:
    data = walkers()
    assert set(data.train.trial) == {1, 2}
    assert set(data.test.trial) == {11}


@pytest.mark.data
def test_motionsense() -> None:
    found = split_motion(load_motion(stride=64))
    assert found.train.windows.shape[1:] == (2, 64)
    assert set(found.train.person) == set(found.test.person) == set(range(24))


@pytest.mark.parametrize("changes", [{"weight": -1.0}, {"bottleneck": -0.1}, {"epochs": 0}, {"dimension": 0}])
def test_bad_parameters_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(InputError):
        MotionAutoencoder(**changes)  # type: ignore[arg-type]


def test_bad_windows_are_refused() -> None:
    data = walkers(windows=2)
    model = MotionAutoencoder(epochs=1, filters=4)
    part = data.train
    for windows in (part.windows[:, :, :30], part.windows[:, 0], part.windows * np.nan):
        with pytest.raises(InputError):
            model.train(windows, part.activity, part.person)
    with pytest.raises(InputError, match="one for each row"):
        model.train(part.windows, part.activity[:3], part.person)
    with pytest.raises(InputError, match="activity, person and trial"):
        dataclasses.replace(data, train=part._replace(person=part.person[:3]))
    with pytest.raises(InputError, match="as in train"):
        dataclasses.replace(data, test=data.test._replace(windows=data.test.windows[:, :, :16]))
    trained = model.train(part.windows, part.activity, part.person, rng=np.random.default_rng(0))
    with pytest.raises(InputError, match="windows of 2 × 32"):
        trained.release(part.windows[:, :1])
