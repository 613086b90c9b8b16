"""Paillier's encryption: homomorphic identities, both ways to make randomness, keys of the wrong form."""

from __future__ import annotations

import math
import secrets
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InputError, PeerError
from sfumato.party import Pool, PrivateKey, PublicKey
from sfumato.party.core.cores import spread

TINY = PrivateKey(1009, 1013)
N = TINY.public.n


@given(st.integers(0, N - 1), st.integers(0, N - 1), st.integers(0, N - 1))
def test_sums_and_multiples(a: int, b: int, k: int) -> None:
    key = TINY.public
    first, second = Pool(key).encrypt([a, b])
    assert TINY.decrypt([first, second]) == [a, b]
    assert TINY.decrypt([key.add(first, second)]) == [(a + b) % N]
    assert TINY.decrypt([key.negative(first)]) == [-a % N]
    assert TINY.decrypt([key.multiply(first, k)]) == [a * k % N]
    assert TINY.decrypt([key.add(first, key.plain(-b))]) == [(a - b) % N]


def test_every_number_and_every_randomness_of_a_tiny_key() -> None:
    """Decryption is the inverse of encryption for all of Z*_{N²}, for N = 77."""
    key = PrivateKey(7, 11)
    found = set()
    for m in range(77):
        for r in range(1, 77):
            if math.gcd(r, 77) == 1:
                c = key.public.add(key.public.plain(m), pow(r, 77, 77**2))
                assert key.decrypt([c]) == [m]
                assert key.randomness(c) == r
                found.add(int(c))
    assert len(found) == 77 * 60


@pytest.mark.parametrize("private", [False, True], ids=["public key", "private key"])
def test_randomisers_are_uniform_residues(private: bool) -> None:
    """60 residues of N = 77, 12 000 draws: χ² with 59 degrees of freedom stays below 150 (1 in 10⁹)."""
    key = PrivateKey(7, 11)
    drawn = Counter(int(one) for one in (key if private else key.public).randomisers(12_000))
    assert set(drawn) == {pow(r, 77, 77**2) for r in range(77) if math.gcd(r, 77) == 1}
    assert sum((count - 200) ** 2 / 200 for count in drawn.values()) < 150


def test_real_keys() -> None:
    key = PrivateKey.generate(1024)
    assert key.public.bits == 1024
    assert key.public.width == 256
    values = [0, 1, key.public.n - 1, secrets.randbelow(key.public.n)]
    assert key.decrypt(key.encrypt(values)) == values
    assert key.decrypt(Pool(key.public).encrypt(values)) == values
    assert str(key.p) not in repr(key)


def test_a_pool_is_used_up() -> None:
    pool = Pool(TINY)
    pool.fill(3)
    before = list(pool._ready)
    taken = pool.take(5)
    assert taken[:3] == before
    assert len(pool) == 0
    pool.fill(0)
    assert len(pool) == 0


@pytest.mark.parametrize("n", [16, 1009, 1009**2, 3**20, 14, -5, 2.0, True, None])
def test_public_keys_of_the_wrong_form_are_refused(n: object) -> None:
    with pytest.raises(InputError):
        PublicKey(n)  # type: ignore[arg-type]


def test_a_long_key_with_a_small_factor_is_refused() -> None:
    with pytest.raises(InputError, match="large odd primes"):
        PublicKey(3 * (2**521 - 1))


@pytest.mark.parametrize(("p", "q"), [(7, 7), (9, 11), (2, 11), (7, 43), (7, 1.0), (True, 11)])
def test_private_keys_of_the_wrong_form_are_refused(p: int, q: int) -> None:
    """43 − 1 is a multiple of 7: N-th powers would not be what they should."""
    with pytest.raises(InputError, match="private key"):
        PrivateKey(p, q)


@pytest.mark.parametrize("bits", [0, 512, 1000, 2049, "2048"])
def test_key_lengths(bits: int) -> None:
    with pytest.raises(InputError, match="2048 or more"):
        PrivateKey.generate(bits)


@pytest.mark.parametrize("wrong", [0, N**2, 1009, 1013 * 5, N])
def test_what_is_no_ciphertext_is_refused(wrong: int) -> None:
    good = TINY.encrypt([1, 2])
    with pytest.raises(PeerError, match="ciphertext"):
        TINY.public.check([good[0], wrong, good[1]])
    TINY.public.check(good)


def test_work_is_spread_in_order() -> None:
    assert spread(lambda k: k * k, range(100), cores=4) == [k * k for k in range(100)]
    assert spread(lambda k: k, []) == []
    with pytest.raises(ZeroDivisionError):
        spread(lambda k: 1 // k, [1, 0, 2], cores=2)
