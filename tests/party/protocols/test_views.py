"""What each side sees can be made without the other's number: transcript simulators, tested statistically.

The randomness comes from the operating system and cannot be seeded. Every bound is exceeded by a right protocol with a
probability below 10⁻⁹, and each test is also run on a protocol with a fault, which it must find.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from scipy import stats

from sfumato.party import BitwiseComparator, Comparison, DgkComparator, PrivateKey, TreeComparator, make_sides, plan
from sfumato.party.core.machine import Send
from sfumato.party.protocols import tree_comparator
from sfumato.party.protocols.conversions import complete
from sfumato.party.protocols.simulator import simulate_helper_view, simulate_holder_view, simulate_sums

KEY = PrivateKey(7, 11)
UNITS = [k for k in range(77) if math.gcd(k, 77) == 1]
BITS, REPEATS = 2, 1_200
RARE = 1e-9


def holder_view(y: int, x: int, choice: int, comparator: Any = None) -> tuple[list[list[int]], list[Any]]:
    """What the holder decrypts in many runs with the same numbers and coin, and the ciphertexts themselves."""
    alice, bob = make_sides(KEY)
    made = comparator or TreeComparator()
    points = next(made.holder(alice, [x] * REPEATS, BITS))
    steps = made.helper(bob, [y] * REPEATS, [choice] * REPEATS, BITS)
    next(steps)
    answer = steps.send(list(points.values))
    assert isinstance(answer, Send)
    plain = KEY.decrypt(answer.values)
    width = len(plain) // REPEATS
    return [plain[at : at + width] for at in range(0, len(plain), width)], list(answer.values)


def uniform(found: Sequence[int], space: Sequence[int]) -> float:
    """The p-value of χ² against the uniform law; 0 if something is outside the space."""
    counts = Counter(found)
    if set(counts) - set(space):
        return 0.0
    return float(stats.chisquare([counts[one] for one in space]).pvalue)


@pytest.mark.parametrize("comparator", [TreeComparator(), BitwiseComparator()], ids=["tree", "bitwise"])
def test_the_holder_sees_uniform_units_and_at_most_one_zero(comparator: Any) -> None:
    """For all x, y and coins: what it sees depends on its output bit alone, and so does the place of the zero."""
    for x, y, choice in product(range(4), range(4), (0, 1)):
        views, _ = holder_view(y, x, choice, comparator)
        seen = int(x >= y) ^ choice
        assert {view.count(0) for view in views} == {seen}
        for place in range(len(views[0])):
            assert uniform([view[place] for view in views if view[place]], UNITS) > RARE
        if seen:
            assert uniform([view.index(0) for view in views], range(len(views[0]))) > RARE


def test_simulated_and_real_views_have_one_law() -> None:
    """Pairs of units, in the order in which they come: homogeneity of real and simulated ones by a coarse χ²."""
    for x, y, choice in ((3, 1, 1), (1, 3, 0)):
        real = [(a // 11, b // 11) for a, b in holder_view(y, x, choice)[0]]
        made = [(a // 11, b // 11) for a, b in simulate_holder_view(KEY.public, [0] * REPEATS, BITS)]
        cells = list(product(range(7), repeat=2))
        table = [[Counter(view)[cell] for cell in cells] for view in (real, made)]
        assert stats.chi2_contingency(table).pvalue > RARE


def test_the_randomness_of_what_comes_back_is_fresh() -> None:
    """The holder can extract r of every ciphertext; it is uniform in Z*_N and tells nothing of how it was made."""
    for y, choice in ((0, 0), (2, 0), (2, 1)):
        _, ciphertexts = holder_view(y, 3, choice)
        assert uniform([KEY.randomness(one) for one in ciphertexts], UNITS) > RARE


def test_the_helper_sees_encryptions_only() -> None:
    """The randomness of every point is uniform for every x; so is that of what the simulator sends."""
    alice, _ = make_sides(KEY)
    for x in range(4):
        points = next(TreeComparator().holder(alice, [x] * REPEATS, BITS))
        assert uniform([KEY.randomness(one) for one in points.values], UNITS) > RARE
    made = simulate_helper_view(alice.pool("alice"), BITS, REPEATS)
    assert uniform([KEY.randomness(one) for one in made], UNITS) > RARE


def test_sums_of_conversion_5_are_uniform() -> None:
    """With the masks as printed z is uniform in Z_N for every x and y; simulated or real."""
    assert uniform(simulate_sums(KEY.public, 9_000), range(77)) > RARE
    _, bob = make_sides(KEY)
    made = Comparison(plan=plan("SE-SE-SS"), bits=BITS, count=9_000, masks="uniform")
    for x, y in ((0, 3), (3, 0)):
        steps = made.steps(bob, bob.encrypt("alice", [x] * 9_000), bob.encrypt("alice", [y] * 9_000))
        assert uniform(KEY.decrypt(next(steps).values), range(77)) > RARE


def test_a_protocol_without_shuffling_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_comparator, "shuffled", list)
    views, _ = holder_view(1, 1, 0)
    assert uniform([view.index(0) for view in views], range(2)) < RARE


def test_a_protocol_without_fresh_randomness_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A holder that encrypts with r = 1 gets r = 1 back and sees which layers were only multiplied."""
    from sfumato.party.core.side import Side

    monkeypatch.setattr(Side, "refresh", lambda self, owner, ciphertexts: list(ciphertexts))
    _, bob = make_sides(KEY)
    points = [KEY.public.plain(1)] * (BITS * REPEATS)
    steps = TreeComparator().helper(bob, [2] * REPEATS, [0] * REPEATS, BITS)
    next(steps)
    assert uniform([KEY.randomness(one) for one in steps.send(points).values], UNITS) < RARE


