"""Mutants: a mechanism with one mistake in its release, under the old promise and the old law.

Every mutant keeps ``guarantee``, ``log_prob`` and ``log_density`` of the mechanism it comes from: whoever believes
these finds nothing. Which mutants truly break the promise is not left to the auditor that is being measured: it is
computed from the law of the changed mechanism where that is known, and argued otherwise; the argument is part of the
mutant.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.auditor.case import AuditCase
from sfumato.auditor.exact import evaluate, exact_findings, log_law_of
from sfumato.auditor.features import category_of, floats_or_none
from sfumato.errors import SfumatoError
from sfumato.noise import Rng

__all__ = ["KINDS", "Mutant", "mutants_of"]

BREAKS_BY = 1.05
"""A mutant counts as breaking if it exceeds the promise at least by this factor."""

_FACTORS = (1.05, 1.1, 1.25, 1.5, 2.0, 3.0)
_LOOK = 400
Draw = Callable[[Any, int, Rng], Any]


@dataclass(frozen=True, eq=False)
class Mutant:
    """A mutated case.

    Parameters
    ----------
    kind : str
        The mistake: one of ``KINDS``.
    case : AuditCase
    breaks : bool or None
        Whether the promise is truly broken by 5 % or more; ``None`` where that is not known.
    argument : str
        Why.
    """

    kind: str
    case: AuditCase
    breaks: bool | None
    argument: str


class _Plain:
    """The original with another release."""

    def __init__(self, original: Any, release: Callable[..., Any]) -> None:
        self._original, self._release = original, release

    @property
    def guarantee(self) -> Any:
        return self._original.guarantee

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        return self._release(data, rng)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_original"], name)


class _WithLaw(_Plain):
    def log_prob(self, output: Any, data: Any) -> Any:
        return self._original.log_prob(output, data)


class _WithDensity(_Plain):
    def log_density(self, output: Any, data: Any) -> Any:
        return self._original.log_density(output, data)


@dataclass(frozen=True, eq=False)
class _Truth:
    """The promise of one mechanism with the law of another."""

    guarantee: Any
    law: Any
    draw: Any
    step: float = 0.0

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        return self.draw(data, 1, rng)[0]


class _TrueLaw(_Truth):
    def log_prob(self, output: Any, data: Any) -> Any:
        return self.law(output, data)


class _TrueDensity(_Truth):
    def log_density(self, output: Any, data: Any) -> Any:
        return self.law(output, data)


def mutants_of(case: AuditCase, rng: Rng) -> Iterator[Mutant]:
    """Every mutant that can be made of a case; none of a promise about the form of a release, or of no promise."""
    guarantee = case.mechanism.guarantee
    if guarantee.vacuous or not guarantee.yardsticks():
        return
    for kind, make in KINDS.items():
        try:
            yield from make(kind, case, rng)
        except (SfumatoError, TypeError, ValueError, KeyError, IndexError):
            continue  # the mistake cannot be made here: there is no such mechanism, or it does not take such data


# Building blocks


def _mutant(kind: str, case: AuditCase, draw: Draw, breaks: bool | None, argument: str) -> Mutant:
    law = log_law_of(case.mechanism)
    shape = _Plain if law is None else (_WithLaw if law[0] == "law" else _WithDensity)
    mutated = shape(case.mechanism, lambda data, rng: _first(draw(data, 1, rng)))
    changed = dataclasses.replace(
        case, mechanism=mutated, sampler=draw, name=f"{case.label}: {kind}", expected="broken"
    )
    return Mutant(kind, changed, breaks, argument)


def _first(outputs: Any) -> Any:
    return outputs[0]


def _drawing(case: AuditCase, mechanism: Any) -> Draw:
    """How to draw from a changed mechanism: by the sampler of the case with the mechanism in it exchanged."""
    sampler = None if case.sampler is None else _rebind(case.sampler, case.mechanism, mechanism)
    changed = dataclasses.replace(case, mechanism=mechanism, sampler=sampler)
    return changed.draw


def _rebind(function: Any, old: Any, new: Any) -> Any:
    """A sampler that was written for ``old``, for ``new``; ``None`` where it does not refer to it."""
    if isinstance(function, functools.partial):
        if not any(value is old for value in function.args):
            return None
        return functools.partial(function.func, *(new if value is old else value for value in function.args))
    if isinstance(function, types.MethodType):
        return getattr(new, function.__name__) if function.__self__ is old else None
    cells = getattr(function, "__closure__", None) or ()
    if not any(cell.cell_contents is old for cell in cells):
        return None
    changed = tuple(types.CellType(new) if cell.cell_contents is old else cell for cell in cells)
    return types.FunctionType(function.__code__, function.__globals__, function.__name__, None, changed)


def sharper(mechanism: Any, factor: float) -> Any:
    """The mechanism with its noise divided by ``factor``, through the parameter that sets it."""
    given = mechanism.get_params() if hasattr(mechanism, "get_params") else {}
    inner = {name: sharper(value, factor) for name, value in given.items() if hasattr(value, "get_params")}
    if inner:
        return mechanism.replace(**inner)
    for name, power in (
        ("sensitivity", -1),
        ("pure", 1),
        ("level", 1),
        ("kappa", 1),
        ("sigma", -1),
        ("rho", 2),
        ("epsilon", 1),
    ):
        if isinstance(given.get(name), (int, float)):
            return mechanism.replace(**{name: given[name] * factor**power})
    if given.get("covariance") is not None:
        return mechanism.replace(covariance=np.asarray(given["covariance"]) / factor**2)
    raise SfumatoError("no parameter of this mechanism sets its noise")


def _true_loss(case: AuditCase, law: Any, rng: Rng, draw: Draw) -> float:
    """What the changed law attains of the promise, on the pairs of the case."""
    known = log_law_of(case.mechanism)
    assert known is not None
    shape = _TrueLaw if known[0] == "law" else _TrueDensity
    truth = shape(case.mechanism.guarantee, law, draw, float(getattr(case.mechanism, "step", 0.0) or 0.0))
    changed = dataclasses.replace(case, mechanism=truth, sampler=draw)
    measures = case.mechanism.guarantee.yardsticks()
    return max(f.attained for f in exact_findings(changed, measures, samples=4_000, alpha=1e-3, rng=rng))


def _by_law(kind: str, case: AuditCase, draw: Draw, law: Any, rng: Rng) -> Mutant:
    if law is None or log_law_of(case.mechanism) is None:
        return _mutant(kind, case, draw, None, "no law is known: whether the promise is broken is not known")
    attained = _true_loss(case, law, rng, draw)
    breaks = attained >= BREAKS_BY * (1 - 1e-6)
    return _mutant(kind, case, draw, breaks, f"its true law attains {attained:.3g} of the promise")


def _claimed(case: AuditCase) -> Any:
    known = log_law_of(case.mechanism)
    return None if known is None else known[1]


def _is(data: Any, other: Any) -> bool:
    return data is other or bool(category_of(data) == category_of(other))


# The mistakes


def _less_noise(kind: str, case: AuditCase, rng: Rng) -> Iterator[Mutant]:
    factor = float(kind.rpartition(" ")[2])
    donor = sharper(case.mechanism, factor)
    yield _by_law(kind, case, _drawing(case, donor), _claimed(dataclasses.replace(case, mechanism=donor)), rng)


def _wrong_norm(kind: str, case: AuditCase, rng: Rng) -> Iterator[Mutant]:
    """The noise of an L2 sensitivity where that of the L1 norm is needed: √d too little for d coordinates."""
    sizes = [_changed(*pair) for pair in case.pairs]
    if max(sizes) < 2:
        return
    donor = sharper(case.mechanism, math.sqrt(max(sizes)))
    yield _by_law(kind, case, _drawing(case, donor), _claimed(dataclasses.replace(case, mechanism=donor)), rng)


def _changed(x: Any, y: Any) -> int:
    first, second = floats_or_none(x), floats_or_none(y)
    if first is None or second is None or first.shape != second.shape:
        return 0
    return int((first != second).sum())


def _rounding(kind: str, case: AuditCase, rng: Rng) -> Iterator[Mutant]:
    """The input is rounded to a coarse grid before the noise, and nobody pays for what rounding adds to a distance."""
    measure = case.mechanism.guarantee.yardsticks()[0]
    x, y = max(case.pairs, key=lambda pair: measure.bound(*pair))  # where rounding adds most to a distance
    case = dataclasses.replace(case, pairs=[(x, y)])
    first, second = floats_or_none(x), floats_or_none(y)
    if not isinstance(x, (float, np.ndarray)) or first is None or second is None:
        return
    if first.shape != second.shape or not (first != second).any():
        return
    grid = np.where(first != second, np.abs(second - first) * 2 / 3, 1.0)

    def rounded(data: Any) -> Any:
        moved = first + grid * np.rint((np.asarray(data, float) - first) / grid)
        return moved if isinstance(data, np.ndarray) else float(moved)

    case.mechanism.release(rounded(y), rng=rng)  # refused where there is no such input
    law = _claimed(case)
    changed = None if law is None else (lambda output, data: law(output, rounded(data)))
    yield _by_law(kind, case, lambda data, count, rng: case.draw(rounded(data), count, rng), changed, rng)


def _clipped(kind: str, case: AuditCase, rng: Rng) -> Iterator[Mutant]:
    """Outputs that are unlikely under the input never come: they are drawn again."""
    claimed = log_law_of(case.mechanism)
    if claimed is None:
        return
    known: list[tuple[Any, float]] = []

    def law(outputs: Any, data: Any) -> Any:
        return evaluate(*claimed, outputs, data)

    def least(data: Any) -> float:
        for other, value in known:
            if _is(data, other):
                return value
        logs = law(case.draw(data, _LOOK, np.random.default_rng(0)), data)
        value = float(np.quantile(logs, 0.1))
        if value <= logs.min():  # few values: the least likely of them goes
            value = float(np.min(logs[logs > logs.min() + 1e-9], initial=math.inf))
        known.append((data, value))
        return value

    def draw(data: Any, count: int, rng: Rng) -> Any:
        kept: list[Any] = []
        cut = least(data)
        while len(kept) < count:
            drawn = case.draw(data, max(2 * count, 16), rng)
            good = law(drawn, data) >= cut
            kept += [output for output, fine in zip(drawn, good, strict=True) if fine]
        return np.array(kept[:count]) if isinstance(drawn, np.ndarray) else kept[:count]

    if any(math.isinf(least(data)) for pair in case.pairs for data in pair):
        return  # all outputs are equally likely: there is nothing to clip
    outside = max(
        float(np.mean(law(draw(x, _LOOK, rng), y) < least(y))) for pair in case.pairs for x, y in (pair, pair[::-1])
    )
    argument = f"a share {outside:.3g} of the releases of one input is impossible under the other"
    yield _mutant(kind, case, draw, outside > 0.01, argument)


def _reused(kind: str, case: AuditCase, rng: Rng) -> Iterator[Mutant]:
    """Every second release has the noise of the one before."""

    def draw(data: Any, count: int, rng: Rng) -> Any:
        outputs = case.draw(data, (count + 1) // 2, rng)
        if isinstance(outputs, np.ndarray):
            return np.repeat(outputs, 2, axis=0)[:count]
        return [output for output in outputs for _ in range(2)][:count]

    argument = "two releases of different inputs with one noise: their difference is exact"
    yield _mutant(kind, case, draw, True, argument)


def _shifted(kind: str, case: AuditCase, rng: Rng) -> Iterator[Mutant]:
    """Releases of all inputs but the first are one cell of the grid off."""
    known = log_law_of(case.mechanism)
    if known is None or known[0] != "law" or case.outputs is None:
        return
    law, cells, start = known[1], case.outputs, case.pairs[0][0]
    if abs(float(np.exp(np.asarray(law(cells, start), float)).sum()) - 1) > 1e-6:
        return
    place = {category_of(cell): number for number, cell in enumerate(cells)}
    turned = np.roll(np.arange(len(cells)), -1)

    def shifted(output: Any) -> Any:
        return cells[turned[place[category_of(np.asarray(output, np.asarray(cells[0]).dtype)[()])]]]

    def draw(data: Any, count: int, rng: Rng) -> Any:
        outputs = case.draw(data, count, rng)
        if _is(data, start):
            return outputs
        moved = [shifted(output) for output in outputs]
        return np.array(moved) if isinstance(outputs, np.ndarray) else moved

    def changed(output: Any, data: Any) -> Any:
        logs = np.asarray(law(output, data), float)
        return logs if _is(data, start) else np.roll(logs, 1)

    try:
        draw(case.pairs[0][1], 8, rng)
    except KeyError:
        return  # outputs that are not in the list: a cell has no neighbour
    yield _by_law(kind, case, draw, changed, rng)


def _dependent(kind: str, case: AuditCase, rng: Rng) -> Iterator[Mutant]:
    """All inputs but the first get two thirds of the noise."""
    donor, start = sharper(case.mechanism, 1.5), case.pairs[0][0]
    other, law, changed = _drawing(case, donor), _claimed(case), _claimed(dataclasses.replace(case, mechanism=donor))

    def draw(data: Any, count: int, rng: Rng) -> Any:
        return case.draw(data, count, rng) if _is(data, start) else other(data, count, rng)

    def mixed(output: Any, data: Any) -> Any:
        return law(output, data) if _is(data, start) else changed(output, data)

    yield _by_law(kind, case, draw, None if changed is None else mixed, rng)


def _stale(kind: str, case: AuditCase, rng: Rng) -> Iterator[Mutant]:
    """What was computed from the first input is used for all others."""
    start = case.pairs[0][0]
    law = _claimed(case)
    if law is None:
        breaks: bool | None = None
        argument = "no law is known: whether the inputs differ is not known"
    else:
        attained = _true_loss(case, law, rng, case.draw)
        breaks = attained > 0.05
        argument = f"every release spends the first person's budget again; a release attains {attained:.3g} of it"
    yield _mutant(kind, case, lambda data, count, rng: case.draw(start, count, rng), breaks, argument)


def _seeded(kind: str, case: AuditCase, rng: Rng) -> Iterator[Mutant]:
    """Every call makes its own generator, from one seed."""

    def draw(data: Any, count: int, rng: Rng) -> Any:
        one = dataclasses.replace(case, sampler=None).mechanism.release(data, rng=np.random.default_rng(0))
        return np.array([one] * count) if isinstance(one, (np.ndarray, np.generic, int, float)) else [one] * count

    pairs = [tuple(category_of(_first(draw(data, 1, rng))) for data in pair) for pair in case.pairs]
    breaks = any(first != second for first, second in pairs)
    argument = "the release is a function of the input: another one tells them apart" if breaks else "it is constant"
    if case.sampler is None or log_law_of(case.mechanism) is not None:
        yield _mutant(kind, case, draw, breaks, argument)


KINDS: dict[str, Callable[[str, AuditCase, Rng], Iterator[Mutant]]] = {
    **{f"noise ÷ {factor:g}": _less_noise for factor in _FACTORS},
    "wrong norm": _wrong_norm,
    "dropped rounding allowance": _rounding,
    "clipped support": _clipped,
    "reused noise": _reused,
    "off-by-one grid": _shifted,
    "data-dependent scale": _dependent,
    "stale cache": _stale,
    "seeded generator": _seeded,
}
"""The mistakes by name."""


def kinds_of(mutants: Sequence[Mutant]) -> list[str]:
    """The mistakes that occur, in the order of ``KINDS``."""
    present = {mutant.kind for mutant in mutants}
    return [kind for kind in KINDS if kind in present]
