"""What one party has: its role, its key, the other's public key, and randomness made ahead for both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import InputError
from sfumato.party.core.dgk import DgkPrivateKey
from sfumato.party.core.holding import Role
from sfumato.party.core.paillier import PrivateKey, PublicKey
from sfumato.party.core.randomiser import Pool

__all__ = ["Side", "make_sides"]


@dataclass(eq=False)
class Side:
    """One party.

    Parameters
    ----------
    role : {"alice", "bob"}
    key : PrivateKey, optional
        Its own.
    peer : PublicKey, optional
        The other's.
    """

    role: Role
    key: PrivateKey | None = None
    peer: PublicKey | None = None
    pools: dict[int, Pool] = field(default_factory=dict, repr=False)
    _short_key: DgkPrivateKey | None = field(default=None, init=False, repr=False)

    @property
    def other(self) -> Role:
        """The role of the other party."""
        return "bob" if self.role == "alice" else "alice"

    def private(self) -> PrivateKey:
        """Its own key, which the plan asks for."""
        if self.key is None:
            raise InputError(f"{self.role} has no key: this type of comparison needs one")
        return self.key

    def short_key(self) -> DgkPrivateKey:
        """Its key for comparisons of bits, as long as its own; made when first asked for."""
        if self._short_key is None:
            self._short_key = DgkPrivateKey.generate(self.private().public.bits)
        return self._short_key

    def public(self, owner: Role) -> PublicKey:
        """The public key of one of the parties."""
        found = (self.key.public if self.key is not None else None) if owner == self.role else self.peer
        if found is None:
            raise InputError(f"{self.role} has no key of {owner}: this type of comparison needs one")
        return found

    def pool(self, owner: Role) -> Pool:
        """The randomness under a key; it stays from one comparison to the next."""
        key = self.public(owner)
        if key.n not in self.pools:
            self.pools[key.n] = Pool(self.private() if owner == self.role else key)
        return self.pools[key.n]

    def encrypt(self, owner: Role, values: Iterable[int]) -> list[Any]:
        """Encryptions under the key of a party."""
        return self.pool(owner).encrypt(values)

    def refresh(self, owner: Role, ciphertexts: Sequence[Any]) -> list[Any]:
        """The same numbers under fresh randomness."""
        return self.pool(owner).refresh(ciphertexts)


def make_sides(alice: PrivateKey | None = None, bob: PrivateKey | None = None) -> tuple[Side, Side]:
    """Two parties in one process that know each other's public keys; Alice gets a new key if neither has one.

    >>> make_sides(PrivateKey(17, 19))[1].role
    'bob'
    """
    if alice is None and bob is None:
        alice = PrivateKey.generate()
    publics = [None if key is None else key.public for key in (alice, bob)]
    return Side("alice", alice, publics[1]), Side("bob", bob, publics[0])
