"""Points and ranges as nodes of a tree (spec C6)."""

from __future__ import annotations

from collections import Counter

import pytest

from sfumato.errors import InputError
from sfumato.party.core.range_tree import bits_of_domain, point_nodes, range_nodes
from sfumato.party.protocols.tree_comparator import helper_range


def test_the_printed_example() -> None:
    """n = 8: pointEnc(6), rangeEnc([4, 8]), rangeEnc([1, 3])."""
    assert point_nodes(6, 3) == [(0, 6), (1, 3), (2, 2), (3, 1)]
    assert set(range_nodes(4, 8, 3)) == {(0, 4), (2, 2)}
    assert set(range_nodes(1, 3, 3)) == {(0, 3), (1, 1)}


@pytest.mark.parametrize("bits", [1, 2, 3, 4, 5, 6])
def test_a_point_and_a_range_share_one_node_or_none(bits: int) -> None:
    """Lemmas 8.2 to 8.4, exhaustively up to n = 64."""
    points = {point: set(point_nodes(point, bits)) for point in range(1, 2**bits + 1)}
    for low in range(1, 2**bits + 2):
        for high in range(low - 1, 2**bits + 1):
            nodes = range_nodes(low, high, bits)
            per_layer = Counter(layer for layer, _ in nodes)
            assert max(per_layer.values(), default=0) <= (1 if low == 1 or high == 2**bits else 2)
            for point, above in points.items():
                assert len(above & set(nodes)) == (low <= point <= high)


def test_the_printed_layers_miss_a_point() -> None:
    """Without layer 0, as printed (i ∈ [1, log n]), the point 4 and the range [4, 8] share nothing."""
    printed = [node for node in point_nodes(4, 3) if node[0] >= 1]
    assert not set(printed) & set(range_nodes(4, 8, 3))


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_the_printed_saving_is_wrong_for_the_complement(bits: int) -> None:
    """y = 1 with the coin 1 is the empty range; “if y = 1, send one zero” would say that every point lies in it."""
    assert helper_range(0, 1, bits) == []
    assert helper_range(0, 0, bits) == [(bits, 1)]
    roots = [(y, coin) for y in range(2**bits) for coin in (0, 1) if (bits, 1) in helper_range(y, coin, bits)]
    assert roots == [(0, 0)]


@pytest.mark.parametrize("size", [0, 1, 3, 12, 2**257, 4.0, True])
def test_domains_that_are_no_power_of_two(size: int) -> None:
    with pytest.raises(InputError, match="domain"):
        bits_of_domain(size)


@pytest.mark.parametrize("call", [lambda: point_nodes(0, 3), lambda: point_nodes(9, 3), lambda: range_nodes(0, 3, 3)])
def test_points_outside_are_refused(call: object) -> None:
    with pytest.raises(InputError):
        call()  # type: ignore[operator]


@pytest.mark.parametrize(("low", "high"), [(1, 9), (5, 3), (10, 8)])
def test_ranges_outside_are_refused(low: int, high: int) -> None:
    with pytest.raises(InputError):
        range_nodes(low, high, 3)
