"""Hostile inputs: pairs that the author of a mechanism did not think of.

They are made from the pairs of the case, and stay neighbours: both inputs are moved by the same amount, or brought
closer, which is checked in rational arithmetic; or the promise covers any pair. An input that the mechanism refuses
with :class:`~sfumato.InputError` is no finding. Each pair is looked at on few releases first, and sampled only if these
look farther apart than the promise allows.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sfumato.auditor.case import AuditCase
from sfumato.auditor.exact import evaluate, log_law_of
from sfumato.auditor.features import floats_or_none
from sfumato.auditor.result import Finding, Misfit
from sfumato.auditor.sampling import compare_releases
from sfumato.auditor.words import describe_finding, short
from sfumato.errors import InputError
from sfumato.noise import Rng
from sfumato.promise.divergence import log_ratio
from sfumato.promise.yardstick import LogRatio, Yardstick

__all__ = ["Hostility", "hostile_pairs", "try_hostile"]

_LOOK, _FULL = 48, 3_000
_MOST_PAIRS, _MOST_NUMBERS = 2, 64
_EDGE = 2**60 + 128  # the middle between two doubles: whole numbers on either side of it are 256 apart as doubles


@dataclass(frozen=True, eq=False)
class Hostility:
    """What came of the hostile inputs: how many pairs ran, were refused, and ended in another error."""

    tried: int
    refused: int
    crashed: tuple[str, ...]
    findings: tuple[tuple[str, Finding], ...]
    misfit: Misfit | None


def hostile_pairs(case: AuditCase) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Neighbouring inputs of awkward size, type and length, each with a name.

    >>> from sfumato.mechanism import Laplace
    >>> case = AuditCase(mechanism=Laplace(epsilon=1.0, sensitivity=1.0), pairs=[(0.0, 1.0)])
    >>> [name for name, _ in hostile_pairs(case)][:4]
    ['float32', 'int64', 'masked array', 'opposite signs']
    """
    seen: set[str] = set()
    for x, y in case.pairs[:_MOST_PAIRS]:
        for name, pair in _from_pair(case, x, y):
            if name not in seen:
                seen.add(name)
                yield name, pair


def _from_pair(case: AuditCase, x: Any, y: Any) -> Iterator[tuple[str, tuple[Any, Any]]]:
    first, second = floats_or_none(x, "iuf"), floats_or_none(y, "iuf")
    if first is None or second is None or isinstance(x, (list, tuple)) or max(first.size, second.size) > _MOST_NUMBERS:
        return
    if first.shape == second.shape:
        yield from _types(x, y, first, second)
        yield from _moved(case, x, first, second)
        yield from _at_bounds(case, x, first, second)
    yield from _short_inputs(x, y, first, second)


def _types(x: Any, y: Any, first: Any, second: Any) -> Iterator[tuple[str, tuple[Any, Any]]]:
    narrow = [a.astype(np.float32) for a in (first, second)]
    if all((a == b).all() for a, b in zip(narrow, (first, second), strict=True)):
        yield "float32", (_as(x, narrow[0]), _as(y, narrow[1]))
    if all((a == np.floor(a)).all() and (np.abs(a) < 2**31).all() for a in (first, second)):
        yield "int64", (_as(x, first.astype(np.int64)), _as(y, second.astype(np.int64)))
    yield "masked array", (np.ma.masked_array(first), np.ma.masked_array(second))
    if first.size > 1:
        hidden = np.arange(first.size).reshape(first.shape) == 0
        yield "masked entry", (np.ma.masked_array(first, hidden), np.ma.masked_array(second, hidden))


def _as(like: Any, array: Any) -> Any:
    return array if isinstance(like, np.ndarray) else array[()]


def _moved(case: AuditCase, x: Any, first: Any, second: Any) -> Iterator[tuple[str, tuple[Any, Any]]]:
    a, b = first.astype(float), second.astype(float)
    yield "opposite signs", (_like(x, -a), _like(x, -b))
    shifts = {"2⁵³ edge": 2.0**53 - 1, "−2⁵³ edge": 1 - 2.0**53}
    step = getattr(case.mechanism, "step", None)
    if isinstance(step, float) and math.isfinite(step):
        shifts["tie of the grid"] = step / 2
    for name, shift in shifts.items():
        moved = a + shift, b + shift
        if _no_farther(moved, (a, b)):
            yield name, (_like(x, moved[0]), _like(x, moved[1]))
    tiny = np.where(a == 0, np.copysign(5e-324, b), a)
    if (tiny != a).any() and _no_farther((tiny, b), (a, b)):
        yield "denormal", (_like(x, tiny), _like(x, b))
    if all((v == np.floor(v)).all() and (np.abs(v) < 2**31).all() for v in (a, b)):
        least = int(min(a.min(), b.min())) if a.size else 0
        whole = [v.astype(np.int64) - least + _EDGE for v in (a, b)]
        yield "int64 beyond 2⁵³", (_as(x, whole[0]), _as(x, whole[1]))


def _like(x: Any, array: Any) -> Any:
    if isinstance(x, np.ndarray):
        return array.astype(x.dtype) if x.dtype.kind == "f" else array
    return float(array)


def _no_farther(moved: tuple[Any, Any], before: tuple[Any, Any]) -> bool:
    """Whether no coordinate is farther apart than before, exactly."""
    flat = [np.ravel(v) for v in (*moved, *before)]
    if not all(np.isfinite(v).all() for v in flat):
        return False
    return all(
        abs(Fraction(float(p)) - Fraction(float(q))) <= abs(Fraction(float(r)) - Fraction(float(s)))
        for p, q, r, s in zip(*flat, strict=True)
    )


