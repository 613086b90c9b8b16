"""All 216 types of comparison through the router: exhaustively right, with the messages that the plan counts."""

from __future__ import annotations

from itertools import product

import pytest

from helpers.party_holdings import ALICE, run_type, tiny_sides
from sfumato.errors import InputError
from sfumato.party import (
    BitwiseComparator,
    BooleanComparator,
    Comparison,
    ComparisonType,
    DgkComparator,
    Holding,
    PrivateKey,
    all_types,
    make_sides,
    plan,
    run_together,
    split,
)

TYPES = list(all_types())
PAIRS = list(product(range(16), repeat=2))
TRUE = [int(x >= y) for x, y in PAIRS]


def test_216_types_of_which_42_are_trivial() -> None:
    """Lemma 8.1."""
    assert len(TYPES) == 216
    assert sum(one.trivial for one in TYPES) == 42
    pairs = {(one.x.value, one.y.value) for one in TYPES if one.trivial}
    assert pairs == {
        ("PN", "PN"), ("PP", "PN"), ("PN", "PP"), ("NP", "NP"), ("PP", "NP"), ("NP", "PP"), ("PP", "PP"),
    }  # fmt: skip


@pytest.mark.parametrize("shares", ["additive", "bits"])
@pytest.mark.parametrize("x", list(Holding), ids=lambda one: one.value)
def test_every_type_is_right_for_all_numbers_up_to_16(x: Holding, shares: str) -> None:
    """Acceptance test 9: every x, y < 16 in all types, the trivial ones too; messages and ciphertexts as planned."""
    for one in TYPES:
        if one.x is not x or (shares == "bits" and one.answer is not Holding.SS):
            continue
        chosen = plan(one, shares=shares)  # type: ignore[arg-type]
        found, sent = run_type(chosen, [a for a, _ in PAIRS], [b for _, b in PAIRS], 4)
        assert found == TRUE, one
        assert sent.messages == chosen.messages(4), one
        assert sent.ciphertexts == len(PAIRS) * chosen.ciphertexts(4), one


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_every_type_is_right_in_smaller_domains(bits: int) -> None:
    pairs = list(product(range(1 << bits), repeat=2))
    for one in TYPES:
        found, _ = run_type(plan(one), [a for a, _ in pairs], [b for _, b in pairs], bits)
        assert found == [int(a >= b) for a, b in pairs], one


@pytest.mark.parametrize("text", ["PN-NP-PN", "PN-NP-NP", "NP-PN-PP", "NP-PN-SS", "SS-SS-SS", "ES-SE-PP"])
def test_the_bitwise_comparator_agrees(text: str) -> None:
    chosen, comparator = plan(text), BitwiseComparator()
    found, sent = run_type(chosen, [a for a, _ in PAIRS], [b for _, b in PAIRS], 4, comparator=comparator)
    assert found == TRUE
    assert sent.messages == chosen.messages(4, comparator)
    assert sent.ciphertexts == len(PAIRS) * chosen.ciphertexts(4, comparator)


PRIMES = (18446744073709551629, 18446744073709551653, 18446744073709551667, 18446744073709551697)
"""The first four above 2⁶⁴."""

SHORT = make_sides(PrivateKey(*PRIMES[:2]), PrivateKey(*PRIMES[2:]))
"""Keys of 129 bits, and with them one key each of the other encryption, made once."""


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
@pytest.mark.parametrize("text", ["PN-NP-PN", "PN-NP-NP", "NP-PN-PP", "NP-PN-SS", "SS-SS-SS", "SE-SE-PP"])
def test_the_comparator_with_the_encryption_of_dgk_agrees(text: str, bits: int) -> None:
    """For all numbers of up to 4 bits, also behind Conversion 5."""
    pairs = list(product(range(1 << bits), repeat=2))
    chosen, comparator = plan(text, shares="bits"), DgkComparator()
    made = Comparison(plan=chosen, bits=bits, count=len(pairs), comparator=comparator)
    key = SHORT[0].public("alice")
    held = []
    for holding, values in zip((chosen.type.x, chosen.type.y), zip(*pairs, strict=True), strict=True):
        if holding is Holding.SS:
            held.append(tuple(zip(*(split(key, value) for value in values), strict=True)))
        elif holding is Holding.SE:
            held.append((None, SHORT[1].encrypt("alice", values)))
        else:
            held.append(tuple(list(values) if holding.known_to(who) else None for who in ("alice", "bob")))
    a, b, sent = run_together(*(made.steps(side, held[0][k], held[1][k]) for k, side in enumerate(SHORT)))
    true = [int(p >= q) for p, q in pairs]
    if text.endswith("SS"):
        assert [p ^ q for p, q in zip(a, b, strict=True)] == true
    else:
        assert [one for one in (a, b) if one is not None] == [true] * (2 if text.endswith("PP") else 1)
    assert sent.messages == chosen.messages(bits, comparator)
    assert sent.ciphertexts == len(pairs) * chosen.ciphertexts(bits, comparator)


