"""A small study with mechanisms, attacks and utilities made for the tests; a module, so that workers can import it."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Guarantee, NoGuarantee, PureDP
from sfumato.study import Score, Study, sweep
from sfumato.validate import positive


@dataclass(frozen=True, kw_only=True, eq=False)
class Blur(Mechanism):
    """Laplace noise of scale 1/ε on each entry of bits; from ε = 1 on it waits until the file ``gate`` exists."""

    epsilon: float
    gate: str = ""
    log: str = ""
    fail_at: float = -1.0

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        return PureDP(self.epsilon, unit="bit", neighbours="any-pair", model="local")

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        if self.log:
            with Path(self.log).open("a") as stream:
                stream.write(f"{self.epsilon} {os.getpid()}\n")
        while self.gate and self.epsilon >= 1 and not Path(self.gate).exists():
            time.sleep(0.01)
        if self.epsilon == self.fail_at:
            raise ZeroDivisionError("a mechanism with a mistake")
        return data + resolve_rng(rng).laplace(scale=1 / self.epsilon, size=len(data))


@dataclass(frozen=True, kw_only=True, eq=False)
class Rounding(Mechanism):
    """Adds a little uniform noise and promises nothing."""

    width: float

    @property
    def guarantee(self) -> Guarantee:
        return NoGuarantee("the support of the noise depends on the data")

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        return data + resolve_rng(rng).uniform(-self.width, self.width, size=len(data))


@dataclass(frozen=True, kw_only=True)
class Guess:
    """Guesses each bit by rounding."""

    name: str = "share of bits guessed"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        right = float(np.mean((np.asarray(release) > 0.5) == (data > 0.5)))
        width = 1.96 * np.sqrt(right * (1 - right) / len(data))
        return Score(right, right - width, right + width, reference=0.5)


@dataclass(frozen=True, kw_only=True)
class MeanError:
    """Absolute error of the mean."""

    name: str = "error of the mean"
    better: str = "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        return Score(abs(float(np.mean(release) - np.mean(data))), reference=0.0)


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Correlation of release and data."""

    name: str = "correlation"
    better: str = "higher"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        return Score(float(np.corrcoef(data, release)[0, 1]), reference=1.0)


def bits(n: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).integers(0, 2, n).astype(float)


def toy_study(*, seeds: int = 3, n: int = 400, **blur: Any) -> Study:
    return Study(
        name="toy",
        title="Can blurred bits be guessed?",
        summary="Each person holds one bit. It is blurred before it is handed on.",
        data=partial(bits, n),
        mechanisms={
            "Blur": sweep(Blur, epsilon=[0.1, 0.3, 1.0, 3.0, 10.0], **blur),
            "Rounding": sweep(Rounding, width=[0.2, 0.6, 2.0]),
        },
        attacks=[Guess()],
        utilities=[Agreement(), MeanError()],
        seeds=seeds,
    )
