"""Accounting for many releases of noise whose law is known: tighter than adding promises.

The mathematics is that of dp-accounting: Rényi curves (``"rdp"``) or privacy-loss distributions (``"pld"``, tighter and
slower). What is added here is the neighbour relation as part of the account: a *sensitivity* is always that over the
account's own neighbours, and sampling schemes that a relation does not support are refused.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, get_args

from sfumato.errors import bad_input
from sfumato.promise.amount import add_up, multiply_up
from sfumato.promise.assumption import Assumption
from sfumato.promise.guarantee import ORDERS, Guarantee
from sfumato.promise.kinds.approx import ApproxDP
from sfumato.promise.kinds.pure import PureDP
from sfumato.promise.kinds.renyi import RenyiDP, shared_orders
from sfumato.promise.scope import Model, Neighbours, unequal
from sfumato.validate import choice, integer, positive, probability

__all__ = ["Accountant", "noise_for"]

Method = Literal["rdp", "pld"]
_FORMS: dict[Method, str] = {"rdp": "RenyiDP", "pld": "ApproxDP"}  # what a promise must be stated as
_Kind = Literal["gaussian", "laplace", "discrete-gaussian", "discrete-laplace", "promise"]


@dataclass(frozen=True)
class _Release:
    """``count`` releases of one kind; ``noise`` is in units of the sensitivity, for discrete noise the scale itself."""

    kind: _Kind
    count: int
    noise: float = math.inf
    sensitivity: int = 1
    sampling_rate: float | None = None
    sample: tuple[int, int] | None = None
    promise: Guarantee | None = None


@dataclass(frozen=True, kw_only=True)
class Accountant:
    """An account of noisy releases. Each method returns a new account with the releases added.

    Parameters
    ----------
    method : {"rdp", "pld"}
        Rényi curves, or privacy-loss distributions.
    unit, neighbours, model, reach
        As in :class:`~sfumato.promise.Guarantee`; every sensitivity below is over these neighbours.
    releases
        What has been recorded so far; usually left empty.

    Examples
    --------
    >>> steps = Accountant(neighbours="add-remove").gaussian(1.0, sampling_rate=0.01, count=1000)
    >>> round(steps.epsilon(1e-5), 4)
    2.1014
    >>> round(Accountant(method="pld").gaussian(1.0).epsilon(1e-5), 4)
    4.3772
    """

    method: Method = "rdp"
    unit: str = "record"
    neighbours: Neighbours = "replace-one"
    model: Model = "central"
    reach: float | None = None
    releases: tuple[_Release, ...] = ()

    def __post_init__(self) -> None:
        choice("method", self.method, get_args(Method))
        _ = self.scope  # checked

    @property
    def scope(self) -> dict[str, Any]:
        """Reach (if there is one), unit, neighbours and model, to hand on to a guarantee."""
        given: dict[str, Any] = {"unit": self.unit, "neighbours": self.neighbours, "model": self.model}
        return PureDP(0.0, reach=self.reach, **given).scope

    def gaussian(
        self,
        sigma: float,
        *,
        sensitivity: float = 1.0,
        count: int = 1,
        sampling_rate: float | None = None,
        sample: tuple[int, int] | None = None,
    ) -> Accountant:
        """Add Gaussian noise of standard deviation ``sigma`` on a query of that L₂ sensitivity, ``count`` times.

        Parameters
        ----------
        sampling_rate : float, optional
            Each unit is in the secret sample with this probability (Poisson sampling): add-remove neighbours only.
        sample : (int, int), optional
            ``(size, of)``, a secret sample of fixed size without replacement: replace-one and ``"rdp"`` only.
        """
        noise = positive("sigma", sigma) / positive("sensitivity", sensitivity)
        if sampling_rate is not None:
            self._check_poisson(sampling_rate)
        if sample is not None:
            self._check_sample(sample, sampling_rate)
        return self._add(
            _Release("gaussian", integer("count", count), noise, sampling_rate=sampling_rate, sample=sample)
        )

    def laplace(
        self, scale: float, *, sensitivity: float = 1.0, count: int = 1, sampling_rate: float | None = None
    ) -> Accountant:
        """Add Laplace noise of that scale on a query of that L₁ sensitivity. Sampling needs ``method="pld"``."""
        noise = positive("scale", scale) / positive("sensitivity", sensitivity)
        if sampling_rate is not None:
            self._check_poisson(sampling_rate)
            self._needs("pld", "sampled Laplace noise")
        return self._add(_Release("laplace", integer("count", count), noise, sampling_rate=sampling_rate))

    def discrete_gaussian(self, sigma: float, *, sensitivity: int = 1, count: int = 1) -> Accountant:
        """Add integer Gaussian noise on an integer query. Its Rényi curve is at most that of the continuous noise."""
        noise, whole = positive("sigma", sigma), integer("sensitivity", sensitivity)
        return self._add(_Release("discrete-gaussian", integer("count", count), noise, whole))

    def discrete_laplace(self, scale: float, *, sensitivity: int = 1, count: int = 1) -> Accountant:
        """Add integer (two-sided geometric) noise, Pr[z] ∝ e^{−|z|/scale}, on an integer query."""
        noise, whole = positive("scale", scale), integer("sensitivity", sensitivity)
        return self._add(_Release("discrete-laplace", integer("count", count), noise, whole))

    def promise(self, guarantee: Guarantee, count: int = 1) -> Accountant:
        """Add releases of which only the promise is known: pure; zCDP and Rényi with "rdp"; approximate with "pld"."""
        for name, value, here in unequal(self.scope, guarantee.scope):
            raise bad_input(name, value, f"the account's {name}, {here!r}", "keep separate accounts")
        methods: list[Method] = [method for method, form in _FORMS.items() if form in guarantee.forms]
        if not methods:
            raise bad_input("guarantee", guarantee, "a promise that composes: pure, approximate, zCDP or Rényi")
        if self.method not in methods:
            self._needs(methods[0], f"a promise such as {type(guarantee).__name__}")
        return self._add(_Release("promise", integer("count", count), promise=guarantee))

    def epsilon(self, delta: float) -> float:
        """The ε of all releases together at this δ, rounded up."""
        delta = probability("delta", delta)
        if not self.releases:
            return 0.0
        if self.method == "rdp":
            from dp_accounting.rdp.rdp_privacy_accountant import compute_epsilon

            orders, values = self._curve()
            found = float(compute_epsilon(orders, values, delta)[0])
        else:
            found = float(self._losses().get_epsilon_for_delta(delta))
        found = min(found, self._pure())
        if not math.isfinite(found):
            raise bad_input("delta", delta, "δ above what the recorded promises already allow", "ask for a larger δ")
        return found

    def delta(self, epsilon: float) -> float:
        """The δ of all releases together at this ε, rounded up."""
        epsilon = positive("epsilon", epsilon, zero=True)
        if not self.releases:
            return 0.0
        if self.method == "rdp":
            from dp_accounting.rdp.rdp_privacy_accountant import compute_delta

            return float(compute_delta(*self._curve(), epsilon)[0])
        return float(self._losses().get_delta_for_epsilon(epsilon))

    def guarantee(self, delta: float) -> ApproxDP:
        """All releases together as (ε, δ)-DP."""
        return ApproxDP(self.epsilon(delta), delta, **self.scope).assuming(*self._assumed())

    def renyi(self) -> RenyiDP:
        """All releases together as a Rényi curve (``method="rdp"``)."""
        self._needs("rdp", "a Rényi curve")
        orders, values = self._curve()
        return RenyiDP(orders, [max(0.0, value) for value in values], **self.scope).assuming(*self._assumed())

    def _assumed(self) -> tuple[Assumption, ...]:
        """What the recorded promises rest on."""
        return tuple(one for release in self.releases if release.promise for one in release.promise.assumptions)

    def _add(self, release: _Release) -> Accountant:
        return replace(self, releases=(*self.releases, release))

    def _needs(self, method: Method, what: str) -> None:
        if self.method != method:
            raise bad_input("method", self.method, f"{method!r} for {what}", f"Accountant(method={method!r}, …)")

    def _check_poisson(self, rate: float) -> None:
        probability("sampling_rate", rate, one=True)
        if self.neighbours != "add-remove":
            raise bad_input(
                "neighbours",
                self.neighbours,
                "add-remove neighbours for Poisson sampling",
                "under replace-one the sample size is not protected; take sample=(size, of)",
            )

    def _check_sample(self, sample: tuple[int, int], rate: float | None) -> None:
        size, of = sample
        integer("sample size", size, most=integer("data size", of))
        if rate is not None:
            raise bad_input("sample", sample, "either sample or sampling_rate")
        if self.neighbours != "replace-one":
            raise bad_input(
                "neighbours", self.neighbours, "replace-one neighbours for samples of fixed size", "use sampling_rate"
            )
        self._needs("rdp", "samples of fixed size")

    def _pure(self) -> float:
        """The plain sum of ε if every release is pure (sampling only lowers it), else ∞."""
        parts = []
        for release in self.releases:
            if release.promise is not None and "PureDP" in release.promise.forms:
                epsilon = release.promise.epsilon  # type: ignore[attr-defined]
            elif release.kind in ("laplace", "discrete-laplace"):
                epsilon = release.sensitivity / release.noise
                if epsilon * release.noise < release.sensitivity:
                    epsilon = math.nextafter(epsilon, math.inf)
            else:
                return math.inf
            parts.append(multiply_up(release.count, epsilon))
        return add_up(parts)

    def _curve(self) -> tuple[list[float], list[float]]:
        """Rényi divergence bounds at the orders that all recorded curves share."""
        promises = [release.promise for release in self.releases if release.promise is not None]
        orders = list(shared_orders(promises) or ORDERS)
        total = [0.0] * len(orders)
        for release in self.releases:
            for i, value in enumerate(_renyi_of(release, orders)):
                total[i] += value
        return orders, [value * (1 + 2.0**-45) for value in total]

    def _losses(self) -> Any:
        """The composed privacy-loss distribution."""
        from dp_accounting.pld import privacy_loss_distribution as pld

        total = pld.identity()
        for release in self.releases:
            total = total.compose(_loss_distribution(release))
        return total


def noise_for(
    target: ApproxDP,
    *,
    count: int = 1,
    sensitivity: float = 1.0,
    sampling_rate: float | None = None,
    method: Method = "rdp",
    kind: Literal["gaussian", "laplace"] = "gaussian",
) -> float:
    """The least noise (σ, or the Laplace scale) with which ``count`` releases together keep ``target``.

    The neighbours are those of the target. Found to a relative 1e-6, on the safe side.

    >>> sigma = noise_for(ApproxDP(2.1014, 1e-5, neighbours="add-remove"), count=1000, sampling_rate=0.01)
    >>> round(sigma, 3)
    1.0
    """
    if not isinstance(target, ApproxDP):
        raise bad_input("target", target, "an ApproxDP", "state the target with its δ")
    positive("target.epsilon", target.epsilon)
    sensitivity = positive("sensitivity", sensitivity)
    choice("kind", kind, ("gaussian", "laplace"))
    empty = Accountant(method=method, **target.scope)
    record: Callable[..., Accountant] = getattr(empty, kind)

    @cache  # the search comes back to its ends, and a privacy-loss distribution takes its time
    def excess(noise: float) -> float:
        account = record(noise, count=count, sampling_rate=sampling_rate)
        return math.log(max(account.epsilon(target.delta), 1e-300) / target.epsilon)

    high = 1.0
    while excess(high) > 0:
        high *= 2
        if high > 2**40:
            raise bad_input("target", target.statement, "a target that finite noise reaches", "raise ε or δ")
    low = high / 2
    while low > 2**-20 and excess(low) <= 0:
        low, high = low / 2, low
    if excess(low) > 0:
        from scipy.optimize import brentq

        high = float(brentq(excess, low, high, rtol=1e-6))
        while excess(high) > 0:
            high *= 1 + 1e-6
    return high * sensitivity


def _renyi_of(release: _Release, orders: list[float]) -> list[float]:
    from dp_accounting import dp_event, rdp
    from dp_accounting.privacy_accountant import NeighboringRelation

    if release.promise is not None:
        curve = dict(release.promise.as_renyi(orders).curve)
        return [release.count * curve[order] for order in orders]
    if release.kind == "discrete-laplace":
        return [release.count * _discrete_laplace_renyi(release, order) for order in orders]
    relation = NeighboringRelation.ADD_OR_REMOVE_ONE
    if release.kind == "laplace":
        event: Any = dp_event.LaplaceDpEvent(release.noise)
    else:  # a discrete Gaussian has at most the curve of the continuous one (Canonne, Kamath and Steinke 2020, Prop. 5)
        event = dp_event.GaussianDpEvent(release.noise / release.sensitivity)
    if release.sampling_rate is not None:
        event = dp_event.PoissonSampledDpEvent(release.sampling_rate, event)
    elif release.sample is not None:
        relation = NeighboringRelation.REPLACE_ONE
        size, of = release.sample
        event = dp_event.SampledWithoutReplacementDpEvent(of, size, event)
    chatter = logging.getLogger("absl")  # an order whose series does not converge counts as ∞, and is only not the best
    level = chatter.level
    chatter.setLevel(logging.ERROR)
    try:
        accountant = rdp.RdpAccountant(orders, relation).compose(event, release.count)
    finally:
        chatter.setLevel(level)
    return [float(value) for value in accountant.rdp]


def _discrete_laplace_renyi(release: _Release, order: float) -> float:
    """D_α between two-sided geometric laws shifted by an integer s, in closed form: three geometric sums.

    With b = 1/scale and p ∝ e^{−b|z|}: E_q(p/q)^α = c·[Σ_{z≤0} + Σ_{0<z<s} + Σ_{z≥s}] of e^{−αb|z| + (α−1)b|z−s|}.
    """
    b, s = 1 / release.noise, release.sensitivity
    log_c = math.log(math.tanh(b / 2))
    tail = -math.log(-math.expm1(-b))
    left = (order - 1) * b * s + tail  # z ≤ 0: e^{bz}·e^{(α−1)bs}
    right = -order * b * s + tail  # z ≥ s: e^{−b(z − s)}·e^{−αbs}
    middle = [-order * b * z + (order - 1) * b * (s - z) for z in range(1, s)]
    largest = max(left, right, *middle)
    log_sum = largest + math.log(math.fsum(math.exp(t - largest) for t in (left, right, *middle)))
    return max(0.0, log_c + log_sum) / (order - 1) + 2.0**-50


def _loss_distribution(release: _Release) -> Any:
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as pld

    rate = 1.0 if release.sampling_rate is None else release.sampling_rate
    if release.kind == "gaussian":
        if rate == 1.0:  # n Gaussian releases are one with σ/√n
            return pld.from_gaussian_mechanism(release.noise / math.sqrt(release.count))
        return pld.from_gaussian_mechanism(release.noise, sampling_prob=rate).self_compose(release.count)
    if release.kind == "laplace":
        one = pld.from_laplace_mechanism(release.noise, sampling_prob=rate)
    elif release.kind == "discrete-gaussian":
        one = pld.from_discrete_gaussian_mechanism(release.noise, sensitivity=release.sensitivity)
    elif release.kind == "discrete-laplace":
        one = pld.from_discrete_laplace_mechanism(1 / release.noise, sensitivity=release.sensitivity)
    else:
        promise: Any = release.promise
        parameters = common.DifferentialPrivacyParameters(promise.epsilon, promise.delta)
        one = pld.from_privacy_parameters(parameters)
    return one.self_compose(release.count)
