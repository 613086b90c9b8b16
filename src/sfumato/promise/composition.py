"""Promises about several releases together.

A promise carries its unit, neighbours and model, and only promises about the same ones are combined: the theorems
differ between neighbour relations, and the mixes shown unsound in :func:`parallel` and :func:`subsample` are refused.
Promises that do not compose (k-anonymity, no guarantee) make the whole a :class:`NoGuarantee` with the reasons.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from sfumato.errors import bad_input
from sfumato.promise.amount import add_up, multiply_up
from sfumato.promise.assumption import Assumption
from sfumato.promise.guarantee import Combine, Guarantee, check_promise, promise_kind
from sfumato.promise.kinds.approx import ApproxDP
from sfumato.promise.kinds.no_guarantee import NoGuarantee
from sfumato.promise.scope import unequal
from sfumato.validate import choice, probability

__all__ = ["compose", "compose_optimally", "parallel", "subsample"]

if TYPE_CHECKING:
    from sfumato.promise.kinds.pure import PureDP

DP = TypeVar("DP", "PureDP", "ApproxDP")


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

    >>> from sfumato.promise import PureDP, ZeroConcentratedDP
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

    >>> from sfumato.promise import PureDP
    >>> many = [PureDP(0.1)] * 100
    >>> round(compose_optimally(*many, delta=1e-6).epsilon, 2)
    4.77
    >>> compose(*many).epsilon
    10.0
    """
    delta = probability("delta", delta)
    scope = _shared_scope(guarantees)
    for guarantee in guarantees:
        if "ApproxDP" not in guarantee.forms:
            raise bad_input(
                "guarantee", guarantee, "pure or approximate promises", "compose zCDP and Rényi with compose()"
            )
    from dp_accounting.pld.common import DifferentialPrivacyParameters
    from dp_accounting.pld.privacy_loss_distribution import from_privacy_parameters, identity

    counts: dict[tuple[float, float], int] = {}
    for guarantee in guarantees:
        key = (guarantee.epsilon, guarantee.delta)  # type: ignore[attr-defined]
        counts[key] = counts.get(key, 0) + 1
    # A loss is rounded up to the grid once per release: a fine grid keeps that small, a million cells keep it cheap.
    worst = math.fsum(epsilon * count for (epsilon, _), count in counts.items())
    grid = max(min(1e-4, 1e-3 / len(guarantees)), worst / 1e6)
    total = identity(value_discretization_interval=grid)
    for (epsilon, own_delta), count in counts.items():
        one = from_privacy_parameters(DifferentialPrivacyParameters(epsilon, own_delta), grid)
        total = total.compose(one.self_compose(count))
    epsilon = float(total.get_epsilon_for_delta(delta))
    plain: Any = _combine(guarantees, add_up)
    if plain.delta <= delta:
        epsilon = min(epsilon, plain.epsilon)
    if not math.isfinite(epsilon):
        raise bad_input("delta", delta, "δ above what the promises already allow", "ask for a larger delta")
    return ApproxDP(epsilon, delta, **scope, assumptions=_assumed(guarantees))


def parallel(*guarantees: Guarantee, fixed_parts: bool = False) -> Guarantee:
    """What releases about disjoint parts of the data promise together: the largest loss (Mimoto Thm 2.4).

    The part of a unit may depend on that unit alone. Under **add-remove** neighbours a unit touches one part, and the
    theorem holds. Under **replace-one** the new record may belong to another part: two parts change, and in size, about
    which a replace-one promise says nothing (a mechanism that publishes the exact size of its part has ε = 0 there).
    So this is refused, unless ``fixed_parts=True`` says that no unit can change its part (parts by position, by site,
    by account; not by a private attribute).

    To get a replace-one promise for parts by attribute, state each part under add-remove:

    >>> from sfumato.promise import PureDP
    >>> together = parallel(PureDP(1.0, neighbours="add-remove"), PureDP(0.5, neighbours="add-remove"))
    >>> together.epsilon, together.as_replace_one().epsilon
    (1.0, 2.0)
    """
    combined = _combine(guarantees, max)
    if combined.vacuous or combined.neighbours == "add-remove" or fixed_parts:
        return combined
    raise bad_input(
        "neighbours",
        combined.neighbours,
        "add-remove neighbours for parallel composition, since a replaced record may move to another part (loss 2ε)",
        "state the parts under add-remove, or pass fixed_parts=True if no record can change its part",
    )