@pytest.mark.parametrize("text", ["PN-NP-PN", "PN-NP-NP", "NP-PN-PP", "NP-PN-SS"])
@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_the_boolean_comparator_agrees(text: str, bits: int) -> None:
    """It needs room for a slot of 64 bits, so its keys are a little longer."""
    alice, bob = make_sides(PrivateKey(*PRIMES[:2]), PrivateKey(*PRIMES[2:]))
    pairs = list(product(range(1 << bits), repeat=2))
    chosen, comparator = plan(text, shares="bits"), BooleanComparator(slots=1)
    made = Comparison(plan=chosen, bits=bits, count=len(pairs), comparator=comparator)
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    first, second = (x, None) if text.startswith("PN") else (None, x), (None, y) if text.startswith("PN") else (y, None)
    a, b, sent = run_together(made.steps(alice, first[0], second[0]), made.steps(bob, first[1], second[1]))
    true = [int(p >= q) for p, q in pairs]
    if text.endswith("SS"):
        assert [p ^ q for p, q in zip(a, b, strict=True)] == true
    else:
        assert true == (a if a is not None else b)
    assert sent.messages == chosen.messages(bits, comparator)
    assert sent.ciphertexts == comparator.ciphertexts(bits, len(pairs))


def test_type_1_takes_6_messages_and_2l_plus_6_ciphertexts() -> None:
    for bits in (1, 4, 10, 12):
        chosen = plan("1")
        found, sent = run_type(chosen, [1], [0], bits)
        assert found == [1]
        assert (sent.messages, sent.ciphertexts) == (6, 2 * bits + 6)
        assert sent.payload == ALICE.public.width * (2 * bits + 6)
    assert [who for who, _ in plan("1").flow(8)] == ["alice", "bob"] * 3
    assert "6 messages, 2ℓ + 6 ciphertexts." in plan("1").explain()


def test_bits_instead_of_numbers_save_two_messages_and_three_ciphertexts() -> None:
    """δ is 0 or 1, so the parities of z div n and b div n are all that is needed of them."""
    chosen = plan("1", shares="bits")
    found, sent = run_type(chosen, [3, 4], [4, 3], 4)
    assert found == [0, 1]
    assert (sent.messages, sent.ciphertexts) == (4, 2 * (2 * 4 + 3))


def test_type_8_has_x_bit_by_bit() -> None:
    alice, bob = tiny_sides(plan("8"))
    pairs = list(product(range(8), repeat=2))
    bits = [a >> place & 1 for a, _ in pairs for place in range(3)]
    made = Comparison(plan=plan("8"), bits=3, count=len(pairs))
    x, y = bob.encrypt("alice", bits), bob.encrypt("alice", [b for _, b in pairs])
    none, hidden, _ = run_together(made.steps(alice), made.steps(bob, x, y))
    assert none is None
    assert ALICE.decrypt(hidden) == [int(a >= b) for a, b in pairs]


@pytest.mark.parametrize("text", ["2", "PN-NP-ES", "ES-ES-SE", "ES-SE-SS", "NP-PN-PP", "PP-PP-SS", "6", "7", "8"])
def test_plans_say_what_they_do(text: str) -> None:
    words = plan(text).explain()
    assert str(ComparisonType.parse(text)) in words
    assert words.splitlines()[-1].endswith(("ciphertexts.", "ciphertext."))


def test_the_plans_of_all_types_can_be_said() -> None:
    for one in TYPES:
        assert len(plan(one).explain().splitlines()) >= 3


