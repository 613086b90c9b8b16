"""The encryption of Damgård, Geisler and Krøigaard: short numbers, short exponents, and a quick test for zero."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

from sfumato.errors import InputError, PeerError, bad_input
from sfumato.party.core.cores import gmp, spread
from sfumato.party.core.paillier import check_modulus, check_units
from sfumato.party.core.range_tree import MOST_BITS
from sfumato.validate import integer

__all__ = ["PLAIN_SPACE", "DgkPrivateKey", "DgkPublicKey", "subgroup_bits"]

PLAIN_SPACE = 773
"""u, the size of the plaintext space: the first prime above 3ℓ + 2 at the longest ℓ, so that no sum of a comparison is
zero by wrapping around."""

assert PLAIN_SPACE > 3 * MOST_BITS + 2


def subgroup_bits(bits: int) -> int:
    """t, the length of the primes that the randomness lives in; collisions in it cost about 2^{t/2}. Shorter for tests.

    >>> subgroup_bits(1024), subgroup_bits(2048), subgroup_bits(3072), subgroup_bits(128)
    (160, 224, 256, 40)
    """
    least = 128
    if bits < least:
        raise bad_input("key", f"{bits} bits", f"at least {least} for this encryption", "take a longer key")
    return 160 if 1024 <= bits < 2048 else 224 if 2048 <= bits < 3072 else 256 if bits >= 3072 else 40


@dataclass(frozen=True)
class DgkPublicKey:
    """N = pq with g of order u·v_p·v_q and h of order v_p·v_q: Enc(m) = gᵐ·hʳ mod N (DGK 2007, corrected 2009).

    Sums and multiples as in Paillier's encryption, but modulo the small prime u, in ciphertexts of half the length,
    with randomness of 2.5·t bits instead of the length of N.

    Parameters
    ----------
    n, g, h : int
    u : int
        Size of the plaintext space.
    """

    n: int
    g: int = field(repr=False)
    h: int = field(repr=False)
    u: int = PLAIN_SPACE

    def __post_init__(self) -> None:
        check_modulus(self.n)
        try:
            check_units((self.g, self.h), self.modulus, self.modulus)
        except PeerError:
            raise bad_input("g and h", "other numbers", "units modulo N") from None
        if self.h == 1 or self.g in (1, self.h):
            raise bad_input("g and h", "trivial ones", "generators of two subgroups")

    @property
    def bits(self) -> int:
        """The length of N."""
        return self.n.bit_length()

    @cached_property
    def modulus(self) -> Any:
        """N as gmpy2 has it."""
        return gmp().mpz(self.n)

    @cached_property
    def width(self) -> int:
        """Bytes of a ciphertext."""
        return (self.bits + 7) // 8

    @property
    def cores(self) -> int | None:
        """As for Paillier's keys."""
        return 1 if self.bits < 512 else None

    def plain(self, value: int) -> Any:
        """gᵐ: an encryption without randomness."""
        return gmp().powmod(self.g, value % self.u, self.modulus)

    def add(self, *ciphertexts: Any) -> Any:
        """The encryption of the sum."""
        total = ciphertexts[0]
        for one in ciphertexts[1:]:
            total = total * one % self.modulus
        return total

    def negative(self, ciphertext: Any) -> Any:
        """The encryption of −m."""
        return gmp().invert(ciphertext, self.modulus)

    def multiply(self, ciphertext: Any, factor: int) -> Any:
        """The encryption of factor·m."""
        return gmp().powmod(ciphertext, factor, self.modulus)

    def random_unit(self) -> int:
        """A uniform element of Z*_u."""
        return 1 + secrets.randbelow(self.u - 1)

    def blind(self, ciphertexts: Sequence[Any]) -> list[Any]:
        """Each times a uniform unit of Z_u and under fresh randomness, on all cores.

        A uniform exponent of 2.5·t bits is uniform modulo v_p·v_q up to 2^{−t/2}, whatever randomness was there before.
        """
        length = 5 * subgroup_bits(self.bits) // 2
        work = [(one, self.random_unit(), secrets.randbits(length)) for one in ciphertexts]
        return spread(lambda item: self._blinded(*item), work, cores=self.cores)

    def _blinded(self, ciphertext: Any, factor: int, randomness: int) -> Any:
        fresh = gmp().powmod(self.h, randomness, self.modulus)
        return self.multiply(ciphertext, factor) * fresh % self.modulus

    def check(self, ciphertexts: Sequence[Any]) -> None:
        """Refuse what is not in Z*_N."""
        check_units(ciphertexts, self.modulus, self.modulus)

    def pack(self) -> bytes:
        """N, g and h as bytes; u is known."""
        return b"".join(one.to_bytes(self.width, "big") for one in (self.n, self.g, self.h))

    @classmethod
    def unpack(cls, data: bytes, bits: int) -> Self:
        """The key of a peer, or :class:`~sfumato.PeerError`. The orders of g and h cannot be seen from outside."""
        width = len(data) // 3
        n, g, h = (int.from_bytes(data[at : at + width], "big") for at in range(0, 3 * width, width))
        if n.bit_length() != bits:
            raise PeerError(f"the peer sent a key of {n.bit_length()} bits: expected {bits}")
        try:
            return cls(n, g, h)
        except InputError:
            raise PeerError("the peer sent a key that is not of the right form") from None


