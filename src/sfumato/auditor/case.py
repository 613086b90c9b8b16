"""What an audit needs to know of a mechanism: which inputs to compare and at which outputs.

A mechanism helps its auditor by having one of

- ``log_prob(output, data)``: exact log-probabilities on a discrete output space, vectorised over ``output``;
- ``log_density(output, data)``: exact log-densities on a continuous one.

Without either, it is audited by sampling ``release``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

__all__ = ["AuditCase", "HasDensity", "HasLaw", "Method"]

Method = Literal["auto", "exact", "sampling"]
"""How to audit: from the law or density, by sampling releases, or the first where it can be had."""


@runtime_checkable
class HasDensity(Protocol):
    """Knows the log-density of its output: one value per output (first axis)."""

    def log_density(self, output: Any, data: Any) -> NDArray[np.float64]: ...


@runtime_checkable
class HasLaw(Protocol):
    """Knows the log-probability of each output on a discrete space: one value per output (first axis).

    A mechanism that releases multiples of a grid also says which, as ``step``.
    """

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
    method
        Which way ``audit(case)`` goes when not told: ``"sampling"`` for a mechanism whose arithmetic, not its
        formula, is in question.
    samples
        How many releases to draw of each input; ``None`` for the auditor's default.
    sampler
        ``sampler(data, count, rng)``: ``count`` independent releases of one input (first axis), where the mechanism
        can make them faster than by ``count`` calls of ``release``.
    features
        ``features(output)``: a vector of numbers for an output that is not an array of numbers, for the sampling
        auditor; without it such outputs are compared as wholes.
    log_volume
        ``log_volume(outputs)``: for a ``log_density`` that is not taken per unit of the output's own coordinates (or of
        area, for unit vectors): the logarithm of what one unit of them measures. The density of places is per area of
        the sphere, so that a square degree at latitude φ counts cos φ.
    reached
        ``reached(data, release)``: the level that one release reaches, for a promise about the release itself: the k of
        a k-anonymous table; for a promise without ``k``, 1 where it is kept and 0 where it is not.
    part_of
        The mechanism that users meet, where what is audited is only a part or a view of it.
    same_kind
        Whether a release must be the same kind of thing as its input; ``None`` asks for it in the local model only
        (a statistic of a table is not a table).
    """

    mechanism: Any
    pairs: Sequence[tuple[Any, Any]]
    outputs: Any = None
    bad: Sequence[Any] = field(default=())
    name: str = ""
    expected: Literal["holds", "broken"] = "holds"
    source: str = ""
    method: Method = "auto"
    samples: int | None = None
    sampler: Callable[[Any, int, np.random.Generator], Any] | None = None
    features: Callable[[Any], Any] | None = None
    log_volume: Callable[[Any], Any] | None = None
    reached: Callable[[Any, Any], float] | None = None
    part_of: type | None = None
    same_kind: bool | None = None

    @property
    def label(self) -> str:
        return self.name or type(self.mechanism).__name__

    @property
    def own_sampler(self) -> bool:
        """Whether the sampler is a method of the mechanism, or there is none; any other draws from this one alone."""
        return self.sampler is None or getattr(self.sampler, "__self__", None) is self.mechanism

    def of(self, mechanism: Any, **changes: Any) -> Self:
        """The same case for another mechanism, which is also sampled in place of this one."""
        sampler = getattr(mechanism, getattr(self.sampler, "__name__", ""), None) if self.own_sampler else None
        return replace(self, mechanism=mechanism, sampler=sampler, **changes)

    def draw(self, data: Any, count: int, rng: np.random.Generator) -> Any:
        """``count`` releases of ``data``: an array with one release a row where they are numbers of one shape."""
        if self.sampler is not None:
            return self.sampler(data, count, rng)
        releases = [self.mechanism.release(data, rng=rng) for _ in range(count)]
        first = releases[0]
        if isinstance(first, (np.ndarray, np.generic, int, float)) and len({np.shape(r) for r in releases}) == 1:
            return np.array(releases)
        return releases