@pytest.mark.parametrize("text", ["", "SS-SS", "SS-SS-XX", "9", "PN-NP-SS-SS"])
def test_unknown_types_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="three of ES, SE"):
        plan(text)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([16], None, "0 to 2\\^4"),
        ([-1], None, "0 to 2\\^4"),
        ([1.0], None, "whole number"),
        ([True], None, "whole number"),
        ([1, 2], None, "length of x"),
        (None, None, "expected what alice holds"),
        ([1], [1], "holds nothing of it"),
    ],
)
def test_bad_values_are_refused_without_showing_them(x: list[int], y: list[int], message: str) -> None:
    alice, _ = tiny_sides()
    with pytest.raises(InputError, match=message) as caught:
        next(Comparison(plan=plan("PN-NP-PN"), bits=4, count=1).steps(alice, x, y))
    assert "16" not in str(caught.value)


def test_bad_shares_and_ciphertexts_are_refused() -> None:
    from sfumato.errors import PeerError

    alice, bob = tiny_sides(plan("1"))
    with pytest.raises(InputError, match="shares from 0"):
        next(Comparison(plan=plan("1"), bits=4).steps(alice, [ALICE.public.n], [0]))
    for wrong in (0, ALICE.public.square, ALICE.p):
        with pytest.raises(PeerError, match="ciphertext"):
            next(Comparison(plan=plan("2"), bits=4).steps(bob, [wrong], [1]))


@pytest.mark.parametrize("bits", [13, 14, 40])
def test_numbers_that_the_key_cannot_hold_are_refused(bits: int) -> None:
    """Both primes must be larger than n, or a difference might not be a unit."""
    alice, _ = tiny_sides()
    with pytest.raises(InputError, match="take a longer key"):
        next(Comparison(plan=plan("PN-NP-PN"), bits=max(bits, 14)).steps(alice, [1]))


def test_a_missing_key_is_said() -> None:
    alice, _ = make_sides(None, PrivateKey(1009, 1013))
    with pytest.raises(InputError, match="alice has no key"):
        next(Comparison(plan=plan("PN-NP-PN"), bits=4).steps(alice, [1]))


def test_noise_turns_what_is_shown() -> None:
    """In every type whose answer is shown, a party that turns its part turns the answer."""
    for text in ("PN-NP-PP", "NP-PN-PP", "SS-SS-PP", "SE-NP-PP"):
        chosen = plan(text)
        sides = tiny_sides(chosen)
        from helpers.party_holdings import hold

        x, y = hold(chosen.type.x, [5, 5], chosen, sides), hold(chosen.type.y, [3, 9], chosen, sides)
        made = Comparison(plan=chosen, bits=4, count=2)
        for who in (0, 1):
            turned = [
                made.steps(side, x[k], y[k], flips=lambda count: [1] * count)
                if k == who
                else made.steps(side, x[k], y[k])
                for k, side in enumerate(sides)
            ]
            assert run_together(*turned)[:2] == ([0, 1], [0, 1]), text
        both = [made.steps(side, x[k], y[k], flips=lambda count: [1, 0]) for k, side in enumerate(sides)]
        assert run_together(*both)[0] == [1, 0], text


@pytest.mark.parametrize(("text", "who"), [("PN-NP-SS", 0), ("PN-NP-PN", 0), ("PN-NP-NP", 1), ("SS-SS-SE", 1)])
def test_noise_where_nothing_is_shown_is_refused(text: str, who: int) -> None:
    """It would be dropped silently."""
    side = tiny_sides()[who]
    with pytest.raises(InputError, match="shows no answer"):
        next(Comparison(plan=plan(text), bits=4).steps(side, flips=lambda count: [0] * count))


def test_shares_are_uniform_whatever_the_number() -> None:
    """Conversion 1 on 4 000 draws: the first share falls in each quarter of Z_N as often, for both ends.

    Six standard deviations: one false alarm in 10⁸.
    """
    key = ALICE.public
    for value in (0, key.n - 1):
        shares = [split(key, value) for _ in range(4_000)]
        assert all(sum(pair) % key.n == value for pair in shares)
        for part in (0, 1):
            quarter = sum(pair[part] < key.n // 4 for pair in shares)
            assert abs(quarter - 1_000) < 6 * (4_000 * 3 / 16) ** 0.5
