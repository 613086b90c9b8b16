"""Every constant that the promise of a text mechanism rests on, against rational or 60-digit arithmetic.

The parameters and the vocabularies are drawn anew from fixed seeds; what is claimed holds for all of them.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from helpers.constants import largest, over, printed, real, smallest, spread
from sfumato.promise import PureDP
from sfumato.text import CandidateExponential, SynTF, TruncatedExponential, Vocabulary, WordExponential
from sfumato.text.mechanisms.syntf.loss_bounds import eta_bound, needed_epsilon, target_probability
from sfumato.text.mechanisms.syntf.rating import MatrixRating
from sfumato.text.mechanisms.syntf.replacement_law import ReplacementLaw
from sfumato.text.mechanisms.words.truncated_exponential import truncation_for


@pytest.fixture(autouse=True)
def sixty_digits():
    with mpmath.workdps(60):
        yield


def words(count: int, dimension: int, seed: int, *, closest: float = 1e-3) -> Vocabulary:
    """Random vectors, some of them very near to each other."""
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((count, dimension)) * rng.uniform(0.2, 5.0, (count, 1))
    vectors[1] = vectors[0] + closest * rng.standard_normal(dimension)
    vectors[2] = vectors[0]
    return Vocabulary(words=tuple(f"w{chr(97 + k)}" for k in range(count)), vectors=vectors)


def exact_loss(law: ReplacementLaw) -> mpmath.mpf:
    """ℓ from the whole numbers that are drawn from, as fractions until the last logarithm."""
    rows = law.rows(np.arange(law.size)).tolist()
    shares = [[Fraction(weight, sum(row)) for weight in row] for row in rows]
    ratios = (max(column) / min(column) for column in zip(*shares, strict=True))
    largest_ratio = max(ratios)
    return mpmath.log(mpmath.mpf(largest_ratio.numerator) / largest_ratio.denominator)


@over(spread(40, (1e-9, 300.0)))
def test_the_loss_of_a_replaced_word(epsilon: float) -> None:
    """ℓ of SynTF is above the exact one by at most 2⁻³⁹ of it and 2⁻⁴²; n·ℓ is rounded up."""
    rng = np.random.default_rng(round(1e6 * math.log(epsilon)) % 1000)
    for bounds in ((0.0, 1.0), (-0.3, 2.1)):
        ratings = rng.uniform(*bounds, (6, 6))
        law = ReplacementLaw(rating=MatrixRating(ratings=ratings, bounds=bounds), epsilon=epsilon)
        needed = exact_loss(law)
        found = real(law.loss)
        assert needed <= smallest(law.loss)
        assert found <= needed * (1 + mpmath.mpf(2) ** -39) + mpmath.mpf(2) ** -42
        vocabulary = words(6, 3, 1)
        for length in (1, 7, 1000):
            promise = SynTF(epsilon=epsilon, length=length, vocabulary=vocabulary, rating=law.rating)._promise()
            assert isinstance(promise, PureDP)
            assert printed(promise.epsilon) >= length * printed(law.loss)
            assert real(promise.epsilon) >= length * needed


@over(spread(60, (1e-9, 400.0)))
def test_the_weights_of_syntf(epsilon: float) -> None:
    """A row of weights stays below 2⁶³, no weight is 0, and each is ⌊2ᵇ·exp(−ε·(top − level)·step/2Δ)⌋ + 1 to 2⁻⁴⁰."""
    rating = MatrixRating(ratings=np.zeros((2, 2)))
    law = ReplacementLaw(rating=rating, epsilon=epsilon)
    assert int(law.weights.max()) * 2 < 2**62
    assert law.weights.min() >= 1
    assert (np.diff(law.weights) >= 0).all()
    levels = np.random.default_rng(0).integers(0, rating.top + 1, 8)
    for level in levels.tolist():
        rate = real(epsilon) * (rating.top - level) * real(rating.step) / (2 * real(rating.sensitivity))
        needed = mpmath.exp(-rate) * 2**60
        assert abs(int(law.weights[level]) - needed) <= 2 + needed * mpmath.mpf(2) ** -40 * (1 + rate)


@over(spread(120, (1e-12, 900.0), (1.0, 1e6)))
def test_the_eta_bound(epsilon: float, size: float) -> None:
    """ε + ln η, never below and to 2⁻⁴⁶."""
    others = int(size)
    found = real(eta_bound(epsilon, others + 1))
    with mpmath.workdps(900):
        half = mpmath.exp(largest(epsilon) / 2)
        needed = largest(epsilon) + mpmath.log((1 / half + others) / (half + others))
    assert needed <= found <= needed * (1 + mpmath.mpf(2) ** -46)


@over(spread(60, (1e-3, 0.999), (1.0, 1e5)))
def test_what_useful_words_need(wanted: float, others: float) -> None:
    """The budget of Cor. 5.7 and the bounds of Thm 5.6, to 10⁻¹²; each is the inverse of the other."""
    rest = int(others)
    for targets, width in ((1, 1.0), (3, 0.4)):
        found = needed_epsilon(wanted, targets=targets, others=rest, width=width)
        needed = 2 / real(width) * mpmath.log(real(wanted) / (1 - real(wanted)) * rest / targets)
        assert abs(real(found) - max(needed, mpmath.mpf(0))) <= mpmath.mpf("1e-12") * (1 + abs(needed))
        if found > 0:
            low, high = target_probability(found, targets=targets, others=rest, gap=width, spread=width)
            assert low == high == pytest.approx(wanted, rel=1e-9)


def squared(vocabulary: Vocabulary, first: int, second: int) -> Fraction:
    points = vocabulary.all_points
    pairs = zip(points[first], points[second], strict=True)
    return sum(((Fraction(a) - Fraction(b)) ** 2 for a, b in pairs), Fraction())


def root(value: Fraction) -> mpmath.mpf:
    return mpmath.sqrt(mpmath.mpf(value.numerator) / value.denominator)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("truncation", [None, 0.75])
def test_no_two_words_lose_more_than_their_distance(seed: int, truncation: float | None) -> None:
    """ε·d by the weights that are drawn from, in 60 digits; words nearer than a hundred steps of the grid included."""
    vocabulary = words(12, 3, seed, closest=10.0 ** -(2 + seed))
    for epsilon in (0.01, 1.0, 37.0):
        if truncation is None:
            mechanism = WordExponential(epsilon=epsilon, vocabulary=vocabulary)
        else:
            mechanism = TruncatedExponential(epsilon=epsilon, vocabulary=vocabulary, truncation=truncation)
        rate = mpmath.mpf(str(mechanism._half(60).high))
        assert rate <= smallest(epsilon) / 2
        assert rate >= smallest(epsilon) / 2 * (1 - mpmath.mpf(2) ** -25)
        inputs = np.arange(len(vocabulary) + 1)
        laws = []
        for row in mechanism.scores(inputs).tolist():
            weights = [mpmath.exp(rate * real(score)) for score in row]
            total = mpmath.fsum(weights)
            laws.append([mpmath.log(weight / total) for weight in weights])
        for x, y in itertools.combinations(range(len(laws)), 2):
            apart = root(squared(vocabulary, x, y))
            allowed = smallest(epsilon) * (apart if truncation is None else min(apart, real(truncation)))
            lost = max(abs(a - b) for a, b in zip(laws[x], laws[y], strict=True))
            assert lost <= allowed, (x, y)


@over(spread(60, (1e-3, 100.0), (1e-6, 0.4)))
def test_the_truncation_of_tem(epsilon: float, share: float) -> None:
    """γ to 10⁻¹²: a choice of the user, on which no promise rests but through the cap itself."""
    for size in (2, 1000):
        needed = 2 / real(epsilon) * mpmath.log((1 - real(share)) * (size - 1) / real(share))
        found = real(truncation_for(epsilon, size, share))
        assert abs(found - max(needed, mpmath.mpf(0))) <= mpmath.mpf("1e-12") * (1 + abs(needed))
        vocabulary = words(6, 3, 0)
        promise = TruncatedExponential(epsilon=epsilon, vocabulary=vocabulary, truncation=0.3)._promise()
        assert printed(promise.per_word) >= printed(epsilon) * printed(0.3)


@pytest.mark.parametrize("seed", range(4))
def test_the_rate_of_a_candidate_set(seed: int) -> None:
    """No two words of a set lose more than ε, and the worst lose ε to 0.3 % where the rate is not capped."""
    vocabulary = words(20, 3, seed)
    for (epsilon,) in spread(6, (1e-9, 40.0), seed=seed):
        mechanism = CandidateExponential(epsilon=epsilon, vocabulary=vocabulary, candidates=5)
        for group in range(int(mechanism.groups.max()) + 1):
            rate = mechanism.rate(group)
            inputs = [k for k in range(len(vocabulary) + 1) if mechanism.groups[k] == group]
            laws = []
            for k in inputs:
                weights = [mpmath.exp(real(rate) * real(score)) for score in mechanism.scores(k)[1]]
                total = mpmath.fsum(weights)
                laws.append([mpmath.log(weight / total) for weight in weights])
            lost = max(max(column) - min(column) for column in zip(*laws, strict=True))
            assert lost <= smallest(epsilon)
            assert lost >= smallest(epsilon) * mpmath.mpf("0.997") or rate >= 31 * epsilon


def test_the_diameter_of_a_vocabulary_is_rounded_up() -> None:
    for seed in range(8):
        vocabulary = words(9, 4, seed)
        promise = WordExponential(epsilon=1.0, vocabulary=vocabulary)._promise()
        farthest = max(root(squared(vocabulary, x, y)) for x, y in itertools.combinations(range(10), 2))
        assert farthest <= smallest(promise.per_word)