def test_a_protocol_with_short_factors_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Factors from a part of Z*_N leave the differences visible."""
    from sfumato.party import PublicKey

    monkeypatch.setattr(PublicKey, "random_unit", lambda self: 2)
    views, _ = holder_view(3, 0, 0)
    assert uniform([value for view in views for value in view if value], UNITS) < RARE


def wrong_answers(n_bits: int, modulus: int) -> int:
    """How many of all (x, y, b), b in Z_N, Conversion 5 gets wrong because n + x − y + b wraps."""
    n = 1 << n_bits
    wrong = 0
    for x, y in product(range(n), repeat=2):
        for b in range(modulus):
            z = (n + x - y + b) % modulus
            wrong += complete(z >> n_bits, b, int(z % n >= b % n), n_bits) != (x >= y)
    return wrong


@pytest.mark.parametrize(("bits", "modulus"), [(4, 77), (2, 77), (3, 187), (2, 323)])
def test_uniform_masks_wrap_with_probability_exactly_n_over_N(bits: int, modulus: int) -> None:
    """As printed: 16/77 = 21 % at N = 77 and n = 16, nothing at real sizes."""
    assert wrong_answers(bits, modulus) * modulus == (1 << bits) * (1 << 2 * bits) * modulus


def test_the_whole_protocol_wraps_as_often() -> None:
    """SE-SE-SS at N = 77, n = 4: wrong in 4/77 of 6 000 runs (six standard deviations); never with bounded masks."""
    alice, bob = make_sides(KEY)
    from sfumato.party import run_together

    pairs = [(x, y) for x, y in product(range(4), repeat=2) for _ in range(375)]
    true = [int(x >= y) for x, y in pairs]
    for masks, expected in (("uniform", 4 / 77), ("bounded", 0.0)):
        made = Comparison(plan=plan("SE-SE-SS"), bits=2, count=len(pairs), masks=masks)  # type: ignore[arg-type]
        x, y = (bob.encrypt("alice", [pair[k] for pair in pairs]) for k in (0, 1))
        first, second, _ = run_together(made.steps(alice), made.steps(bob, x, y))
        found = [(a + b) % 77 for a, b in zip(first, second, strict=True)]
        wrong = sum(a != b for a, b in zip(found, true, strict=True))
        spread = 6 * math.sqrt(len(pairs) * expected * (1 - expected))
        assert abs(wrong - len(pairs) * expected) <= spread


def test_the_holder_of_dgk_sees_units_and_at_most_one_zero() -> None:
    """For all x, y and coins one zero or none, anywhere with equal chance; each other number is blinded (test_dgk)."""
    alice, bob = make_sides(PrivateKey(18446744073709551629, 18446744073709551653))
    for x, y, choice in product(range(4), range(4), (0, 1)):
        first = DgkComparator().holder(alice, [x] * 600, BITS)
        key, bits = next(first), next(first)
        steps = DgkComparator().helper(bob, [y] * 600, [choice] * 600, BITS)
        next(steps)
        steps.send(list(key.values))
        zeros = alice.short_key().zeros(steps.send(list(bits.values)).values)
        views = [zeros[at : at + BITS + 1] for at in range(0, len(zeros), BITS + 1)]
        seen = int(x >= y) ^ choice
        assert {view.count(True) for view in views} == {seen}
        if seen:
            assert uniform([view.index(True) for view in views], range(BITS + 1)) > RARE
