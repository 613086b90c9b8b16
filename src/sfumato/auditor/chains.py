"""Ranks of releases among Markov chains that leave the claimed density unchanged (Besag and Clifford 1989).

From the release a chain goes some steps back, and several chains go as many steps forth again: if the release follows
the law, it and their ends are exchangeable, and its rank among them is uniform. The normalising constant does not
matter, and neither does how well the chains mix: that only decides how much they notice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.auditor.case import AuditCase
from sfumato.auditor.integral import LogLaw
from sfumato.auditor.sample import BY_LOSS, BY_SPREAD, Sample, Uniforms, has_atoms
from sfumato.errors import InputError
from sfumato.noise import Rng
from sfumato.promise.divergence import Floats, log_ratio

__all__ = ["chain_numbers"]

_MOST_CHAINED = 4_000
_STEPS, _CHAINS, _HELD_OUT = 10, 9, 64


def chain_numbers(
    case: AuditCase, kind: str, law: LogLaw, sample: Sample, number: int, pair: Sequence[Sample], rng: Rng
) -> list[Uniforms] | None:
    """The rank of each release among the ends of chains, by its density and by its loss."""
    drawn = sample.outputs
    if not isinstance(drawn, np.ndarray) or drawn.dtype.kind not in "if" or len(drawn) < 2 * _HELD_OUT:
        return None
    if kind == "density" and has_atoms(drawn.reshape(len(drawn), -1)[:, 0]):
        return None

    def log_p(outputs: Any) -> Floats:
        logs = np.asarray(law(outputs, sample.data), float)  # first: it refuses what is no output
        return logs if case.log_volume is None else logs + case.log_volume(outputs)

    held, start = drawn[:_HELD_OUT], drawn[_HELD_OUT : _HELD_OUT + _MOST_CHAINED]
    every = np.concatenate([one.outputs for one in pair])
    for box in (None, (every.min(axis=0), every.max(axis=0))):
        move = _Move.of(held, box)
        try:
            back = _walk(start, log_p, move, rng)
            ends = _walk(np.repeat(back, _CHAINS, axis=0), log_p, move, rng)
        except InputError:  # a proposal outside the domain: stay where releases were seen
            continue
        scores = (
            (log_p, BY_SPREAD),
            (lambda z: log_ratio(law(z, sample.data), law(z, sample.partner)), BY_LOSS),
        )
        found = []
        for score, sides in scores:
            own, others = score(start), score(ends).reshape(len(start), _CHAINS)
            above = (others > own[:, None]).sum(axis=1)
            ties = (others == own[:, None]).sum(axis=1)
            u = (above + rng.random(len(own)) * (1 + ties)) / (1 + _CHAINS)
            found.append(Uniforms(u if score is log_p else 1 - u, "chains", number, *sides))
        return found
    return None


@dataclass(frozen=True, eq=False)
class _Move:
    """Symmetric proposals: on the unit sphere by an isotropic step, elsewhere by differences of held-out releases.

    Differences stay on every lattice that the releases are on. Only a few coordinates move at once, as otherwise hardly
    any proposal is accepted in many dimensions.
    """

    held: Any
    spread: float
    sphere: bool
    box: tuple[Any, Any] | None

    @classmethod
    def of(cls, held: Any, box: tuple[Any, Any] | None) -> _Move:
        rows = held.reshape(len(held), -1).astype(float)
        sphere = held.ndim == 2 and rows.shape[1] > 1 and bool(np.allclose((rows**2).sum(axis=1), 1, atol=1e-6))
        spread = float(np.median(np.linalg.norm(rows - np.median(rows, axis=0), axis=1)))
        return cls(held, spread, sphere, None if sphere else box)

    def propose(self, at: Any, rng: Rng) -> tuple[Any, Any]:
        """New places, and which of them may be gone to."""
        inside = np.ones(len(at), bool)
        if self.sphere:
            size = self.spread * rng.choice([0.25, 0.5, 1.0, 2.0], (len(at), 1)) / math.sqrt(at.shape[1])
            new = at + size * rng.standard_normal(at.shape)
            return new / np.linalg.norm(new, axis=1, keepdims=True), inside
        first, second = rng.integers(len(self.held), size=(2, len(at)))
        change = (self.held[first] - self.held[second]).reshape(len(at), -1)
        moved = rng.random(change.shape) < min(1.0, 2.0 / change.shape[1])
        new = at + np.where(moved, change, 0).astype(at.dtype).reshape(at.shape)
        if self.box is not None:
            axes = tuple(range(1, at.ndim))
            inside = ((new >= self.box[0]) & (new <= self.box[1])).all(axis=axes)
            new = np.where(inside.reshape(-1, *([1] * len(axes))), new, at)
        return new, inside


def _walk(start: Any, log_p: Any, move: _Move, rng: Rng) -> Any:
    """Metropolis steps: at every turn ``here`` holds the log-law of ``at``, and the law is left unchanged."""
    at, here = start.copy(), log_p(start)
    for _ in range(_STEPS):
        new, inside = move.propose(at, rng)
        there = log_p(new)
        with np.errstate(invalid="ignore"):
            gain = there - here
        accept = inside & (np.log(rng.random(len(at))) < gain) & ~np.isnan(gain)
        at[accept], here[accept] = new[accept], there[accept]
    return at
