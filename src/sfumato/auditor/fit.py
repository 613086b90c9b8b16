"""Do the releases follow the law that the mechanism claims?

An exact audit speaks of ``log_prob`` or ``log_density``; what leaves is ``release``. Here the two are compared, on
releases that nobody has chosen:

- a release to which its own law gives probability 0 refutes the law at once;
- so does an output that comes again and again although its probability says that it cannot;
- the releases, turned into numbers that the law makes uniform (:mod:`~sfumato.auditor.transform`), must be uniform,
  and each must be independent of the one before;
- releases one after the other must not be more alike than any two: that needs no law at all.

Uniform numbers are tested by sums of −ln u, −ln(1 − u), −ln|2u − 1| and −ln(1 − |2u − 1|), which have an exact gamma
distribution: they find a shift, a wrong scale, and a hole or a heap in the middle. p-values are exact and corrected for
the number of tests (Bonferroni). A first look at few releases decides only whether to draw more: a suspicion is
confirmed, or not, on fresh ones, so that sound mechanisms are cheap to audit and no p-value is used twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.auditor.case import AuditCase
from sfumato.auditor.exact import evaluate, log_law_of
from sfumato.auditor.features import numbers_of, whole_codes
from sfumato.auditor.result import Misfit
from sfumato.auditor.sample import Sample, Uniforms
from sfumato.auditor.transform import uniforms
from sfumato.noise import Rng
from sfumato.promise.divergence import Floats

__all__ = ["Fit", "Test", "fit_releases", "independence_tests", "uniform_tests"]

_SUSPECT_ALL = 0.02
_SUSPECT_ONE = 5e-4
_MORE = (9_000, 30_000)
"""How many fresh releases a suspicion is looked at with, over all inputs together: first once, then once more."""


@dataclass(frozen=True)
class Test:
    """One test of one set of numbers: its exact p-value and what a small one means."""

    p: float
    meaning: str
    everything: bool = True


@dataclass(frozen=True)
class Fit:
    """What the comparison found: the smallest corrected p-value, and the misfit in words if it is too small."""

    p: float
    releases: int
    misfit: Misfit | None


def uniform_tests(values: Floats, low: str = "too low", high: str = "too high") -> Iterator[Test]:
    """Exact tests that independent numbers are uniform on (0, 1).

    −ln u of a uniform u is exponential, so that the sum over n of them is Gamma(n). All four transforms below leave a
    uniform number uniform.

    >>> u = np.random.default_rng(0).random(1_000)
    >>> min(test.p for test in uniform_tests(u)) > 1e-3, min(test.p for test in uniform_tests(u**1.5)) < 1e-9
    (True, True)
    """
    from scipy.special import gammainc, gammaincc

    n = len(values)
    least = 1 / (4 * n)  # a number on a grid may be exactly 0: it says no more than that it is small
    fold = np.abs(2 * values - 1)
    middle, ends = "too often in the middle of their law: too little noise", "too often far out: a wrong law"
    hole = "too seldom in the middle of their law"
    for numbers, large, small in (
        (values, low, high),
        (1 - values, high, low),
        (fold, middle, hole),
        (1 - fold, ends, middle),
    ):
        total = float(-np.log(np.maximum(numbers, least)).sum())
        above, below = float(gammaincc(n, total)), float(gammainc(n, total))
        yield Test(min(1.0, 2 * min(above, below)), large if above < below else small)


def fit_releases(
    case: AuditCase,
    samples: Sequence[Sample],
    *,
    alpha: float,
    rng: Rng,
    draw: Callable[[Any, int], Any],
    more: Sequence[int] = _MORE,
    suspect: float = _SUSPECT_ALL,
) -> Fit | None:
    """Compare releases with the claimed law; ``None`` where no law is claimed.

    The probability that releases of the claimed law are called a misfit is at most ``alpha``: each look, which
    ``draw(data, count)`` gives fresh releases, has an equal share of it. A p-value below ``suspect`` asks for the next.
    """
    known = log_law_of(case.mechanism)
    if known is None:
        return None
    drawn, total = samples, 0
    for count in (*more, 0):
        total += sum(len(one.outputs) for one in drawn)
        logs = [evaluate(*known, one.outputs, one.data) for one in drawn]
        misfit = _impossible(known[0], drawn, logs)
        if misfit is not None:
            return Fit(0.0, total, misfit)
        tests = list(_tests(case, known, drawn, logs, rng))
        worst = min(tests, key=lambda test: test.p, default=Test(1.0, ""))
        p = min(1.0, worst.p * len(tests))
        if p < alpha / (1 + len(more)):
            text = (
                f"{total} releases do not follow the claimed law (p = {max(p, 1e-300):.1g}): they are {worst.meaning}"
            )
            return Fit(p, total, Misfit(p, total, text, worst.meaning))
        suspicious = any(test.p < (suspect if test.everything else _SUSPECT_ONE) for test in tests)
        if count == 0 or not suspicious:
            break
        each = max(len(drawn[0].outputs), count // len(drawn))
        drawn = [Sample(one.data, one.partner, draw(one.data, each)) for one in drawn]
    return Fit(p, total, None)


def _impossible(kind: str, samples: Sequence[Sample], log_laws: Sequence[Floats]) -> Misfit | None:
    """A release that its own law calls impossible."""
    for one, logs in zip(samples, log_laws, strict=True):
        never = np.isneginf(logs)
        if never.any():
            text = (
                f"{int(never.sum())} of {len(logs)} releases of one input have probability 0 under the mechanism's own "
                f"{'law' if kind == 'law' else 'density'}: for instance {_short(one.outputs[int(np.argmax(never))])}"
            )
            return Misfit(0.0, len(logs), text, "outside the support of their own law")
    return None


def _tests(
    case: AuditCase, known: tuple[str, Any], samples: Sequence[Sample], log_laws: Sequence[Floats], rng: Rng
) -> Iterator[Test]:
    kind, law = known
    for one in samples:
        yield from independence_tests(case, one.outputs)
    if kind == "law":
        for one, logs in zip(samples, log_laws, strict=True):
            yield _repeats(logs, one)
    sets = list(uniforms(case, kind, law, samples, rng))
    together: dict[tuple[str, str], list[Uniforms]] = {}
    for numbers in sets:
        together.setdefault((numbers.way, numbers.low), []).append(numbers)
        if numbers.way != "inputs":
            yield from _serial(numbers)
            if len(sets) > 1:
                for test in uniform_tests(numbers.values, numbers.low, numbers.high):
                    yield Test(test.p, test.meaning, False)
    for group in together.values():
        yield from uniform_tests(np.concatenate([one.values for one in group]), group[0].low, group[0].high)


def independence_tests(case: AuditCase, outputs: Any) -> Iterator[Test]:
    """Whether releases of one input that follow each other are more alike than releases that do not.

    Of four independent releases a, b, c, d of one law all pairings are equally likely to have the smaller sum of
    distances, whatever the law: |a − b| + |c − d| is smaller than |a − c| + |b − d| as often as larger, and so is
    |b − c| + |a − d|. Both are sign tests with an exact binomial p-value; ties do not count.

    >>> import types
    >>> case = types.SimpleNamespace(features=None)
    >>> fresh = np.random.default_rng(0).standard_normal(400)
    >>> min(test.p for test in independence_tests(case, fresh)) > 1e-3
    True
    >>> min(test.p for test in independence_tests(case, np.repeat(fresh, 2))) < 1e-20
    True
    """
    from scipy.special import bdtr

    count = len(outputs) // 4
    if count == 0:
        return
    a, b, c, d = (slice(place, 4 * count, 4) for place in range(4))
    apart = _distances(case, outputs)
    crossed = apart(a, c) + apart(b, d)
    for near in (apart(a, b) + apart(c, d), apart(b, c) + apart(a, d)):
        less, more = int((near < crossed).sum()), int((near > crossed).sum())
        p = min(1.0, 2 * float(bdtr(min(less, more), less + more, 0.5))) if less + more else 1.0
        yield Test(p, "not independent of the release before: noise is used again", False)


def _distances(case: AuditCase, outputs: Any) -> Callable[[Any, Any], Floats]:
    """How far releases are from each other: over coordinates in units of their range, or just whether they differ.

    The units depend on all releases alike, so that they favour no pairing.
    """
    rows = numbers_of(case, outputs)
    if rows is None:
        codes = whole_codes(outputs)
        return lambda first, second: (codes[first] != codes[second]).astype(float)
    spread = np.ptp(rows, axis=0)
    scaled = rows / np.where((spread > 0) & np.isfinite(spread), spread, 1.0)
    return lambda first, second: np.abs(scaled[first] - scaled[second]).sum(axis=1)


def _serial(one: Uniforms) -> Iterator[Test]:
    """Whether a release tells about the one before: the difference of two uniform numbers, modulo 1, is uniform."""
    pairs = one.values[: len(one.values) // 2 * 2].reshape(-1, 2)
    meaning = "not independent of the release before: noise is used again"
    for test in uniform_tests(np.mod(pairs[:, 1] - pairs[:, 0], 1.0)):
        yield Test(test.p, meaning, False)


def _repeats(logs: Floats, sample: Sample) -> Test:
    """An output seen c times: among n releases P(some output of probability ≤ q comes c times) ≤ C(n, c)·q^(c−1)."""
    _, first, counts = np.unique(sample.codes, return_index=True, return_counts=True)
    n, c = len(sample.codes), counts.astype(float)
    from scipy.special import gammaln

    ways = gammaln(n + 1) - gammaln(c + 1) - gammaln(n - c + 1)
    log_p = np.where(c > 1, ways + (c - 1) * logs[first] + np.log(c * c), 0.0)  # Σ 1/c² < 1 over c ≥ 2
    at = int(np.argmin(log_p))
    shown, often = _short(sample.outputs[int(first[at])]), int(counts[at])
    return Test(float(np.exp(min(0.0, log_p[at]))), f"far too often exactly {shown} ({often} of {n})", False)


def _short(value: Any) -> str:
    shown = " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())
    return shown if len(shown) <= 60 else shown[:57] + "..."
