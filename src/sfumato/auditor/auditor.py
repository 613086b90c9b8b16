"""The auditor: tries to break a promise, believes nobody, and says how close it came and why."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sfumato.auditor.case import AuditCase, Method
from sfumato.auditor.exact import exact_findings, log_law_of
from sfumato.auditor.fit import fit_releases, independence_tests
from sfumato.auditor.hostile import hostile_sentence, try_hostile
from sfumato.auditor.result import AuditResult, Finding, Misfit, Part
from sfumato.auditor.sample import Sample
from sfumato.auditor.sampling import sampling_findings
from sfumato.auditor.words import describe_finding, explain
from sfumato.errors import bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.promise.yardstick import Yardstick
from sfumato.validate import choice, integer, probability

__all__ = ["Inquiry", "attempt", "audit"]

DEFAULT_SAMPLES = 20_000
"""Releases of each input where no law is claimed, and points of an integral that is sampled."""

_FOR_INFORMATION = 4_000
"""Releases of each input where nothing is promised: what is found there is information, no verdict."""

_WITH_LAW = 3_000
"""Releases over all inputs where a law is claimed: a suspicion draws more."""

_MOST_PAIRS = 2
"""So many pairs are sampled where the law has already been compared on all of them: the worst ones."""

_IN_BATCHES, _MORE_IN_BATCHES, _SUSPECT_IN_BATCHES = 8_000, (20_000, 120_000), 0.1
"""Where many releases are drawn at once, more of them are looked at, and sooner."""

_SINGLE, _SUSPECT_SINGLE = 150, 2e-3
"""Releases made one by one where the case brings a sampler, which is not believed either; so few show gross errors
only, and those far below any chance."""


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

    Always, as far as it can be had:

    1. *the law*: where the mechanism claims one (``log_prob``, ``log_density``), the promise is measured on it over
       all pairs, in both directions;
    2. *the releases*: real ones are drawn, an event that tells the two inputs apart is learned and chosen on one part
       of them and its probabilities are bounded on the other;
    3. *the fit*: real releases are compared with the claimed law; if they do not follow it, or one of them has
       probability 0 under it, the promise is broken, whatever the law says; releases one after the other must be
       independent, law or not;
    4. *hostile inputs* that the auditor makes itself, each neighbours under the promise.

    What is measured depends on the promise: the largest log-ratio against ε (pure) or ε·d (metric), the hockey-stick
    divergence at ε against δ (approximate), the Rényi divergence at each promised order (Rényi, zCDP). A mechanism
    with ``NoGuarantee`` is measured for information.

    A sound mechanism is called broken with probability at most ``1 − confidence``, over everything that is sampled: all
    parts, pairs, directions and tests share it.

    Parameters
    ----------
    target : Mechanism or AuditCase
    pairs : sequence of (x, y)
        Inputs that the promise compares; needed for a bare mechanism.
    outputs : array-like, optional
        Outputs at which law or density is compared (first axis). By default releases, stretched into the far tails.
    method : {"auto", "exact", "sampling"}
        ``"auto"`` does all of the above; ``"exact"`` looks at the law alone, ``"sampling"`` at the releases alone.
    samples : int, optional
        Releases to draw of each input. By default 20 000 where no law is claimed (4 000 where nothing is promised);
        where one is, 3 000 in all, and 9 000 and 30 000 more as long as they look suspicious (8 000, 20 000 and 120 000
        where they come in batches).
    confidence : float
        Of everything that is sampled.
    rng : numpy.random.Generator, optional

    Returns
    -------
    AuditResult
        With a part for each of the above, findings pair by pair, and the evidence in words (``sentences``).

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.mechanism import Laplace, RandomizedResponse
    >>> response = RandomizedResponse(epsilon=1.0, categories=3)
    >>> result = audit(response, pairs=[(0, 1)], outputs=np.arange(3), rng=np.random.default_rng(0))
    >>> print(result)
    RandomizedResponse: ε promised 1, found 1 (law): holds

    A mechanism whose releases have less noise than its law says:

    >>> class Quiet(Laplace):
    ...     def release(self, data, *, rng=None):
    ...         return Laplace(epsilon=1.2, sensitivity=1.0, grid=self.grid).release(data, rng=rng)
    >>> quiet = Quiet(epsilon=1.0, sensitivity=1.0, grid=2.0**-20)
    >>> result = audit(quiet, pairs=[(0.0, 1.0)], rng=np.random.default_rng(0))
    >>> result.verdict, result.method
    ('broken', 'fit')
    >>> print(result.why)
    What is proved of the law says nothing about these releases; probably the ... is not that of the law.
    """
    case = _case(target, pairs, outputs)
    choice("method", method, ("auto", "exact", "sampling"))
    if samples is not None:
        integer("samples", samples, least=100)
    alpha = 1 - probability("confidence", confidence)
    generator = resolve_rng(rng)
    started = time.perf_counter()
    measures = case.mechanism.guarantee.yardsticks()
    if not measures:
        return _audit_release(case, generator, started)
    way = case.method if method == "auto" else method
    work = Inquiry(case, measures, samples, alpha, confidence, generator, case.sampler is not None)
    if way in ("auto", "exact"):
        work.law(required=way == "exact")
    if way in ("auto", "sampling"):
        work.releases(alone=way == "sampling")
    if way == "auto":
        work.fit()
        work.hostile()
    return work.result(started)