@dataclass(frozen=True, repr=False)
class DgkPrivateKey:
    """The primes p, q with u·v_p | p − 1 and u·v_q | q − 1. It can tell zero from all other numbers, which is enough.

    c^{v_p} mod p takes the randomness away, because h^{v_p} = 1 mod p, and leaves (g^{v_p})ᵐ, which is 1 only for
    m = 0: one exponentiation of t bits modulo a prime of half the length of N.

    Parameters
    ----------
    p, q, vp, vq : int
        Primes.
    public : DgkPublicKey

    Examples
    --------
    >>> key = DgkPrivateKey.generate(128)
    >>> public = key.public
    >>> three, four, seven = key.encrypt([3, 4, public.u - 7])
    >>> key.zeros([three, public.add(three, four, seven), public.multiply(three, public.u)])
    [False, True, True]
    """

    p: int
    q: int
    vp: int
    vq: int
    public: DgkPublicKey

    def __post_init__(self) -> None:
        mpz, u = gmp().mpz, self.public.u
        prime = all(mpz(one).is_prime() for one in (self.p, self.q, self.vp, self.vq, u))
        if not prime or self.p * self.q != self.public.n or len({self.p, self.q, self.vp, self.vq, u}) != 5:
            raise InputError("a private key: expected different primes whose product is N")
        for own, short in ((self.p, self.vp), (self.q, self.vq)):
            g, h = self.public.g % own, self.public.h % own
            form = (own - 1) % (u * short) == 0 and pow(g, u * short, own) == 1 and pow(h, short, own) == 1
            if not form or 1 in (pow(g, short, own), pow(g, u, own), h):
                raise InputError("a private key: expected g of order u·v and h of order v modulo each prime")

    @classmethod
    def generate(cls, bits: int = 2048) -> Self:
        """A new key whose N has that many bits."""
        u, t = PLAIN_SPACE, subgroup_bits(integer("bits", bits, least=2))
        while True:
            halves = [_half(length, u, t) for length in ((bits + 1) // 2, bits // 2)]
            (p, vp, gp, hp), (q, vq, gq, hq) = halves
            # v_p does not divide q − 1, nor v_q p − 1: h then has the order v_p·v_q.
            if (p * q).bit_length() == bits and p != q and (q - 1) % vp and (p - 1) % vq:
                break
        inverse = gmp().invert(q, p)
        g, h = (b + (a - b) * inverse % p * q for a, b in ((gp, gq), (hp, hq)))
        return cls(int(p), int(q), int(vp), int(vq), DgkPublicKey(int(p * q), int(g), int(h), u))

    def encrypt(self, values: Iterable[int]) -> list[Any]:
        """Encryptions of numbers modulo u; the holder knows the order of h and draws randomness below it."""
        order, public = self.vp * self.vq, self.public
        work = [(value, secrets.randbelow(order)) for value in values]
        power = gmp().powmod
        return spread(
            lambda one: public.plain(one[0]) * power(public.h, one[1], public.modulus) % public.modulus,
            work,
            cores=public.cores,
        )

    def zeros(self, ciphertexts: Iterable[Any]) -> list[bool]:
        """Whether each is an encryption of zero, on all cores."""
        power = gmp().powmod
        return spread(lambda one: bool(power(one, self.vp, self.p) == 1), ciphertexts, cores=self.public.cores)

    def __repr__(self) -> str:
        return f"DgkPrivateKey({self.public.bits} bits)"


def _half(length: int, u: int, t: int) -> tuple[Any, Any, Any, Any]:
    """A prime p of that length with u·v | p − 1 for a prime v of t bits; g of order u·v and h of order v modulo p."""
    mpz, power = gmp().mpz, gmp().powmod
    v = mpz(0)
    while not v.is_prime() or v == u:
        v = mpz(secrets.randbits(t) | 1 << (t - 1) | 1)
    step, p = 2 * u * v, mpz(0)
    # Both primes in the upper quarter of their length, so that N has the length that was asked for.
    least, room = (3 << (length - 2)) // step + 1, (1 << (length - 2)) // step
    while not p.is_prime():
        p = step * (least + secrets.randbelow(int(room) - 1)) + 1
    while True:
        g = power(2 + secrets.randbelow(int(p) - 3), (p - 1) // (u * v), p)
        h = power(2 + secrets.randbelow(int(p) - 3), (p - 1) // v, p)
        if 1 not in (power(g, u, p), power(g, v, p), h):
            return p, v, g, h