def subsample(guarantee: DP, rate: float, *, sampling: Literal["poisson", "without-replacement"] = "poisson") -> DP:
    """The promise of a mechanism run on a secret random sample of rate β: (ln(1 + β(e^ε − 1)), βδ) (Mimoto Thm 2.5).

    It holds for Poisson sampling under add-remove neighbours and for samples of fixed size without replacement under
    replace-one (Balle, Barthe and Gaboardi 2018, Thms 8 and 9), and for no other mix: a mechanism that is DP only under
    replace-one may publish the size of its sample, and with it who was in, so Poisson sampling leaves its loss at ε.

    >>> from sfumato.promise import PureDP
    >>> round(subsample(PureDP(1.0, neighbours="add-remove"), 0.3).epsilon, 4)
    0.4157
    """
    rate = probability("rate", rate, "a sampling rate", one=True)
    choice("sampling", sampling, ("poisson", "without-replacement"))
    if "ApproxDP" not in guarantee.forms:
        raise bad_input(
            "guarantee",
            guarantee,
            "a pure or approximate promise",
            "Accountant has the amplification of Gaussian noise; state others with as_approx(delta) first",
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
    epsilon, delta = guarantee.epsilon, guarantee.delta
    if epsilon < 700:
        amplified = math.log1p(rate * math.expm1(epsilon))
    else:
        amplified = epsilon + math.log(rate + (1 - rate) * math.exp(-epsilon))
    amplified = min(epsilon, amplified * (1 + 2.0**-50))
    smaller: dict[str, Any] = {"epsilon": amplified} | ({"delta": multiply_up(rate, delta)} if delta > 0 else {})
    return replace(guarantee, **smaller)


def _combine(guarantees: Sequence[Guarantee], how: Combine) -> Guarantee:
    if not guarantees:
        raise bad_input("guarantees", guarantees, "at least one promise")
    for guarantee in guarantees:
        check_promise("guarantee", guarantee)
    obstacles = [guarantee.obstacle for guarantee in guarantees if guarantee.obstacle]
    if obstacles:
        return NoGuarantee("; ".join(dict.fromkeys(obstacles)), **guarantees[0].scope).assuming(*_assumed(guarantees))
    _shared_scope(guarantees)
    for form in guarantees[0].forms:  # the most precise form that all of them have
        if all(form in guarantee.forms for guarantee in guarantees):
            return promise_kind(form).combine(guarantees, how).assuming(*_assumed(guarantees))
    kinds = sorted({type(guarantee).__name__ for guarantee in guarantees})
    usual = (Guarantee.remedy, ApproxDP.remedy)
    remedies = [guarantee.remedy for guarantee in guarantees if guarantee.remedy not in usual]
    remedy = remedies[0] if remedies else "keep an account of its own for each kind"
    raise bad_input("guarantees", kinds, "promises in one currency", remedy)


def _assumed(guarantees: Sequence[Guarantee]) -> tuple[Assumption, ...]:
    """What any of the promises rests on."""
    return tuple(assumption for guarantee in guarantees for assumption in guarantee.assumptions)


def _shared_scope(guarantees: Sequence[Guarantee]) -> dict[str, Any]:
    if not guarantees:
        raise bad_input("guarantees", guarantees, "at least one promise")
    scope = guarantees[0].scope
    for guarantee in guarantees[1:]:
        for name, value, before in unequal(scope, guarantee.scope):
            remedy = {
                "reach": "state all of them within one radius",
                "unit": "state both for one unit, for instance with guarantee.over(size, unit=…)",
                "neighbours": "guarantee.as_replace_one() states add-remove promises for replaced records",
                "model": "account for local and central releases apart",
            }[name]
            raise bad_input(name, value, f"the same {name} in every promise ({before!r} before)", remedy)
    return scope
