"""The auditor: tries to break a promise, and says how close it came."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from typing import Any

from sfumato.auditor.case import AuditCase, Method
from sfumato.auditor.exact import exact_findings, log_law_of
from sfumato.auditor.result import AuditResult, Finding
from sfumato.auditor.sampling import sampling_findings
from sfumato.errors import bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.validate import choice, integer, probability

__all__ = ["audit"]

DEFAULT_SAMPLES = 20_000


def audit(
    target: Any,
    *,
    pairs: Sequence[tuple[Any, Any]] | None = None,
    outputs: Any = None,
    method: Method = "auto",
    samples: int | None = None,
    confidence: float = 0.99,
    rng: Rng | None = None,
) -> AuditResult:
    """Try to break the promise of a mechanism.

    Where the mechanism knows its law (``log_prob``) or density (``log_density``), the promise is measured on it over
    all pairs, in both directions; elsewhere releases are drawn, an event that tells the two inputs apart is chosen
    on one half of them and its probabilities are bounded on the other half (Clopper-Pearson), so that the bound found
    exceeds the truth with probability at most ``1 − confidence``, over all pairs together.

    What is measured depends on the promise: the largest log-ratio against ε (pure) or ε·d (metric), the hockey-stick
    divergence at ε against δ (approximate), the Rényi divergence at each promised order (Rényi, zCDP). A mechanism
    with ``NoGuarantee`` is measured for information.

    Parameters
    ----------
    target : Mechanism or AuditCase
    pairs : sequence of (x, y)
        Inputs that the promise compares; needed for a bare mechanism.
    outputs : array-like, optional
        Outputs at which law or density is compared (first axis). By default releases, stretched into the far tails.
    method : {"auto", "exact", "sampling"}
        ``"auto"`` takes what the case asks for, else the exact way where there is one.
    samples : int, optional
        Releases to draw of each input (20 000 by default).
    confidence : float
        Of everything that is sampled.
    rng : numpy.random.Generator, optional

    Returns
    -------
    AuditResult

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.mechanism import RandomizedResponse
    >>> result = audit(RandomizedResponse(epsilon=1.0, categories=3), pairs=[(0, 1)], outputs=np.arange(3))
    >>> print(result)
    RandomizedResponse: ε promised 1, found 1 (law): holds
    """
    case = _case(target, pairs, outputs)
    choice("method", method, ("auto", "exact", "sampling"))
    count = integer("samples", DEFAULT_SAMPLES if samples is None else samples, least=100)
    if samples is None and case.samples is not None:
        count = case.samples
    alpha = 1 - probability("confidence", confidence)
    generator = resolve_rng(rng)
    started = time.perf_counter()
    guarantee = case.mechanism.guarantee
    measures = guarantee.yardsticks()
    if not measures:
        return _audit_release(case, generator, started)
    way = case.method if method == "auto" else method
    if way == "auto":
        way = "sampling" if log_law_of(case.mechanism) is None else "exact"
    find = exact_findings if way == "exact" else sampling_findings
    findings = list(find(case, measures, samples=count, alpha=alpha, rng=generator))
    sampled = way == "sampling" or any("sampled" in finding.method for finding in findings)
    return _result(case, findings, confidence if sampled else 1.0, started)


def _case(target: Any, pairs: Sequence[tuple[Any, Any]] | None, outputs: Any) -> AuditCase:
    if isinstance(target, AuditCase):
        if pairs is None and outputs is None:
            case = target
        else:
            changes = {name: v for name, v in (("pairs", pairs), ("outputs", outputs)) if v is not None}
            case = AuditCase(**{**{f: getattr(target, f) for f in target.__dataclass_fields__}, **changes})
    else:
        if not hasattr(target, "guarantee") or not hasattr(target, "release"):
            raise bad_input("target", target, "a mechanism (with guarantee and release) or an AuditCase")
        case = AuditCase(mechanism=target, pairs=() if pairs is None else pairs, outputs=outputs)
    if len(case.pairs) == 0:
        raise bad_input("pairs", list(case.pairs), "at least one pair of inputs", "audit(mechanism, pairs=[(x, y)])")
    return case


def _result(case: AuditCase, findings: Iterable[Finding], confidence: float, started: float) -> AuditResult:
    guarantee = case.mechanism.guarantee
    no_promise = guarantee.vacuous
    worst = max(findings, key=lambda f: f.value if no_promise else (f.broken, f.attained))
    scale = 1.0 if no_promise or not worst.bound > 0 else worst.shown / worst.bound
    return AuditResult(
        name=case.label,
        guarantee=guarantee,
        symbol=worst.symbol,
        promised=math.nan if no_promise else worst.shown,
        found=worst.value * scale,
        attained=math.nan if no_promise else worst.attained,
        verdict="no promise" if no_promise else ("broken" if worst.broken else "holds"),
        method=worst.method,
        confidence=confidence,
        pair=worst.pair,
        pair_index=worst.pair_index,
        output=worst.output,
        expected=case.expected,
        seconds=time.perf_counter() - started,
        evidence=worst.evidence,
    )


def _audit_release(case: AuditCase, rng: Rng, started: float) -> AuditResult:
    """A promise about the release itself: the lowest level that a release of any input reaches."""
    guarantee = case.mechanism.guarantee
    symbol, promised = guarantee.level
    reached = math.nan
    if case.reached is not None:
        inputs = [data for pair in case.pairs for data in pair]
        reached = min(float(case.reached(data, case.mechanism.release(data, rng=rng))) for data in inputs)
    untested = math.isnan(reached)
    return AuditResult(
        name=case.label,
        guarantee=guarantee,
        symbol=symbol,
        promised=promised,
        found=reached,
        attained=promised / reached if reached > 0 else math.nan,
        verdict="untested" if untested else ("holds" if reached >= promised else "broken"),
        method="none" if untested else "release",
        confidence=1.0,
        expected=case.expected,
        seconds=time.perf_counter() - started,
    )
