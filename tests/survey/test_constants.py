"""Every constant of a survey's promise against rational or 200-digit arithmetic, over a random grid of parameters.

What a promise rests on is on the safe side of the real number that the theorem names, for ε and α read as doubles and
as the decimals that they print as, and within the margin that each test states.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from helpers.constants import NEAR, largest, over, printed, real, smallest, spread
from sfumato.mechanism import Exponential, RandomizedResponse
from sfumato.noise.interval import Interval
from sfumato.survey import (
    Groups,
    HadamardResponse,
    Shuffler,
    UnaryEncoding,
    amplified_by_shuffling,
    de_finetti_bounds,
    posterior_bounds,
    reidentification_bound,
    reidentification_odds,
)
from sfumato.survey.core.amplification import amplified_delta, amplified_epsilon_closed_form
from sfumato.survey.core.order import group_sensitivities
from sfumato.survey.permutation.mallows import log_partition

NARROW = mpmath.mpf(2) ** -46


@pytest.fixture(autouse=True)
def many_digits():
    with mpmath.workdps(200):
        yield


GROUPS = [
    Groups.from_lists([[0, 1, 2], [0, 1, 2], [0, 1, 2], [3, 4], [3, 4]]),
    Groups.from_lists([[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6], [5, 6, 0], [6, 0, 1]]),
    Groups.everyone(40),
]


@over(spread(60, (1e-9, 1e9)) + spread(20, (1e-250, 1e250), seed=5))
def test_theta_of_mallows(alpha: float) -> None:
    """θ·Δ ≤ α, and what an owner is told is no less than θ·Δ of its own group; both to 2⁻⁴⁸."""
    for groups, metric in itertools.product(GROUPS, ("kendall", "hamming")):
        shuffler = Shuffler(alpha=alpha, groups=groups, metric=metric)
        lost = Fraction(shuffler.theta) * shuffler.sensitivity
        assert Fraction(alpha) * (1 - NEAR) <= lost <= min(Fraction(alpha), printed(alpha))
        for one in (0, groups.n - 1):
            alone = [groups.members(k).tolist() if k == one else [k] for k in range(groups.n)]
            other = Groups.from_lists(alone)
            told = shuffler.certify(other).alpha
            width = int(group_sensitivities(other, shuffler.reference, shuffler.metric).max())
            needed = Fraction(shuffler.theta) * width
            assert needed <= min(Fraction(told), printed(told)) <= needed * (1 + NEAR)
            assert needed <= Fraction(shuffler.certificates[one]) <= Fraction(alpha)


def coins_of(
    monkeypatch: pytest.MonkeyPatch, module: str, release: Callable[[], object]
) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """The probabilities that the coins of a release have, in the order in which they are thrown."""
    thrown: list[tuple[mpmath.mpf, mpmath.mpf]] = []

    def instead(bound: Callable[[int], Interval], count: int, rng: np.random.Generator) -> object:
        enclosed = bound(160)
        thrown.append((mpmath.mpf(str(enclosed.low)), mpmath.mpf(str(enclosed.high))))
        return np.zeros(count, bool)

    with monkeypatch.context() as patched:
        patched.setattr(f"{module}.draw_coins", instead)
        release()
    return thrown


@pytest.mark.parametrize("seed", range(4))
def test_coins_of_the_encodings(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log-ratio of two answers is at most ε, and ε to 2⁻⁵⁰."""
    module, answers, rng = "sfumato.survey.mechanisms.encoding", np.array([0, 1]), np.random.default_rng(0)
    for (epsilon,) in spread(25, (1e-6, 100.0), seed=seed):
        tiny = (1 + real(epsilon)) * mpmath.mpf(2) ** -50
        for optimised in (True, False):
            unary = UnaryEncoding(epsilon=epsilon, categories=5, optimised=optimised)
            thrown = coins_of(monkeypatch, module, lambda one=unary: one.release(answers, rng=rng))
            (low_q, q), (low_lost, lost) = thrown
            largest_loss = mpmath.log((1 - low_lost) * (1 - low_q) / (low_lost * low_q))
            least_loss = mpmath.log((1 - lost) * (1 - q) / (lost * q))
            assert largest_loss <= smallest(epsilon) * (1 + mpmath.mpf(10) ** -40)
            assert least_loss >= smallest(epsilon) * (1 - mpmath.mpf(10) ** -40)
            assert abs(real(unary.false_rate) - q) <= q * tiny
            assert abs(real(unary.true_rate) - (1 - lost)) <= (1 - lost) * tiny
        hadamard = HadamardResponse(epsilon=epsilon, categories=5)
        ((low, high),) = coins_of(monkeypatch, module, lambda one=hadamard: one.release(answers, rng=rng))
        assert mpmath.log((1 - low) / low) <= smallest(epsilon) * (1 + mpmath.mpf(10) ** -40)
        assert mpmath.log((1 - high) / high) >= smallest(epsilon) * (1 - mpmath.mpf(10) ** -40)
        assert abs(real(hadamard.wrong_rate) - high) <= high * tiny


