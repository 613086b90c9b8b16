"""The encryption of Damgård, Geisler and Krøigaard: identities, the test for zero, keys of the wrong form."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InputError, PeerError
from sfumato.party.core.dgk import PLAIN_SPACE, DgkPrivateKey, DgkPublicKey, subgroup_bits
from sfumato.party.core.range_tree import MOST_BITS

KEY = DgkPrivateKey.generate(128)
U = KEY.public.u


@given(st.integers(-U, 2 * U), st.integers(-U, 2 * U), st.integers(1, U - 1))
def test_sums_and_multiples(a: int, b: int, k: int) -> None:
    """A sum is zero exactly if it is a multiple of u, by the test that the holder has."""
    key = KEY.public
    first, second = KEY.encrypt([a, b])
    found = [first, key.add(first, second), key.add(first, key.negative(first)), key.multiply(first, k)]
    found += [key.add(first, key.plain(-a)), key.add(first, key.plain(1 - a))]
    assert KEY.zeros(found) == [a % U == 0, (a + b) % U == 0, True, a % U == 0, True, False]


def test_every_number_but_zero_is_told_from_zero() -> None:
    assert KEY.zeros(KEY.encrypt(range(U))) == [True] + [False] * (U - 1)
    assert KEY.zeros(KEY.public.blind(KEY.encrypt(range(U)))) == [True] + [False] * (U - 1)


def test_no_sum_of_the_longest_comparison_wraps() -> None:
    """cᵢ = pᵢ − vᵢ ± 1 + 3·Σ is between −2 and 3(ℓ − 1) + 2."""
    assert 3 * (MOST_BITS - 1) + 2 + 2 < PLAIN_SPACE


def test_encryptions_of_one_number_differ() -> None:
    assert len({int(one) for one in KEY.encrypt([5] * 200)}) == 200


def test_what_is_blinded_is_a_uniform_unit_of_the_plain_space() -> None:
    """Sixteen classes of the 772 units, 6 000 draws: χ² with 15 degrees of freedom stays below 80 (1 in 10¹⁰)."""
    power = {pow(KEY.public.g, KEY.vp * m, KEY.p): m for m in range(U)}
    for value in (1, U - 2):
        seen = [power[pow(int(one), KEY.vp, KEY.p)] for one in KEY.public.blind(KEY.encrypt([value]) * 6_000)]
        assert 0 not in seen
        classes = Counter((m - 1) * 16 // (U - 1) for m in seen)
        sizes = Counter((m - 1) * 16 // (U - 1) for m in range(1, U))
        expected = {one: 6_000 * size / (U - 1) for one, size in sizes.items()}
        assert sum((classes[one] - mean) ** 2 / mean for one, mean in expected.items()) < 80


def test_the_randomness_of_what_is_blinded_is_fresh() -> None:
    """A holder that encrypts without randomness cannot see which ciphertexts were only multiplied."""
    bare = [KEY.public.plain(3)] * 500
    fresh = {pow(int(one), U, KEY.public.n) for one in KEY.public.blind(bare)}
    assert len(fresh) == 500  # cᵘ has the randomness alone
    assert pow(int(bare[0]), U * KEY.vp * KEY.vq, KEY.public.n) == 1


def test_real_keys() -> None:
    key = DgkPrivateKey.generate(1024)
    assert (key.public.bits, key.public.width) == (1024, 128)
    assert key.vp.bit_length() == key.vq.bit_length() == 160
    assert key.zeros(key.public.blind(key.encrypt([0, 1, U - 1]))) == [True, False, False]
    assert DgkPublicKey.unpack(key.public.pack(), 1024) == key.public
    assert repr(key) == "DgkPrivateKey(1024 bits)"
    assert str(key.p) not in f"{key!r}{key.public!r}"


@pytest.mark.parametrize("bits", [16, 100, 127])
def test_short_keys_are_refused(bits: int) -> None:
    with pytest.raises(InputError, match="at least 128"):
        subgroup_bits(bits)
    with pytest.raises(InputError, match="take a longer key"):
        DgkPrivateKey.generate(bits)


def test_private_keys_of_the_wrong_form_are_refused() -> None:
    public = KEY.public
    for changes in ({"p": KEY.p + 2}, {"vp": KEY.vq}, {"vp": 3}, {"p": KEY.q, "q": KEY.p}):
        with pytest.raises(InputError, match="a private key"):
            replace(KEY, **changes)
    for wrong in (replace(public, h=public.g * public.h % public.n), replace(public, g=public.h**2 % public.n)):
        with pytest.raises(InputError, match="g of order"):
            replace(KEY, public=wrong)


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        (0, KEY.public.n + 1, "not of the right form"),
        (0, 12345, "a key of 14 bits"),
        (1, 0, "not of the right form"),
        (1, 1, "not of the right form"),
        (1, KEY.p, "not of the right form"),
        (2, KEY.public.n, "not of the right form"),
        (2, 1, "not of the right form"),
    ],
    ids=["even n", "short n", "g = 0", "g = 1", "g with a factor", "h = n", "h = 1"],
)
def test_keys_of_a_peer_are_checked(part: int, value: int, message: str) -> None:
    parts = [KEY.public.n, KEY.public.g, KEY.public.h]
    parts[part] = value
    data = b"".join(one.to_bytes(KEY.public.width, "big") for one in parts)
    with pytest.raises(PeerError, match=message):
        DgkPublicKey.unpack(data, 128)


@pytest.mark.parametrize(
    ("value", "message"),
    [(0, "out of range"), (KEY.public.n, "out of range"), (KEY.p, "not inv")],
    ids=["0", "n", "a factor"],
)
def test_ciphertexts_are_checked(value: int, message: str) -> None:
    with pytest.raises(PeerError, match=message):
        KEY.public.check([1, value])
