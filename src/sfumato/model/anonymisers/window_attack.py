"""Who moved, and how: fresh networks on windows of motion sensors as they were released."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.mechanism.base import Mechanism
from sfumato.model.anonymisers.motion_autoencoder import train_window_network
from sfumato.model.data.motion import MotionSplit
from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.validate import integer

__all__ = ["ActivityKept", "WindowIdentityAttack", "name_windows", "recording_hits"]


def name_windows(data: MotionSplit, kind: str, *, epochs: int, rng: Rng | None = None) -> NDArray[np.float64]:
    """Log-probabilities of the test windows by a network that was trained from nothing on the training windows."""
    train, test = data.train.windows, data.test.windows
    centre, spread = train.mean(axis=(0, 2))[:, None], train.std(axis=(0, 2))[:, None]
    spread = np.where(spread > 0, spread, 1.0)
    network = train_window_network((train - centre) / spread, getattr(data.train, kind), epochs=epochs, rng=rng)
    return network((test - centre) / spread)


def recording_hits(told: NDArray[np.float64], data: MotionSplit) -> NDArray[np.bool_]:
    """For every test recording, whether all its windows together name the person."""
    test = data.test
    keys = np.stack([test.person, test.trial, test.activity])
    recordings, which = np.unique(keys, axis=1, return_inverse=True)
    total = np.zeros((recordings.shape[1], told.shape[1]))
    np.add.at(total, which.ravel(), told)
    return total.argmax(axis=1) == recordings[0]


@dataclass(frozen=True, kw_only=True)
class WindowIdentityAttack:
    """Names the person of a released window by a convolutional network that was trained on released windows.

    The attacker has windows of all these people as they leave, with names, and is not the adversary that the
    auto-encoder was trained against.

    Parameters
    ----------
    recordings : bool
        Add up what the windows of a recording say, and name its person.
    """

    criterion: ClassVar[Criterion] = "linkability"
    knows: ClassVar[str] = "released windows of everybody with their names"

    recordings: bool = False
    epochs: int = 6
    name: str = "person named by a window"

    def __post_init__(self) -> None:
        integer("epochs", self.epochs)

    def attack(
        self, data: MotionSplit, release: MotionSplit, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        """The share of windows, or recordings; chance is the most frequent person."""
        told = name_windows(release, "person", epochs=self.epochs, rng=rng)
        often = int(np.bincount(data.train.person).argmax())
        if self.recordings:
            people = np.unique(np.stack([data.test.person, data.test.trial, data.test.activity]), axis=1)[0]
            return Score.of_share(recording_hits(told, release), float((people == often).mean()))
        right = told.argmax(axis=1) == data.test.person
        return Score.of_share(right, float((data.test.person == often).mean()))


@dataclass(frozen=True, kw_only=True)
class ActivityKept:
    """How often a network that was trained on released windows names the activity of others."""

    epochs: int = 6
    name: str = "activity recognised"
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        integer("epochs", self.epochs)

    def measure(self, data: MotionSplit, release: MotionSplit, *, rng: Rng | None = None) -> Score:
        """The share of test windows; the reference is always naming the most frequent activity."""
        right = name_windows(release, "activity", epochs=self.epochs, rng=rng).argmax(axis=1) == data.test.activity
        often = int(np.bincount(data.train.activity).argmax())
        return Score.of_share(right, float((data.test.activity == often).mean()))