@pytest.mark.parametrize("seed", range(3))
def test_coins_and_rates_of_the_textbook_choices(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    module = "sfumato.mechanism.randomized_response"
    for epsilon, sensitivity in spread(40, (1e-6, 100.0), (1e-6, 1e6), seed=seed):
        for categories in (2, 7):
            response = RandomizedResponse(epsilon=epsilon, categories=categories)
            ((low, high),) = coins_of(monkeypatch, module, lambda one=response: one.release(0, rng=rng))
            for truth in (low, high):
                lost = mpmath.log(truth * (categories - 1) / (1 - truth))
                assert abs(lost - smallest(epsilon)) <= smallest(epsilon) * mpmath.mpf(10) ** -40
        for monotonic in (True, False):
            choice = Exponential(epsilon=epsilon, sensitivity=sensitivity, monotonic=monotonic)._factor(60)
            needed = smallest(epsilon) / largest(sensitivity) / (1 if monotonic else 2)
            assert mpmath.mpf(str(choice.low)) <= needed * (1 + mpmath.mpf(10) ** -55)
            assert mpmath.mpf(str(choice.high)) >= needed * (1 - mpmath.mpf(10) ** -55)
            assert mpmath.mpf(str(choice.high)) <= needed * (1 + mpmath.mpf(10) ** -55)


def true_amplified_delta(epsilon: mpmath.mpf, local: mpmath.mpf, n: int) -> mpmath.mpf:
    """The divergence of Feldman, McMillan and Talwar, summed term by term over clones and answers."""
    grown, keep = mpmath.exp(epsilon), 1 / (1 + mpmath.exp(-local))
    rate = mpmath.exp(-local)
    total = mpmath.mpf(0)
    weight = (1 - rate) ** (n - 1)
    for clones in range(n):
        half = mpmath.mpf(2) ** -clones  # Pr[A = a] for a = 0, 1, …
        before = mpmath.mpf(0)
        inner = mpmath.mpf(0)
        for a in range(clones + 2):
            here = half if a <= clones else mpmath.mpf(0)
            p, q = keep * before + (1 - keep) * here, (1 - keep) * before + keep * here
            inner += max(p - grown * q, mpmath.mpf(0))
            before = here
            half = half * (clones - a) / (a + 1)
        total += weight * inner
        weight = weight * (n - 1 - clones) / (clones + 1) * rate / (1 - rate)
    return total


@over(spread(12, (0.05, 5.0), (0.01, 0.95)))
def test_amplification_by_shuffling(local: float, share: float) -> None:
    """δ to 10⁻⁹ of itself and 10⁻¹³, never below."""
    for n in (2, 9, 60):
        epsilon = share * local
        found = real(amplified_delta(epsilon, local_epsilon=local, n=n))
        needed = true_amplified_delta(smallest(epsilon), largest(local), n)
        assert needed <= found <= needed * (1 + mpmath.mpf("1e-9")) + mpmath.mpf("1e-13")


@over(spread(4, (0.3, 3.0), (1e-9, 1e-2)))
def test_the_amplified_promise(local: float, delta: float) -> None:
    promise = amplified_by_shuffling(local_epsilon=local, n=150, delta=delta)
    assert true_amplified_delta(smallest(promise.epsilon), largest(local), 150) <= smallest(delta)


@over(spread(60, (1e-3, 3.0), (1e-12, 1e-2)))
def test_the_closed_form_of_amplification(local: float, delta: float) -> None:
    n = 10 * math.ceil(16 * math.exp(local) * math.log(2 / delta))
    found = real(amplified_epsilon_closed_form(local_epsilon=local, n=n, delta=delta))
    grown, log_term = mpmath.exp(largest(local)), mpmath.log(4 / smallest(delta))
    spread_of = 8 * mpmath.sqrt(grown * log_term) / mpmath.sqrt(n) + 8 * grown / n
    needed = mpmath.log(1 + (grown - 1) / (grown + 1) * spread_of)
    assert needed <= found <= needed * (1 + NARROW * 4)


@over(spread(120, (1e-12, 0.999), (1e-6, 300.0)))
def test_bounds_on_what_an_attacker_learns(prior: float, alpha: float) -> None:
    """Rounded outwards, by less than 2⁻⁴⁰ of themselves."""
    margin = mpmath.mpf(2) ** -40
    low, high = (real(bound) for bound in posterior_bounds(prior, alpha))
    with mpmath.workdps(300):
        p, shift = real(prior), mpmath.exp(-largest(alpha))
        least, most = p * shift / (p * shift + 1 - p), p / (p + (1 - p) * shift)
    assert least * (1 - margin) <= low <= least
    assert most <= high <= most * (1 + margin) or high == 1
    low, high = (real(bound) for bound in de_finetti_bounds(prior, alpha))
    assert p * shift * (1 - margin) <= low <= p * shift
    assert min(mpmath.mpf(1), p / shift) <= high <= p / shift * (1 + margin)
    for group, named in ((3, 1), (1000, 7), (10**6, 1)):
        given = {"group": group, "named": named, "epsilon": prior, "alpha": alpha}
        odds = (group - named) // named * mpmath.exp(-(2 * named * largest(prior) + largest(alpha)))
        assert odds * (1 - margin) <= real(reidentification_odds(**given)) <= odds  # type: ignore[arg-type]
        won = real(reidentification_bound(**given))  # type: ignore[arg-type]
        assert 1 / (1 + odds) <= won <= 1 / (1 + odds) * (1 + margin)


@over(spread(40, (1e-6, 50.0)))
def test_the_normaliser_of_mallows(theta: float) -> None:
    """ln ψ to 10⁻¹² of itself, by its recursion over n and by derangements."""
    for n in (2, 5, 30):
        with mpmath.workdps(300):
            q = mpmath.exp(-real(theta))
            kendall = mpmath.fsum(mpmath.log(mpmath.fsum(q**d for d in range(i))) for i in range(2, n + 1))
            derangements = [1, 0]
            for h in range(2, n + 1):
                derangements.append((h - 1) * (derangements[-1] + derangements[-2]))
            hamming = mpmath.log(mpmath.fsum(mpmath.binomial(n, h) * derangements[h] * q**h for h in range(n + 1)))
        for metric, needed in (("kendall", kendall), ("hamming", hamming)):
            found = real(log_partition(n, theta, metric))  # type: ignore[arg-type]
            assert abs(found - needed) <= mpmath.mpf("1e-12") * (1 + abs(needed))
