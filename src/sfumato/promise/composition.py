"""Promises about several releases together.

A promise carries its unit, neighbours and model, and only promises about the same ones are combined: the theorems
differ between neighbour relations, and the mixes shown unsound in :func:`parallel` and :func:`subsample` are refused.
Promises that do not compose (k-anonymity, no guarantee) make the whole a :class:`NoGuarantee` with the reasons.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from typing import Any, Literal

from sfumato.errors import bad_input
from sfumato.promise.amount import add_up, multiply_up
from sfumato.promise.conversion import to_renyi, to_zcdp
from sfumato.promise.guarantee import (
    ApproxDP,
    Guarantee,
    KAnonymity,
    MetricDP,
    NoGuarantee,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from sfumato.validate import choice, probability

__all__ = ["compose", "compose_optimally", "parallel", "subsample"]

Combine = Callable[[Iterable[float]], float]


def compose(*guarantees: Guarantee) -> Guarantee:
    """What several releases about the same data promise together (Mimoto Thm 2.3): losses add, also adaptively.

    ======================  ======================================================
    given                   result
    ======================  ======================================================
    pure                    pure, Σε
    pure, approximate       approximate, Σε and Σδ
    pure, zCDP              zCDP, Σρ with ρ = ε²/2
    pure, zCDP, Rényi       Rényi, summed at the orders all curves have
    metric, one metric      metric, Σε
    a room's own kind       the same kind, its ``losses`` added (all else equal)
    k-anonymity, none       no guarantee
    ======================  ======================================================

    >>> print(compose(PureDP(0.1), PureDP(0.2)))
    ε = 0.3 per record (replace-one neighbours, central model)
    >>> compose(PureDP(1.0), ZeroConcentratedDP(0.25)).statement
    'ρ = 0.75 (zCDP)'
    >>> print(compose(PureDP(1.0), NoGuarantee("a name list")))
    no guarantee: a name list
    """
    return _combine(guarantees, add_up)


def compose_optimally(*guarantees: Guarantee, delta: float) -> ApproxDP:
    """The least ε for ``delta`` over all mechanisms with the given pure and approximate promises.

    Computed by convolving the privacy-loss distributions of the worst such mechanisms (dp-accounting, rounded up); for
    many small losses far below the sum, as in "advanced" composition. Never above the plain sum where that has δ ≤
    ``delta``. The parameters must be fixed in advance; the queries may be adaptive.

    >>> many = [PureDP(0.1)] * 100
    >>> round(compose_optimally(*many, delta=1e-6).epsilon, 2)
    4.77
    >>> compose(*many).epsilon
    10.0
    """
    delta = probability("delta", delta)
    scope = _shared_scope(guarantees)
    for guarantee in guarantees:
        if not isinstance(guarantee, (PureDP, ApproxDP)):
            raise bad_input(
                "guarantee", guarantee, "pure or approximate promises", "compose zCDP and Rényi with compose()"
            )
    from dp_accounting.pld.common import DifferentialPrivacyParameters
    from dp_accounting.pld.privacy_loss_distribution import from_privacy_parameters, identity

    counts: dict[tuple[float, float], int] = {}
    for guarantee in guarantees:
        key = (guarantee.epsilon, getattr(guarantee, "delta", 0.0))  # type: ignore[attr-defined]
        counts[key] = counts.get(key, 0) + 1
    # A loss is rounded up to the grid once per release: a fine grid keeps that small, a million cells keep it cheap.
    worst = math.fsum(epsilon * count for (epsilon, _), count in counts.items())
    grid = max(min(1e-4, 1e-3 / len(guarantees)), worst / 1e6)
    total = identity(value_discretization_interval=grid)
    for (epsilon, own_delta), count in counts.items():
        one = from_privacy_parameters(DifferentialPrivacyParameters(epsilon, own_delta), grid)
        total = total.compose(one.self_compose(count))
    epsilon = float(total.get_epsilon_for_delta(delta))
    plain = _combine(guarantees, add_up)
    if isinstance(plain, PureDP) or (isinstance(plain, ApproxDP) and plain.delta <= delta):
        epsilon = min(epsilon, plain.epsilon)
    if not math.isfinite(epsilon):
        raise bad_input("delta", delta, "δ above what the promises already allow", "ask for a larger delta")
    return ApproxDP(epsilon, delta, **scope)


def parallel(*guarantees: Guarantee, fixed_parts: bool = False) -> Guarantee:
    """What releases about disjoint parts of the data promise together: the largest loss (Mimoto Thm 2.4).

    The part of a unit may depend on that unit alone. Under **add-remove** neighbours a unit touches one part, and the
    theorem holds. Under **replace-one** the new record may belong to another part: two parts change, and in size, about
    which a replace-one promise says nothing (a mechanism that publishes the exact size of its part has ε = 0 there).
    So this is refused, unless ``fixed_parts=True`` says that no unit can change its part (parts by position, by site,
    by account; not by a private attribute).

    To get a replace-one promise for parts by attribute, state each part under add-remove:

    >>> from sfumato.promise.conversion import as_replace_one
    >>> together = parallel(PureDP(1.0, neighbours="add-remove"), PureDP(0.5, neighbours="add-remove"))
    >>> together.epsilon, as_replace_one(together).epsilon
    (1.0, 2.0)
    """
    combined = _combine(guarantees, max)
    if isinstance(combined, NoGuarantee) or combined.neighbours == "add-remove" or fixed_parts:
        return combined
    raise bad_input(
        "neighbours",
        combined.neighbours,
        "add-remove neighbours for parallel composition, since a replaced record may move to another part (loss 2ε)",
        "state the parts under add-remove, or pass fixed_parts=True if no record can change its part",
    )


def subsample(
    guarantee: Guarantee, rate: float, *, sampling: Literal["poisson", "without-replacement"] = "poisson"
) -> PureDP | ApproxDP:
    """The promise of a mechanism run on a secret random sample of rate β: (ln(1 + β(e^ε − 1)), βδ) (Mimoto Thm 2.5).

    It holds for Poisson sampling under add-remove neighbours and for samples of fixed size without replacement under
    replace-one (Balle, Barthe and Gaboardi 2018, Thms 8 and 9), and for no other mix: a mechanism that is DP only under
    replace-one may publish the size of its sample, and with it who was in, so Poisson sampling leaves its loss at ε.

    >>> round(subsample(PureDP(1.0, neighbours="add-remove"), 0.3).epsilon, 4)
    0.4157
    """
    rate = probability("rate", rate, "a sampling rate", one=True)
    choice("sampling", sampling, ("poisson", "without-replacement"))
    if not isinstance(guarantee, (PureDP, ApproxDP)):
        raise bad_input(
            "guarantee",
            guarantee,
            "a pure or approximate promise",
            "Accountant has the amplification of Gaussian noise; convert others with to_approx first",
        )
    needed = "add-remove" if sampling == "poisson" else "replace-one"
    if guarantee.neighbours != needed:
        raise bad_input(
            "neighbours",
            guarantee.neighbours,
            f"{needed} neighbours for {sampling} sampling",
            "the mechanism on the sample must be private under that relation",
        )
    # ln(1 + β(e^ε − 1)) without overflow; rounded up, and never above ε
    epsilon = guarantee.epsilon
    if epsilon < 700:
        amplified = math.log1p(rate * math.expm1(epsilon))
    else:
        amplified = epsilon + math.log(rate + (1 - rate) * math.exp(-epsilon))
    amplified = min(epsilon, amplified * (1 + 2.0**-50))
    if isinstance(guarantee, PureDP):
        return PureDP(amplified, **guarantee.scope)
    return ApproxDP(amplified, multiply_up(rate, guarantee.delta), **guarantee.scope)


def _combine(guarantees: Sequence[Guarantee], combine: Combine) -> Guarantee:
    if not guarantees:
        raise bad_input("guarantees", guarantees, "at least one promise")
    for guarantee in guarantees:
        if not isinstance(guarantee, Guarantee):
            raise bad_input("guarantee", guarantee, "a promise such as PureDP(1.0)", "pass mechanism.guarantee")
    reasons = [reason for reason in map(_why_not, guarantees) if reason]
    if reasons:
        return NoGuarantee("; ".join(dict.fromkeys(reasons)), **guarantees[0].scope)
    scope = _shared_scope(guarantees)
    kinds = {type(guarantee) for guarantee in guarantees}
    if kinds <= {PureDP, ApproxDP}:
        parts = [g for g in guarantees if isinstance(g, (PureDP, ApproxDP))]
        epsilon, delta = (combine(getattr(part, name, 0.0) for part in parts) for name in ("epsilon", "delta"))
        if delta >= 1:
            raise bad_input("delta", delta, "δ that add up to less than 1", "release less, or with smaller δ")
        return ApproxDP(epsilon, delta, **scope) if ApproxDP in kinds else PureDP(epsilon, **scope)
    if kinds <= {PureDP, ZeroConcentratedDP}:
        return ZeroConcentratedDP(combine(to_zcdp(g).rho for g in guarantees), **scope)
    if kinds <= {PureDP, ZeroConcentratedDP, RenyiDP}:
        return _combine_curves(guarantees, combine, scope)
    if len(kinds) == 1:
        return _combine_losses(guarantees, combine)
    remedy = "keep an account of its own for each kind"
    if kinds <= {PureDP, ZeroConcentratedDP, RenyiDP, ApproxDP}:
        remedy = "state the zCDP and Rényi ones at a δ of their own with to_approx(guarantee, delta)"
    elif MetricDP in kinds:
        remedy = "state each metric promise within a radius first: within(guarantee, radius)"
    raise bad_input("guarantees", sorted(kind.__name__ for kind in kinds), "promises in one currency", remedy)


def _combine_curves(guarantees: Sequence[Guarantee], combine: Combine, scope: dict[str, Any]) -> RenyiDP:
    shared = set.intersection(*({a for a, _ in g.curve} for g in guarantees if isinstance(g, RenyiDP)))
    if not shared:
        raise bad_input("order", [], "Rényi curves with an order in common", "compute them at the same orders")
    orders = sorted(shared)
    curves = [dict((g if isinstance(g, RenyiDP) else to_renyi(g, orders)).curve) for g in guarantees]
    return RenyiDP(orders, [combine(curve[order] for curve in curves) for order in orders], **scope)


def _combine_losses(guarantees: Sequence[Guarantee], combine: Combine) -> Guarantee:
    """Promises of one kind that differ in nothing but their losses."""
    first = guarantees[0]
    for item in fields(first):
        if item.name in first.losses:
            continue
        before = getattr(first, item.name)
        for guarantee in guarantees[1:]:
            if (value := getattr(guarantee, item.name)) != before:
                remedy = "state each within a radius first: within(guarantee, radius)" if item.name == "metric" else ""
                raise bad_input(item.name, value, f"the same {item.name} in every promise ({before!r} before)", remedy)
    totals: dict[str, Any] = {}
    for name in first.losses:
        values = [getattr(guarantee, name) for guarantee in guarantees]
        if any(value is None for value in values):
            totals[name] = None  # an inner promise that one release does not make
        elif all(isinstance(value, Guarantee) for value in values):
            totals[name] = _combine(values, combine)
        else:
            totals[name] = combine(values)
    return replace(first, **totals)


def _why_not(guarantee: Guarantee) -> str:
    """Why a promise does not compose; empty if it does."""
    if isinstance(guarantee, NoGuarantee):
        return guarantee.reason
    if guarantee.syntactic:
        kind = "k-anonymity" if isinstance(guarantee, KAnonymity) else "a promise of form"
        return f"{kind} ({guarantee.statement}) does not compose: two releases together can single out a record"
    if not guarantee.losses and not isinstance(guarantee, RenyiDP):
        return f"no composition rule is known for {type(guarantee).__name__} ({guarantee.statement})"
    return ""


def _shared_scope(guarantees: Sequence[Guarantee]) -> dict[str, Any]:
    if not guarantees:
        raise bad_input("guarantees", guarantees, "at least one promise")
    scope = guarantees[0].scope
    for guarantee in guarantees[1:]:
        for name, value in guarantee.scope.items():
            if value != scope[name]:
                remedy = {
                    "unit": "state both for one unit, for instance with group(guarantee, size, unit=…)",
                    "neighbours": "as_replace_one(guarantee) states add-remove promises for replaced records",
                    "model": "account for local and central releases apart",
                }[name]
                raise bad_input(name, value, f"the same {name} in every promise ({scope[name]!r} before)", remedy)
    return scope