def _at_bounds(case: AuditCase, x: Any, first: Any, second: Any) -> Iterator[tuple[str, tuple[Any, Any]]]:
    mechanism = case.mechanism
    ends = getattr(mechanism, "low", None), getattr(mechanism, "high", None)
    bounds: Any = getattr(mechanism, "bounds", None) or ends
    try:
        low, high = (float(end) for end in bounds)
    except (TypeError, ValueError):
        return
    changed = np.ravel(first != second)
    if changed.sum() != 1:
        return
    pair = []
    for end in (low, high):
        array = first.astype(float).copy()
        array.reshape(-1)[changed] = end
        pair.append(_like(x, array))
    yield "bounds", (pair[0], pair[1])


def _short_inputs(x: Any, y: Any, first: Any, second: Any) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """One record and none, for inputs that are records: those of which a neighbour has one more, or differs in one."""
    if first.ndim != 1:
        return
    if abs(first.size - second.size) == 1:
        longer = x if first.size > second.size else y
        yield "one record and none", (longer[-1:], longer[:0])
    elif first.shape == second.shape and int((first != second).sum()) == 1:
        at = int(np.argmax(first != second))
        yield "one record", (x[at : at + 1], y[at : at + 1])
        yield "no record", (x[:0], y[:0])


def try_hostile(case: AuditCase, measures: list[Yardstick], *, alpha: float, rng: Rng) -> Hostility:
    """Release every hostile pair; sample those whose releases look too far apart."""
    known = log_law_of(case.mechanism)
    pairs = list(hostile_pairs(case))
    refused, crashed, tried = 0, [], 0
    findings: list[tuple[str, Finding]] = []
    misfit: Misfit | None = None
    for name, pair in pairs:
        alone = dataclasses.replace(case, pairs=[pair], outputs=None)
        if isinstance(pair[0], np.ma.MaskedArray):  # the mask must reach the mechanism, not end in a sampler
            alone = dataclasses.replace(alone, sampler=None)
        try:
            drawn = (alone.draw(pair[0], _LOOK, rng), alone.draw(pair[1], _LOOK, rng))
            tried += 1
            if known is not None and misfit is None:
                misfit = _own_law(name, known, pair, drawn)
            if _looks_apart(alone, pair, drawn, measures, known):
                outputs = (alone.draw(pair[0], _FULL, rng), alone.draw(pair[1], _FULL, rng))
                share = alpha / len(pairs)
                found = compare_releases(alone, pair, 0, outputs, measures, alpha=share, rng=rng)
                findings += [(name, finding) for finding in found]
        except InputError:
            refused += 1
        except Exception as error:
            crashed.append(f"{name}: {type(error).__name__}: {error}")
    return Hostility(tried, refused, tuple(crashed), tuple(findings), misfit)


def _own_law(name: str, known: tuple[str, Any], pair: tuple[Any, Any], drawn: tuple[Any, ...]) -> Misfit | None:
    for data, outputs in zip(pair, drawn, strict=True):
        logs = evaluate(known[0], known[1], outputs, data)
        if np.isneginf(logs).any():
            share = f"{int(np.isneginf(logs).sum())} of {len(logs)} releases"
            text = f"Hostile input ({name}, {short(data)}): {share} have probability 0 under the mechanism's own law."
            return Misfit(0.0, len(logs), text, "outside the support of their own law")
    return None


def _looks_apart(
    case: AuditCase, pair: tuple[Any, Any], drawn: tuple[Any, ...], measures: list[Yardstick], known: Any
) -> bool:
    """Whether a few releases are farther apart than the promise allows, by eye or by the claimed law."""
    if known is not None and isinstance(measures[0], LogRatio):
        kind, law = known
        for first, second in (pair, pair[::-1]):
            loss = log_ratio(evaluate(kind, law, drawn[0], first), evaluate(kind, law, drawn[0], second))
            if float(loss.max()) > measures[0].bound(first, second) * (1 + 1e-9) + 1e-9:
                return True
    sides = [floats_or_none(outputs, "iufb") for outputs in drawn]
    if any(side is None for side in sides) or sides[0].shape[1:] != sides[1].shape[1:]:  # type: ignore[union-attr]
        return isinstance(drawn[0], np.ndarray) and np.shape(drawn[0])[1:] != np.shape(drawn[1])[1:]
    allowed = case.mechanism.guarantee.delta_allowed(0.0, *pair)
    margin = 2.0 * math.sqrt(2 / _LOOK)
    x, y = (side.reshape(_LOOK, -1).astype(float) for side in sides)  # type: ignore[union-attr]
    for column in range(min(x.shape[1], 4)):
        cuts = np.concatenate([x[:, column], y[:, column]])
        below = [(side[:, column][None, :] <= cuts[:, None]).mean(axis=1) for side in (x, y)]
        gap = float(np.abs(below[0] - below[1]).max())
        if gap > min(allowed + margin, 1 - 1e-9):
            return True
    return False


def hostile_sentence(found: Hostility, confidence: float) -> str:
    """What came of them, in words."""
    counts = f"{found.tried} hostile pairs released, {found.refused} refused"
    worst = max(found.findings, key=lambda f: (f[1].broken, f[1].attained), default=None)
    if found.misfit is not None:
        return f"{counts}. {found.misfit.text}"
    if worst is not None and worst[1].broken:
        return f"{counts}. Hostile input ({worst[0]}): {describe_finding(worst[1], confidence)}"
    if found.crashed:
        return f"{counts}; {len(found.crashed)} ended in an error that is no refusal ({found.crashed[0]})."
    return f"{counts}: none breaks the promise."
