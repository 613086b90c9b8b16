"""Every mechanism, attack and utility passes the generic checks, and the checks catch what they are for."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from sfumato.auditor import AuditCase
from sfumato.errors import InputError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import resolve_rng
from sfumato.promise import Guarantee, NoGuarantee, PureDP
from sfumato.study.conformance import (
    Check,
    CheckError,
    Example,
    check,
    collect_attacks,
    collect_cases,
    collect_utilities,
    yield_checks,
)
from sfumato.study.score import Score

# what tests/test_audit_all.py does for every case is not done twice
REGISTERED = [
    one
    for target in [*collect_cases(), *collect_attacks(), *collect_utilities()]
    for one in yield_checks(target)
    if one.name != "auditor agrees"
]


@pytest.mark.parametrize("one", REGISTERED, ids=str)
def test_registered(one: Check) -> None:
    one.run()


@dataclass(frozen=True, kw_only=True, eq=False)
class Coin(Mechanism):
    """Randomised response on one bit: the smallest sound mechanism."""

    epsilon: float

    @property
    def guarantee(self) -> Guarantee:
        return PureDP(self.epsilon, neighbours="any-pair", model="local")

    def _checked(self, data: Any) -> int:
        if isinstance(data, bool) or data not in (0, 1):
            raise bad_input("data", data, "0 or 1")
        return int(data)

    def log_prob(self, output: Any, data: Any) -> Any:
        keep = 1 / (1 + math.exp(-self.epsilon))
        return np.log(np.where(np.asarray(output) == self._checked(data), keep, 1 - keep))

    def release(self, data: Any, *, rng: Any = None) -> Any:
        keep = 1 / (1 + math.exp(-self.epsilon))
        bit = self._checked(data)
        return bit if resolve_rng(rng).uniform() < keep else 1 - bit


def case(mechanism: Any, **changes: Any) -> AuditCase:
    return AuditCase(**{"mechanism": mechanism, "pairs": [(0, 1)], "outputs": np.arange(2), "bad": [2, -1], **changes})


def failures(target: Any) -> set[str]:
    """The names of the checks that fail."""
    failed = set()
    for one in yield_checks(target):
        try:
            one.run()
        except CheckError:
            failed.add(one.name)
    return failed


def test_a_sound_mechanism_passes_in_one_line():
    check(case(Coin(epsilon=1.0)))


def test_all_that_is_wrong_is_said_at_once():
    with pytest.raises(CheckError, match=r"(?s)wrong rng rejected.*bad input rejected"):
        check(case(Careless(epsilon=1.0)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Careless(Coin):
    """Takes anything for a bit and for a generator."""

    def release(self, data: Any, *, rng: Any = None) -> Any:
        return int(
            np.random.default_rng(0 if rng is None or isinstance(rng, np.random.RandomState) else rng).integers(2)
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Forgetful(Coin):
    """Ignores the generator it is given."""

    def release(self, data: Any, *, rng: Any = None) -> Any:
        return super().release(data) if rng is None or resolve_rng(rng) else None


@dataclass(frozen=True, kw_only=True, eq=False)
class Constant(Coin):
    """Keeps its promise by never using the noise."""

    def log_prob(self, output: Any, data: Any) -> Any:
        return np.log(np.full(np.shape(output), 0.5))

    def release(self, data: Any, *, rng: Any = None) -> Any:
        resolve_rng(rng)
        return 0 * self._checked(data)


@dataclass(frozen=True, kw_only=True, eq=False)
class Liar(Coin):
    """Its law is that of a fairer coin than the one it throws."""

    def log_prob(self, output: Any, data: Any) -> Any:
        return Coin(epsilon=0.2).log_prob(output, data)


@dataclass(frozen=True, kw_only=True, eq=False)
class Overspending(Coin):
    """Promises half of what it spends."""

    @property
    def guarantee(self) -> Guarantee:
        return PureDP(self.epsilon / 2, neighbours="any-pair", model="local")


@dataclass(frozen=True, kw_only=True, eq=False)
class Worded(Coin):
    """Numbers in, words out."""

    def release(self, data: Any, *, rng: Any = None) -> Any:
        return str(super().release(data, rng=rng))

    def log_prob(self, output: Any, data: Any) -> Any:
        return super().log_prob(np.asarray(output, dtype=int), data)


class Positional(Coin):
    """A hand-written constructor that takes its parameter by position and keeps it under another value."""

    def __init__(self, epsilon: float) -> None:
        object.__setattr__(self, "epsilon", 2 * epsilon)


class Mutable:
    """Not frozen."""

    def __init__(self, *, epsilon: float) -> None:
        self.epsilon = epsilon

    def __repr__(self) -> str:
        return "Mutable()"

    @property
    def guarantee(self) -> Guarantee:
        return Coin(epsilon=self.epsilon).guarantee

    def release(self, data: Any, *, rng: Any = None) -> Any:
        return Coin(epsilon=self.epsilon).release(data, rng=rng)


@dataclass(frozen=True, kw_only=True, eq=False)
class Locked(Coin):
    """Cannot be sent to another process."""

    tool: Any = field(default_factory=lambda: lambda: None)


@pytest.mark.parametrize(
    ("mechanism", "caught"),
    [
        (Careless(epsilon=1.0), {"wrong rng rejected", "bad input rejected", "law agrees with release"}),
        (Forgetful(epsilon=1.0), {"rng honoured"}),
        (Constant(epsilon=1.0), {"rng honoured"}),
        (Liar(epsilon=3.0), {"law agrees with release"}),
        (Overspending(epsilon=1.0), {"auditor agrees"}),
        (Worded(epsilon=1.0), {"same kind out as in"}),
        (Positional(1.0), {"keyword only", "parameters round trip", "repr pastes back"}),
        (Mutable(epsilon=1.0), {"immutable", "repr pastes back"}),
        (Locked(epsilon=1.0), {"pickles"}),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, set) else "",
)
def test_each_check_catches_its_mistake(mechanism, caught):
    options = {"sampler": None, "samples": 1_000} if isinstance(mechanism, Mutable) else {}
    assert caught <= failures(case(mechanism, **options))


def test_input_written_into_is_caught():
    @dataclass(frozen=True, kw_only=True, eq=False)
    class InPlace(Mechanism):
        @property
        def guarantee(self) -> Guarantee:
            return NoGuarantee("a test")

        def release(self, data: Any, *, rng: Any = None) -> Any:
            data += resolve_rng(rng).laplace(size=data.shape)
            return data

    assert "leaves its input alone" in failures(
        AuditCase(mechanism=InPlace(), pairs=[(np.zeros(2), np.ones(2))], samples=200)
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Guess:
    """An attack that does nothing wrong."""

    name: str = "guess"
    value: float = 0.5

    def attack(self, data: Any, release: Any, *, mechanism: Any = None, rng: Any = None) -> Score:
        noise = 0.0 * resolve_rng(rng).uniform()
        return Score(self.value + noise, reference=0.5)


@dataclass(frozen=True, kw_only=True, eq=False)
class Distance:
    """A utility that does nothing wrong."""

    name: str = "distance"
    better: str = "lower"

    def measure(self, data: Any, release: Any, *, rng: Any = None) -> Score:
        return Score(float(np.abs(np.asarray(data) - release).mean()))


def test_attacks_and_utilities():
    check(Example(subject=Guess(), data=0, release=0))
    check(Example(subject=Distance(), data=0.0, release=1.0))
    assert failures(Example(subject=Guess(value=math.nan), data=0, release=0)) == {"score"}
    assert failures(Example(subject=Guess(name=" "), data=0, release=0)) == {"has a name"}
    assert failures(Example(subject=Distance(better="more"), data=0.0, release=1.0)) == {"direction"}


def test_attack_that_ignores_its_seed():
    @dataclass(frozen=True, kw_only=True, eq=False)
    class Moody(Guess):
        def attack(self, data: Any, release: Any, *, mechanism: Any = None, rng: Any = None) -> Score:
            return Score(float(np.random.default_rng().uniform()), reference=0.5)

    assert "rng honoured" in failures(Example(subject=Moody(), data=0, release=0))


def test_only_cases_and_examples_have_checks():
    with pytest.raises(InputError, match="target"):
        list(yield_checks(42))