def attempt(case: AuditCase, **options: Any) -> AuditResult:
    """:func:`audit`, with an error as a result: “could not run”, and the reason."""
    started = time.perf_counter()
    try:
        return audit(case, **options)
    except Exception as error:
        return AuditResult(
            name=case.label,
            guarantee=getattr(case.mechanism, "guarantee", None),  # type: ignore[arg-type]
            symbol="",
            promised=math.nan,
            found=math.nan,
            attained=math.nan,
            verdict="could not run",
            method="none",
            confidence=0.0,
            expected=case.expected,
            seconds=time.perf_counter() - started,
            why=f"{type(error).__name__}: {error}",
        )


@dataclass(eq=False)
class Inquiry:
    """One audit under way: what has been drawn and found so far."""

    case: AuditCase
    measures: list[Yardstick]
    samples: int | None
    alpha: float
    confidence: float
    rng: Rng
    in_batches: bool
    parts: list[Part] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    made: list[Finding] = field(default_factory=list)
    misfit: Misfit | None = None
    _drawn: list[tuple[Any, Any]] = field(default_factory=list)

    @property
    def _share(self) -> float:
        """Four parts share the error probability."""
        return self.alpha / 4

    def law(self, *, required: bool) -> None:
        """The claimed law against the promise."""
        if log_law_of(self.case.mechanism) is None and not required:
            text = "No law is claimed (log_prob or log_density): all rests on the releases."
            self.parts.append(Part("law", "not possible", text))
            return
        count = self.samples or self.case.samples or DEFAULT_SAMPLES
        share = self.alpha if required else self._share
        found = exact_findings(self.case, self.measures, samples=count, alpha=share, rng=self.rng)
        self._add("law", list(found))

    def releases(self, *, alone: bool) -> None:
        """Real releases against the promise."""
        case = self._worst_pairs()
        drawn = [(self._draw(x), self._draw(y)) for x, y in case.pairs]
        share = self.alpha if alone else self._share
        found = sampling_findings(case, self.measures, drawn, alpha=share, rng=self.rng)
        self._add("releases", list(found))

    def fit(self) -> None:
        """Real releases against the claimed law."""
        if log_law_of(self.case.mechanism) is None:
            self._independence()
            return
        samples = [Sample(a, b, self._draw(a)) for x, y in self.case.pairs for a, b in ((x, y), (y, x))]
        samples = [s for n, s in enumerate(samples) if all(s.outputs is not other.outputs for other in samples[:n])]
        share = self._share / 2 if self.in_batches else self._share

        def more(data: Any, count: int) -> Any:
            return self.case.draw(data, count, self.rng)

        batches: dict[str, Any] = {}
        if self.in_batches:
            batches = {"suspect": _SUSPECT_IN_BATCHES, "more": _MORE_IN_BATCHES}
        found = fit_releases(self.case, samples, alpha=share, rng=self.rng, draw=more, **batches)
        if self.in_batches and found is not None and found.misfit is None:
            alone = replace(self.case, sampler=None)
            x, y = self.case.pairs[0]
            single = [Sample(a, b, alone.draw(a, _SINGLE, self.rng)) for a, b in ((x, y), (y, x))]
            found = fit_releases(
                alone,
                single,
                alpha=share,
                rng=self.rng,
                draw=lambda data, count: alone.draw(data, count, self.rng),
                more=(2_000,),
                suspect=_SUSPECT_SINGLE,
            )
        assert found is not None
        self.misfit = found.misfit
        if found.misfit is not None:
            self.parts.append(Part("fit", "broken", found.misfit.text + "."))
        else:
            text = f"{found.releases} releases follow the claimed law (smallest corrected p = {found.p:.2g})."
            self.parts.append(Part("fit", "holds", text))

    def _independence(self) -> None:
        """Releases one after the other, where no law is claimed."""
        drawn = [outputs for _, outputs in self._drawn] or [self._draw(data) for data in self.case.pairs[0]]
        tests = [test for outputs in drawn for test in independence_tests(self.case, outputs)]
        worst = min(tests, key=lambda test: test.p)
        p, total = min(1.0, worst.p * len(tests)), sum(len(outputs) for outputs in drawn)
        no_law = "No law is claimed that releases could be compared with"
        if p < self._share:
            text = f"{total} releases are {worst.meaning} (p = {max(p, 1e-300):.1g})"
            self.misfit = Misfit(p, total, text, worst.meaning)
            self.parts.append(Part("fit", "broken", f"{no_law}, but {text}."))
        else:
            text = f"{no_law}; releases one after the other are no more alike than others (corrected p = {p:.2g})."
            self.parts.append(Part("fit", "holds", text))

    def hostile(self) -> None:
        """Inputs that the auditor makes."""
        if self.case.mechanism.guarantee.vacuous:
            return
        found = try_hostile(self.case, self.measures, alpha=self._share, rng=self.rng)
        findings = [finding for _, finding in found.findings]
        broken = found.misfit is not None or any(finding.broken for finding in findings)
        text = hostile_sentence(found, self.confidence)
        self.parts.append(Part("hostile inputs", "broken" if broken else "holds", text, tuple(findings)))
        self.made += findings
        self.misfit = self.misfit or found.misfit

    def _add(self, name: str, findings: list[Finding]) -> None:
        worst = [max(group, key=_rank) for group in _by_pair(findings)]
        text = describe_finding(max(worst, key=_rank), self.confidence)
        broken = any(finding.broken for finding in worst)
        self.parts.append(Part(name, "broken" if broken else "holds", text, tuple(worst)))
        self.findings += worst

    def _worst_pairs(self) -> AuditCase:
        """The case, with the pairs on which the law came closest to its bound where there are many."""
        if not self.findings or len(self.case.pairs) <= _MOST_PAIRS:
            return self.case
        order = sorted(self.findings, key=_rank, reverse=True)
        indices = list(dict.fromkeys(finding.pair_index for finding in order))[:_MOST_PAIRS]
        return replace(self.case, pairs=[self.case.pairs[index] for index in indices])

    def _draw(self, data: Any) -> Any:
        """Releases of one input, drawn once."""
        for known, outputs in self._drawn:
            if known is data:
                return outputs
        outputs = self.case.draw(data, self._count, self.rng)
        self._drawn.append((data, outputs))
        return outputs

    @property
    def _count(self) -> int:
        given = self.samples or self.case.samples
        if given is not None:
            return given
        if log_law_of(self.case.mechanism) is None:
            return _FOR_INFORMATION if self.case.mechanism.guarantee.vacuous else DEFAULT_SAMPLES
        inputs = len({id(data) for pair in self.case.pairs for data in pair})
        return max((_IN_BATCHES if self.in_batches else _WITH_LAW) // inputs, 250)

    def result(self, started: float) -> AuditResult:
        case, guarantee = self.case, self.case.mechanism.guarantee
        no_promise = guarantee.vacuous
        worst = max(self.findings, key=lambda f: f.value if no_promise else _rank(f))
        if not worst.broken and any(finding.broken for finding in self.made):
            worst = max(self.made, key=_rank)  # the author's own pairs come first, hostile ones where these say nothing
        misfit = self.misfit if not worst.broken else None
        broken = worst.broken or self.misfit is not None
        sampled = "sampl" in worst.method or misfit is not None
        scale = 1.0 if no_promise or not worst.bound > 0 else worst.shown / worst.bound
        return AuditResult(
            name=case.label,
            guarantee=guarantee,
            symbol=worst.symbol,
            promised=math.nan if no_promise else worst.shown,
            found=worst.value * scale,
            attained=math.nan if no_promise else worst.attained,
            verdict="no promise" if no_promise else ("broken" if broken else "holds"),
            method="fit" if misfit is not None and not no_promise else worst.method,
            confidence=self.confidence if sampled else 1.0,
            pair=worst.pair,
            pair_index=worst.pair_index,
            output=worst.output,
            expected=case.expected,
            seconds=time.perf_counter() - started,
            evidence=worst.evidence,
            parts=tuple(self.parts),
            why=explain(worst, misfit) if broken and not no_promise else "",
        )


def _rank(finding: Finding) -> tuple[bool, float]:
    return finding.broken, finding.attained


def _by_pair(findings: Iterable[Finding]) -> list[list[Finding]]:
    groups: dict[int, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.pair_index, []).append(finding)
    return list(groups.values())


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
