"""Windows of motion sensors: who moved, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.datasets.catalogue import data_file
from sfumato.validate import integer

__all__ = ["MotionSplit", "MotionWindows", "load_motion", "split_motion"]

_MOVING = ("dws", "ups", "wlk", "jog")


class MotionWindows(NamedTuple):
    """Windows (count, 2, length): magnitude of acceleration and of rotation; activity 0–3, person 0–23, trial."""

    windows: NDArray[np.float64]
    activity: NDArray[np.int64]
    person: NDArray[np.int64]
    trial: NDArray[np.int64]

    def of(self, chosen: NDArray[np.bool_]) -> MotionWindows:
        """Only these windows."""
        return MotionWindows(self.windows[chosen], self.activity[chosen], self.person[chosen], self.trial[chosen])


def load_motion(*, length: int = 64, stride: int = 10) -> MotionWindows:
    """MotionSense: 24 people walk, jog and climb stairs with a phone in their pocket.

    The set here has 25 samples a second without gravity, where the literature has 50 with it: a window of 64 samples
    lasts as long as its 128.
    """
    length, stride = integer("length", length), integer("stride", stride)
    with np.load(data_file("motionsense/motionsense_25hz.npz"), allow_pickle=False) as content:
        values = content["x"].astype(np.float64)
        start, stop, activity = content["start"], content["stop"], content["activity"].astype(str)
        person, trial = content["subject"], content["trial"]
    size = np.stack([np.linalg.norm(values[:, :3], axis=1), np.linalg.norm(values[:, 3:], axis=1)])
    parts: list[NDArray[np.float64]] = []
    tags: list[tuple[int, int, int]] = []
    for first, last, kind, who, turn in zip(start, stop, activity, person, trial, strict=True):
        if kind not in _MOVING:
            continue
        places = np.arange(first, last - length + 1, stride)
        parts.append(size[:, places[:, None] + np.arange(length)].transpose(1, 0, 2))
        tags += [(_MOVING.index(kind), int(who) - 1, int(turn))] * len(places)
    told = np.array(tags, np.int64)
    return MotionWindows(np.concatenate(parts), told[:, 0], told[:, 1], told[:, 2])


@dataclass(frozen=True, kw_only=True, eq=False)
class MotionSplit:
    """Windows to learn from, and other recordings of the same people to be judged by."""

    train: MotionWindows
    test: MotionWindows

    def __post_init__(self) -> None:
        for name in ("train", "test"):
            part = getattr(self, name)
            if not len(part.windows) or len({len(field) for field in part}) > 1:
                raise bad_input(name, [len(field) for field in part], "windows, each with activity, person and trial")
        if self.train.windows.shape[1:] != self.test.windows.shape[1:]:
            raise bad_input(
                "test", self.test.windows.shape[1:], f"windows of {self.train.windows.shape[1:]} as in train"
            )


def split_motion(motion: MotionWindows, *, first_test_trial: int = 11) -> MotionSplit:
    """Split by recording: windows overlap, so that a split of windows would put halves of one on both sides.

    Every person did each activity in long recordings (trials 1 to 9) and again in short ones (11 to 16).
    """
    later = motion.trial >= integer("first_test_trial", first_test_trial)
    parts = [motion.of(chosen) for chosen in (~later, later)]
    return MotionSplit(train=parts[0], test=parts[1])
