"""What was found, in words: which event, how often, what it means, and why it may be so."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sfumato.auditor.result import Event, Finding, Misfit

__all__ = ["describe_finding", "explain", "short"]


def short(value: Any, most: int = 40) -> str:
    """A value on one line.

    >>> short(np.float64(0.5)), short("x" * 60)
    ('0.5', "'xxxxxxxxxxxxxxxx…xxxxxxxxxxxxxxxxxxxx'")
    """
    shown = " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())
    return shown if len(shown) <= most else f"{shown[: most // 2 - 3]}…{shown[-most // 2 - 1 :]}"


def describe_finding(finding: Finding, confidence: float) -> str:
    """One finding as a sentence."""
    promised = f"{finding.symbol}: {finding.shown:.4g}"
    inputs = f"{short(finding.pair[0])} and {short(finding.pair[1])}"
    event = finding.evidence
    if isinstance(event, Event):
        first, second = event.counts
        often = f"{first:,} of {event.trials:,} releases of {short(finding.pair[0])}"
        other = f"{second:,} of {event.trials:,} of {short(finding.pair[1])}"
        return (
            f"The event “{event.text}” happened in {often} and in {other}: "
            f"at least {_value(finding)} where {promised} is promised (confidence {confidence:.7g})."
        )
    where = "" if finding.output is None else f", at the output {short(finding.output)}"
    how = "At least" if "sampled" in finding.method else "The claimed law gives"
    return f"{how} {_value(finding)} between {inputs}{where}, where {promised} is promised."


def _value(finding: Finding) -> str:
    """What was found, in the units that the promise is stated in."""
    scale = finding.shown / finding.bound if finding.bound > 0 and math.isfinite(finding.bound) else 1.0
    if math.isinf(finding.value):
        return "∞ (an output that is possible under one input only)"
    return f"{finding.value * scale:.4g}"


_REASONS = (
    (
        "low bit",
        "The low bits of the doubles betray the input: release on a grid, as sfumato.mechanism does.",
    ),
    (
        "category",
        "Single outputs come far more often under one input: the input, or a function of it, is let through unchanged "
        "or left out.",
    ),
    (
        "logistic regression",
        "No single coordinate shows it, all of them together do: compute the sensitivity over the whole vector, in the "
        "norm of the noise.",
    ),
    (
        "decision tree",
        "No single coordinate shows it, a combination does: look for noise that is shared, or added before a step that "
        "depends on the data.",
    ),
    ("norm", "The size of the release tells the inputs apart: the scale of the noise depends on the data."),
)


def explain(finding: Finding | None, misfit: Misfit | None) -> str:
    """The likely reason, and what to do about it."""
    if misfit is not None:
        return _explain_misfit(misfit)
    if finding is None:
        return ""
    event = finding.evidence
    if not isinstance(event, Event):
        if math.isinf(finding.value):
            return "The set of possible outputs depends on the input: every output must be possible under every input."
        return "The formula itself promises too much: check sensitivity, norm and scale against the theorem."
    if event.counts[0] == event.trials and event.counts[1] == 0:
        return "Every release tells which input it came from: no noise is added, or the generator is seeded."
    seen = event.plainer or event.text
    if seen.startswith("low bit") and event.text.endswith(" 1100"):
        seen = "category"  # the number 0 has no lowest bit: it is let through itself
    for word, reason in _REASONS:
        if word in seen:
            return reason
    if event.counts[1] == 0:
        return (
            "The event never happens under the other input: the support or the scale of the noise depends on the data."
        )
    return "There is less noise than the promise needs: check sensitivity, norm and scale."


def _explain_misfit(misfit: Misfit) -> str:
    if "support" in misfit.meaning:
        reason = "the sampler and log_prob disagree about what can come out (a grid, a bound, a rounding)"
    elif "independent" in misfit.meaning:
        reason = "noise is used twice: draw it anew for every number and every call"
    elif "exactly" in misfit.meaning:
        reason = "the input or a fixed value is let through, or noise is used again"
    elif "too little noise" in misfit.meaning or "likely outputs" in misfit.meaning or "telling" in misfit.meaning:
        reason = "the scale of the sampler is not that of the law"
    else:
        reason = "the sampler draws from another law than the one that was analysed"
    return f"What is proved of the law says nothing about these releases; probably {reason}."
