"""Largest, order and counts of many numbers, against sorting them."""

from __future__ import annotations

import random
from itertools import product

import pytest

from helpers.party_holdings import ALICE, tiny_sides
from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.party import PrivateCount, Ranking, ThresholdCount, make_sides, run_together

ALICE_ONLY = make_sides(ALICE)


def ranked(values: list[int]) -> list[int]:
    return sorted(range(len(values)), key=lambda k: (-values[k], k))


@pytest.mark.parametrize("counts", [(1, 1), (2, 1), (0, 3), (3, 2)])
def test_order_and_largest(counts: tuple[int, int]) -> None:
    rng = random.Random(sum(counts))
    for _ in range(4):
        values = [rng.randrange(8) for _ in range(sum(counts))]
        mine, yours = values[: counts[0]], values[counts[0] :]
        ranking = Ranking(bits=3, counts=counts)
        a, b, _ = run_together(ranking.order(ALICE_ONLY[0], mine), ranking.order(ALICE_ONLY[1], yours))
        assert a == b == ranked(values)
        a, b, _ = run_together(ranking.largest(ALICE_ONLY[0], mine), ranking.largest(ALICE_ONLY[1], yours))
        assert a == b == ranked(values)[0]


def test_rounds_do_not_depend_on_how_many_there_are() -> None:
    messages = set()
    for count in (2, 5):
        ranking = Ranking(bits=3, counts=(count, count))
        values = list(range(count))
        _, _, sent = run_together(ranking.largest(ALICE_ONLY[0], values), ranking.largest(ALICE_ONLY[1], values))
        messages.add(sent.messages)
    assert len(messages) == 1


def test_the_largest_is_all_that_is_opened() -> None:
    """The bits that both see at the end name one number; ranks of the others never leave their shares."""
    ranking = Ranking(bits=3, counts=(2, 2))
    steps = [ranking.largest(ALICE_ONLY[0], [7, 3]), ranking.largest(ALICE_ONLY[1], [5, 6])]
    assert run_together(*steps)[0] == 0


@pytest.mark.parametrize("threshold", [0, 4, 7])
def test_threshold_counts(threshold: int) -> None:
    values = [0, 3, 4, 5, 7, 7]
    count = ThresholdCount(bits=3, count=6)
    a, b, _ = run_together(count.steps(ALICE_ONLY[0], values), count.steps(ALICE_ONLY[1], [threshold] * 6))
    assert a == b == sum(value >= threshold for value in values)


def test_counts_with_noise_of_both_parties() -> None:
    """Each adds the noise of the mechanism to its share; with known seeds the sum is known."""
    noise, count = PrivateCount(epsilon=0.5), ThresholdCount(bits=3, count=3)
    for seed in range(6):
        steps = [
            count.steps(side, values, noise=noise, rng=seeded_rng(seed + 100 * k))
            for k, (side, values) in enumerate(zip(ALICE_ONLY, ([1, 5, 7], [4, 4, 4]), strict=True))
        ]
        expected = 2 + noise.noise(rng=seeded_rng(seed)) + noise.noise(rng=seeded_rng(seed + 100))
        assert run_together(*steps)[:2] == (expected, expected)  # it may be negative


def test_all_pairs_of_two_numbers() -> None:
    ranking = Ranking(bits=2, counts=(1, 1))
    for x, y in product(range(4), repeat=2):
        found = run_together(ranking.largest(ALICE_ONLY[0], [x]), ranking.largest(ALICE_ONLY[1], [y]))[0]
        assert found == (0 if x >= y else 1)


@pytest.mark.parametrize("counts", [(1, 0), (-1, 3), (0, 0)])
def test_too_few_numbers_are_refused(counts: tuple[int, int]) -> None:
    with pytest.raises(InputError):
        Ranking(bits=3, counts=counts)


def test_wrong_numbers_are_refused() -> None:
    side, _ = tiny_sides()
    with pytest.raises(InputError, match="as agreed"):
        next(Ranking(bits=3, counts=(2, 2)).order(side, [1]))
    with pytest.raises(InputError, match="a number outside"):
        next(Ranking(bits=3, counts=(2, 2)).order(side, [1, 8]))
