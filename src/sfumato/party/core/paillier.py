"""Paillier's encryption: sums and multiples of numbers that nobody can read without the key."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

from sfumato.errors import InputError, PeerError, bad_input
from sfumato.party.core.cores import gmp, spread
from sfumato.validate import choice, extra, integer

__all__ = ["KEY_BITS", "PrivateKey", "PublicKey", "check_modulus", "check_units"]

KEY_BITS = (1024, 2048, 3072, 4096)
"""Lengths of N that may be generated; 1024 bits are for comparison with printed figures only."""

_SMALL = math.prod(k for k in range(3, 2000, 2) if all(k % d for d in range(3, math.isqrt(k) + 1, 2)))


def check_modulus(n: int) -> None:
    """Refuse what cannot be the product of two large odd primes, as far as that can be seen."""
    integer("n", n, least=15)
    number = gmp().mpz(n)
    wrong = number % 2 == 0 or number.is_prime() or number.is_power()
    if n.bit_length() >= 256:
        wrong = wrong or math.gcd(n, _SMALL) > 1
    if wrong:
        raise bad_input("n", "a number of another form", "the product of two large odd primes")


def check_units(ciphertexts: Iterable[Any], bound: Any, modulus: Any) -> None:
    """Refuse what is not from 1 below ``bound`` or shares a factor with N; one greatest common divisor for all."""
    product = gmp().mpz(1)
    for one in ciphertexts:
        if not 0 < one < bound:
            raise PeerError("the peer sent a ciphertext that is out of range")
        product = product * one % modulus
    if gmp().gcd(product, modulus) != 1:
        raise PeerError("the peer sent a ciphertext that is not invertible")


@dataclass(frozen=True)
class PublicKey:
    """The modulus N, with which everybody can encrypt: Enc(m) = (1 + mN)·rᴺ mod N² (Paillier 1999, g = N + 1).

    ``Enc(a)·Enc(b)`` decrypts to a + b, ``Enc(a)ᵏ`` to k·a, all modulo N. Under the decisional composite residuosity
    assumption a ciphertext tells nothing of its number (IND-CPA).

    Parameters
    ----------
    n : int
        An odd number, the product of two primes. Primes, powers and numbers with a factor below 2000 are refused (the
        last only from 256 bits on: tests use tiny keys).

    Examples
    --------
    >>> key = PublicKey(17 * 19)
    >>> key.bits, key.width
    (9, 3)
    """

    n: int

    def __post_init__(self) -> None:
        check_modulus(self.n)

    @property
    def bits(self) -> int:
        """The length of N."""
        return self.n.bit_length()

    @cached_property
    def modulus(self) -> Any:
        """N as gmpy2 has it."""
        return gmp().mpz(self.n)

    @cached_property
    def square(self) -> Any:
        """N²."""
        return self.modulus**2

    @cached_property
    def width(self) -> int:
        """Bytes of a ciphertext."""
        return (self.square.bit_length() + 7) // 8

    @cached_property
    def residue_width(self) -> int:
        """Bytes of a number modulo N."""
        return (self.bits + 7) // 8

    def plain(self, value: int) -> Any:
        """1 + mN: an encryption without randomness, to be added to one that has it."""
        return (1 + (value % self.n) * self.modulus) % self.square

    def add(self, *ciphertexts: Any) -> Any:
        """The encryption of the sum."""
        total = ciphertexts[0]
        for one in ciphertexts[1:]:
            total = total * one % self.square
        return total

    def negative(self, ciphertext: Any) -> Any:
        """The encryption of −m."""
        return gmp().invert(ciphertext, self.square)

    def multiply(self, ciphertext: Any, factor: int) -> Any:
        """The encryption of factor·m; the randomness is raised along, so re-randomise before it is sent."""
        return gmp().powmod(ciphertext, factor, self.square)

    def multiply_all(self, ciphertexts: Sequence[Any], factors: Sequence[int]) -> list[Any]:
        """:meth:`multiply` of each with its factor, on all cores."""
        pairs = zip(ciphertexts, factors, strict=True)
        return spread(lambda pair: self.multiply(*pair), pairs, cores=self.cores)

    @property
    def cores(self) -> int | None:
        """One for tiny keys, whose arithmetic is cheaper than handing it to a thread; all for others."""
        return 1 if self.bits < 512 else None

    def random_unit(self) -> int:
        """A uniform element of Z*_N."""
        while True:
            drawn = 1 + secrets.randbelow(self.n - 1)
            if math.gcd(drawn, self.n) == 1:
                return drawn

    def randomisers(self, count: int) -> list[Any]:
        """Uniform N-th residues rᴺ mod N², each an encryption of 0; one exponentiation each."""
        drawn = [self.random_unit() for _ in range(count)]
        return spread(lambda r: gmp().powmod(r, self.modulus, self.square), drawn, cores=self.cores)

    def check(self, ciphertexts: Sequence[Any]) -> None:
        """Refuse what is not in Z*_{N²}; one greatest common divisor for all of them."""
        check_units(ciphertexts, self.square, self.modulus)


@dataclass(frozen=True, repr=False)
class PrivateKey:
    """The two primes. Decryption and, for the holder, encryption are computed modulo p² and q² and put together.

    Parameters
    ----------
    p, q : int
        Different odd primes such that N = pq has no factor in common with (p − 1)(q − 1).

    Examples
    --------
    >>> key = PrivateKey(17, 19)
    >>> sum(key.decrypt([key.public.add(key.encrypt([20])[0], key.encrypt([22])[0])]))
    42
    >>> key
    PrivateKey(9 bits)
    """

    p: int = field(repr=False)
    q: int = field(repr=False)

    def __post_init__(self) -> None:
        for prime in (self.p, self.q):
            if isinstance(prime, bool) or not isinstance(prime, int) or prime < 3 or not gmp().mpz(prime).is_prime():
                raise InputError("a private key: expected two odd primes")
        n = self.p * self.q
        if self.p == self.q or math.gcd(n, (self.p - 1) * (self.q - 1)) != 1:
            raise InputError("a private key: expected different primes, neither dividing the other less one")

    @classmethod
    def generate(cls, bits: int = 2048) -> Self:
        """A new key whose N has that many bits; the primes come from OpenSSL."""
        choice("bits", bits, KEY_BITS, "2048 or more protect something")
        rsa = extra("cryptography.hazmat.primitives.asymmetric.rsa", "party")
        numbers = rsa.generate_private_key(public_exponent=65537, key_size=bits).private_numbers()
        return cls(numbers.p, numbers.q)

    @cached_property
    def public(self) -> PublicKey:
        """What the other side gets."""
        return PublicKey(self.p * self.q)

    @cached_property
    def _halves(self) -> tuple[tuple[Any, Any, Any], ...]:
        """For each prime: p, p², and 1/L(gᵖ⁻¹ mod p²) = 1/((p − 1)·N/p) mod p, up to sign."""
        n, mpz, invert = self.public.modulus, gmp().mpz, gmp().invert
        found = []
        for prime in (mpz(self.p), mpz(self.q)):
            shift = ((1 + n * (prime - 1)) % prime**2 - 1) // prime
            found.append((prime, prime**2, invert(shift, prime)))
        return tuple(found)

    @cached_property
    def _mix(self) -> tuple[Any, Any]:
        """q⁻¹ mod p, and q⁻² mod p², for the Chinese remainder theorem."""
        p, q, invert = gmp().mpz(self.p), gmp().mpz(self.q), gmp().invert
        return invert(q, p), invert(q * q, p * p)

    def _decrypt(self, ciphertext: Any) -> int:
        (p, pp, hp), (q, qq, hq) = self._halves
        powmod = gmp().powmod
        mp = (powmod(ciphertext, p - 1, pp) - 1) // p * hp % p
        mq = (powmod(ciphertext, q - 1, qq) - 1) // q * hq % q
        return int(mq + (mp - mq) * self._mix[0] % p * q)

    def decrypt(self, ciphertexts: Iterable[Any]) -> list[int]:
        """The numbers modulo N, on all cores."""
        return spread(self._decrypt, ciphertexts, cores=self.public.cores)

    def _randomiser(self, _: int) -> Any:
        # x ↦ xᵖ maps Z*_{p²} onto its p-th powers and depends on x mod p alone, so a uniform u < p is enough; modulo
        # p² the N-th powers are the p-th powers, because q has no factor in common with p(p − 1).
        (p, pp, _hp), (q, qq, _hq) = self._halves
        powmod = gmp().powmod
        a = powmod(1 + secrets.randbelow(self.p - 1), p, pp)
        b = powmod(1 + secrets.randbelow(self.q - 1), q, qq)
        return b + (a - b) * self._mix[1] % pp * qq

    def randomisers(self, count: int) -> list[Any]:
        """Uniform N-th residues, as :meth:`PublicKey.randomisers`, at about a third of its cost."""
        return spread(self._randomiser, range(count), cores=self.public.cores)

    def encrypt(self, values: Iterable[int]) -> list[Any]:
        """Encryptions of the numbers, made with the key."""
        given = list(values)
        made = self.randomisers(len(given))
        return [self.public.add(self.public.plain(m), r) for m, r in zip(given, made, strict=True)]

    def randomness(self, ciphertext: Any) -> int:
        """The r of a ciphertext; only the holder of the key can find it, which is why the other re-randomises."""
        n, order = self.public.modulus, (self.p - 1) * (self.q - 1)
        return int(gmp().powmod(ciphertext % n, gmp().invert(n, order), n))

    def __repr__(self) -> str:
        return f"PrivateKey({self.public.bits} bits)"
