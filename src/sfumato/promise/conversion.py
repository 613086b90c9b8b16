"""One promise said in the words of another, never promising more than before.

===================  =======================  =====================================================================
from                 to                       rule
===================  =======================  =====================================================================
pure ε               zCDP                     ρ = ε²/2 (Bun and Steinke 2016, Prop. 1.4)
pure ε               Rényi                    the curve of randomised response, the worst ε-DP mechanism
zCDP ρ               Rényi                    (α, αρ)
Rényi, zCDP          (ε, δ)                   Prop. 2.11 of Weggenmann, or the tighter rule of dp-accounting
pure ε               (ε, δ)                   itself
metric ε·d           pure within a radius r   ℓ = ε·r
metric ε·d           pure through a query     ε·Δ, Δ the sensitivity of the query in d (Fact 7.16)
any of the first 4   group of k               kε; δ·Σe^{iε}; k²ρ; Rényi by doubling
add-remove           replace-one              a replacement is one removal and one addition: group of 2
===================  =======================  =====================================================================
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from sfumato.errors import InputError, bad_input
from sfumato.promise.amount import multiply_up
from sfumato.promise.guarantee import (
    ApproxDP,
    Guarantee,
    MetricDP,
    Model,
    Neighbours,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from sfumato.validate import choice, integer, positive, probability

__all__ = [
    "ORDERS",
    "RenyiBound",
    "as_replace_one",
    "group",
    "metric_epsilon",
    "renyi_bound",
    "through_query",
    "to_approx",
    "to_renyi",
    "to_zcdp",
    "within",
]

ORDERS: tuple[float, ...] = (
    *(1 + x / 10 for x in range(1, 100)),
    *(float(x) for x in range(11, 65)),
    *(128.0, 256.0, 512.0, 1024.0),
)
"""The Rényi orders that curves are computed at unless others are named."""

Rule = Literal["tight", "classical"]
_UP = 1 + 2.0**-50  # more than the rounding of the few operations of a closed form


class RenyiBound(NamedTuple):
    """An ε for a given δ, the order α it was found at and the rule that gave it."""

    epsilon: float
    order: float
    rule: Rule


def renyi_bound(guarantee: RenyiDP | ZeroConcentratedDP, delta: float, rule: Rule = "tight") -> RenyiBound:
    """The least ε for δ that follows from a Rényi curve, with the order that gives it.

    - ``"classical"``: ε + log(1/δ)/(α − 1) (Weggenmann Prop. 2.11). For ρ-zCDP, the curve of Gaussian noise, the best
      order is α* = 1 + √(log(1/δ)/ρ) and ε = ρ + 2√(ρ·log(1/δ)).
    - ``"tight"``: ε + log(1 − 1/α) − log(αδ)/(α − 1) (Canonne, Kamath and Steinke 2020, Prop. 12) as dp-accounting has
      it; never worse than the classical one.

    >>> renyi_bound(ZeroConcentratedDP(0.5), 1e-5, rule="classical")
    RenyiBound(epsilon=5.298..., order=5.798..., rule='classical')
    >>> renyi_bound(ZeroConcentratedDP(0.5), 1e-5)
    RenyiBound(epsilon=4.728..., order=5.4..., rule='tight')
    """
    delta = probability("delta", delta)
    choice("rule", rule, ("tight", "classical"))
    log_inverse = -math.log(delta)
    if isinstance(guarantee, ZeroConcentratedDP):
        rho = guarantee.rho
        if rho == 0:
            return RenyiBound(0.0, math.inf, rule)
        best = 1 + math.sqrt(log_inverse / rho)
        classical = RenyiBound((rho + 2 * math.sqrt(rho * log_inverse)) * _UP, best, "classical")
        # Every order is a valid bound; the tight optimum lies near the classical one.
        curve = [(a, rho * a) for a in (1 + (best - 1) * 2 ** (step / 64) for step in range(-192, 193))]
    elif isinstance(guarantee, RenyiDP):
        curve = list(guarantee.curve)
        classical = min(RenyiBound((e + log_inverse / (a - 1)) * _UP, a, "classical") for a, e in curve)
    else:
        raise bad_input("guarantee", guarantee, "a RenyiDP or a ZeroConcentratedDP", "to_renyi makes a curve")
    if rule == "classical":
        return classical
    from dp_accounting.rdp.rdp_privacy_accountant import compute_epsilon

    epsilon, order = compute_epsilon([a for a, _ in curve], [e for _, e in curve], delta)
    if epsilon > classical.epsilon:  # orders below 1.01, which dp-accounting leaves out
        return classical
    return RenyiBound(float(epsilon) * _UP, float(order), "tight")


def to_approx(guarantee: Guarantee, delta: float, *, rule: Rule = "tight") -> ApproxDP:
    """The promise as (ε, δ)-DP at the given δ. ``rule`` is that of :func:`renyi_bound`.

    >>> print(to_approx(ZeroConcentratedDP(0.5), delta=1e-5))
    ε = 4.72842, δ = 1e-05 per record (replace-one neighbours, central model)
    >>> to_approx(PureDP(1.0), delta=1e-6).epsilon
    1.0
    """
    delta = probability("delta", delta)
    if isinstance(guarantee, PureDP):
        return ApproxDP(guarantee.epsilon, delta, **guarantee.scope)
    if isinstance(guarantee, ApproxDP):
        if delta < guarantee.delta:
            raise bad_input("delta", delta, f"δ ≥ {guarantee.delta:g}, the promise's own", "it cannot be lowered")
        return ApproxDP(guarantee.epsilon, delta, **guarantee.scope)
    if isinstance(guarantee, (RenyiDP, ZeroConcentratedDP)):
        return ApproxDP(renyi_bound(guarantee, delta, rule).epsilon, delta, **guarantee.scope)
    raise _inexpressible(guarantee, "(ε, δ)-DP")


def to_zcdp(guarantee: Guarantee) -> ZeroConcentratedDP:
    """The promise as zCDP: ε-DP is ε²/2-zCDP.

    >>> to_zcdp(PureDP(0.1)).rho
    0.005
    """
    if isinstance(guarantee, ZeroConcentratedDP):
        return guarantee
    if isinstance(guarantee, PureDP):
        return ZeroConcentratedDP(multiply_up(guarantee.epsilon, guarantee.epsilon, 0.5), **guarantee.scope)
    raise _inexpressible(guarantee, "zCDP")


def to_renyi(guarantee: Guarantee, orders: Sequence[float] = ORDERS) -> RenyiDP:
    """The promise as a Rényi curve at the given orders.

    For ε-DP the curve is log[(sinh αε − sinh (α−1)ε)/sinh ε]/(α−1), that of randomised response, which no ε-DP
    mechanism exceeds (Bun and Steinke 2016, Lemma 3.4's proof); it lies below both ε and αε²/2.

    >>> to_renyi(ZeroConcentratedDP(0.1), orders=[2, 8]).curve
    ((2.0, 0.2), (8.0, 0.8))
    """
    if isinstance(guarantee, RenyiDP):
        known = dict(guarantee.curve)
        missing = [order for order in orders if float(order) not in known]
        if missing and tuple(orders) != ORDERS:
            raise bad_input("orders", missing[0], "an order of the curve", f"it has {sorted(known)[:5]} …")
        return guarantee
    if isinstance(guarantee, ZeroConcentratedDP):
        return RenyiDP(list(orders), [multiply_up(guarantee.rho, a) for a in orders], **guarantee.scope)
    if isinstance(guarantee, PureDP):
        return RenyiDP(list(orders), [_pure_renyi(guarantee.epsilon, a) for a in orders], **guarantee.scope)
    raise _inexpressible(guarantee, "Rényi DP")


def within(guarantee: MetricDP, radius: float, *, whole_domain: bool = False) -> PureDP:
    """The level ℓ = ε·r that an ε·d promise gives to inputs no farther apart than ``radius`` (Weggenmann §2.2.3).

    Parameters
    ----------
    guarantee : MetricDP
    radius : float
        In the units of the metric.
    whole_domain : bool
        Say that no two inputs are farther apart than ``radius`` (a circle has diameter π in angle); the promise then
        covers any pair. Otherwise it covers only pairs within the radius, and the unit says so.

    >>> print(within(MetricDP(2.0, "angle"), radius=0.1))
    ε = 0.2 per record within 0.1 of angle distance (within-radius neighbours, local model)
    >>> print(within(MetricDP(2.0, "angle"), radius=3.15, whole_domain=True))
    ε = 6.3 per record (any-pair neighbours, local model)
    """
    _check_metric(guarantee)
    radius = positive("radius", radius, "a level without a radius says nothing")
    level = multiply_up(guarantee.epsilon, radius)
    if whole_domain:
        return PureDP(level, **guarantee.scope)
    unit = f"{guarantee.unit} within {radius:g} of {guarantee.metric} distance"
    return PureDP(level, unit=unit, neighbours="within-radius", model=guarantee.model)


def through_query(
    guarantee: MetricDP,
    sensitivity: float,
    *,
    unit: str = "record",
    neighbours: Neighbours = "replace-one",
    model: Model = "central",
) -> PureDP:
    """The promise of an ε·d mechanism applied to a query whose d-sensitivity is Δ: ε·Δ-DP (Weggenmann Fact 7.16).

    The scope is that of the sensitivity: the neighbours over which Δ was taken.

    >>> through_query(MetricDP(0.5, "euclidean"), sensitivity=2.0).epsilon
    1.0
    """
    _check_metric(guarantee)
    level = multiply_up(guarantee.epsilon, positive("sensitivity", sensitivity))
    return PureDP(level, unit=unit, neighbours=neighbours, model=model)


def _check_metric(guarantee: Guarantee) -> None:
    """A kind derived from MetricDP may count its distance differently (per word, times the length of a text)."""
    if type(guarantee) is not MetricDP:
        raise bad_input("guarantee", guarantee, "a MetricDP, whose loss is ε times a named distance and nothing else")


def metric_epsilon(level: float, distance: float) -> float:
    """The ε of a metric promise that gives ``level`` at ``distance``, rounded down.

    κ = ℓ/r for a level within a radius; κ = ε/Δ for ε-DP of a query with sensitivity Δ (Weggenmann §2.2.3, Fact 7.16).

    >>> metric_epsilon(level=1.0, distance=4.0)
    0.25
    """
    level = positive("level", level)
    distance = positive("distance", distance, "a level without a radius says nothing")
    epsilon = level / distance
    while multiply_up(epsilon, distance) > level:
        epsilon = math.nextafter(epsilon, 0.0)
    return epsilon


def group(guarantee: Guarantee, size: int, *, unit: str | None = None) -> Guarantee:
    """The promise for ``size`` units at once, for instance for a user who may own that many records.

    Pure kε; approximate (kε, δ·(1 + e^ε + … + e^{(k−1)ε})); zCDP k²ρ; Rényi (α, ε) → (α/2^c, 3^c·ε) for
    k ≤ 2^c and α ≥ 2^{c+1} (Mironov 2017, Prop. 2).

    >>> group(PureDP(0.1), 3, unit="user")
    PureDP(unit='user', neighbours='replace-one', model='central', epsilon=0.3)
    """
    k = integer("size", size)
    scope = {**guarantee.scope, "unit": unit or (guarantee.unit if k == 1 else f"group of {k} {guarantee.unit}s")}
    if k == 1:
        return replace(guarantee, unit=scope["unit"])
    if isinstance(guarantee, PureDP):
        return PureDP(multiply_up(guarantee.epsilon, k), **scope)
    if isinstance(guarantee, ApproxDP):
        try:
            delta = guarantee.delta * math.fsum(math.exp(i * guarantee.epsilon) for i in range(k)) * _UP
        except OverflowError:
            delta = math.inf
        if delta >= 1:
            raise bad_input("size", k, f"a group for which δ stays below 1 (here {delta:.2g})", "a smaller group")
        return ApproxDP(multiply_up(guarantee.epsilon, k), delta, **scope)
    if isinstance(guarantee, ZeroConcentratedDP):
        return ZeroConcentratedDP(multiply_up(guarantee.rho, k, k), **scope)
    if isinstance(guarantee, RenyiDP):
        doublings = (k - 1).bit_length()
        usable = [(a, e) for a, e in guarantee.curve if a >= 2 ** (doublings + 1)]
        if not usable:
            raise bad_input("size", k, f"an order ≥ {2 ** (doublings + 1)} in the curve", "compute it at higher orders")
        orders = [a / 2**doublings for a, _ in usable]
        return RenyiDP(orders, [multiply_up(e, 3**doublings) for _, e in usable], **scope)
    if isinstance(guarantee, MetricDP):
        raise bad_input("guarantee", guarantee, "a promise per unit", "the distance covers groups; use within(radius)")
    raise _inexpressible(guarantee, "a promise for groups")


def as_replace_one(guarantee: Guarantee) -> Guarantee:
    """The promise for replacing one unit. The other way round is not sound: replace-one keeps the size public.

    From add-remove it costs a group of 2 (a removal and an addition); from any pair nothing.

    >>> as_replace_one(PureDP(1.0, neighbours="add-remove")).epsilon
    2.0
    """
    if guarantee.neighbours == "replace-one":
        return guarantee
    if guarantee.neighbours == "add-remove":
        return replace(group(guarantee, 2, unit=guarantee.unit), neighbours="replace-one")
    if guarantee.neighbours == "any-pair" and not isinstance(guarantee, MetricDP):
        return replace(guarantee, neighbours="replace-one")
    raise bad_input("guarantee", guarantee, "add-remove or any-pair neighbours", "state it for the whole domain first")


def _pure_renyi(epsilon: float, order: float) -> float:
    """The Rényi divergence of randomised response, in logs so that large αε cannot overflow."""
    if epsilon == 0:
        return 0.0
    # (sinh αε − sinh (α−1)ε)/sinh ε = cosh((α − ½)ε)/cosh(ε/2)
    log_sum = (order - 1) * epsilon + math.log1p(math.exp(-(2 * order - 1) * epsilon)) - math.log1p(math.exp(-epsilon))
    curve = max(0.0, log_sum) / (order - 1)
    return min(curve * _UP + 2.0**-52 / (order - 1), order * epsilon * epsilon / 2 * _UP, epsilon)


def _inexpressible(guarantee: Guarantee, wanted: str) -> InputError:
    remedy = {
        "MetricDP": "state a radius with within(guarantee, radius) first",
        "ApproxDP": "start from the Rényi, zCDP or pure promise of the mechanism",
        "RenyiDP": "convert with to_approx(guarantee, delta) instead",
        "ZeroConcentratedDP": "convert with to_approx(guarantee, delta) instead",
    }.get(type(guarantee).__name__, "it is not a differential-privacy promise")
    return bad_input("guarantee", guarantee, f"a promise that can be stated as {wanted}", remedy)
