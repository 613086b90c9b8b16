"""What an audit needs to know of a mechanism: which inputs to compare and at which outputs.

A mechanism helps its auditor by having one of

- ``log_prob(output, data)``: exact log-probabilities on a discrete output space, vectorised over ``output``;
- ``log_density(output, data)``: exact log-densities on a continuous one.

Without either, it is audited by sampling ``release``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.guarantee import Guarantee

__all__ = ["AuditCase", "HasDensity", "HasLaw", "Releases"]


class Releases(Protocol):
    """The part of a mechanism the auditor always needs."""

    @property
    def guarantee(self) -> Guarantee: ...

    def release(self, data: Any, *, rng: np.random.Generator | None = None) -> Any: ...


@runtime_checkable
class HasDensity(Protocol):
    """Knows the log-density of its output: one value per output (first axis)."""

    def log_density(self, output: Any, data: Any) -> NDArray[np.float64]: ...


@runtime_checkable
class HasLaw(Protocol):
    """Knows the log-probability of each output on a discrete space: one value per output (first axis)."""

    def log_prob(self, output: Any, data: Any) -> NDArray[np.float64]: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class AuditCase:
    """A mechanism and how to try to break it.

    Parameters
    ----------
    mechanism
        What is audited.
    pairs
        Neighbouring inputs under the mechanism's promise; the closest and the farthest ones that the promise covers.
    outputs
        Outputs at which law or density is compared (first axis: one output each), reaching far tails. On a finite
        space: all of them. ``None`` leaves the auditor to sample.
    bad
        Inputs that ``release`` must refuse with ``InputError``.
    name
        Shown in the table; by default the mechanism's class name.
    expected
        ``"broken"`` for a specimen: a published mistake that the auditor must catch.
    source
        Where the mechanism comes from (dissertation, theorem; paper).
    """

    mechanism: Any
    pairs: Sequence[tuple[Any, Any]]
    outputs: Any = None
    bad: Sequence[Any] = field(default=())
    name: str = ""
    expected: Literal["holds", "broken"] = "holds"
    source: str = ""

    @property
    def label(self) -> str:
        return self.name or type(self.mechanism).__name__
