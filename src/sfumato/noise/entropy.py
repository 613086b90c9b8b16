"""Where randomness comes from.

``rng=None`` everywhere in sfumato means a fresh cryptographic generator keyed by the operating system. A seeded
generator makes an experiment repeatable and its release worthless as protection: who knows the seed can subtract
the noise.
"""

from __future__ import annotations

import os
import secrets
import weakref
from typing import Any, NoReturn

import numpy as np

from sfumato.errors import bad_input
from sfumato.validate import integer

__all__ = ["Rng", "SecureRng", "is_secure", "resolve_rng", "secure_rng", "seeded_rng"]

Rng = np.random.Generator


class SecureRng(np.random.Generator):
    """A generator whose stream nobody else has: it takes a new key after a fork, and cannot be copied or pickled."""

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a secure generator cannot be copied or pickled: two with one stream would give the noise away; "
            "pass rng=None and every process makes its own"
        )

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        self.__reduce__()

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        """Generators with keys of their own, which take new ones after a fork as this one does."""
        return [secure_rng() for _ in range(n_children)]


_living: weakref.WeakSet[SecureRng] = weakref.WeakSet()


def secure_rng() -> Rng:
    """A numpy Generator over AES-128 in counter mode, whose key is 128 bits from the operating system.

    A new one for every release costs 0.1 ms. One that is passed on takes a new key in every forked process and refuses
    to be pickled or copied, so that no two processes, and no two releases, draw the same noise.

    >>> import copy
    >>> copy.copy(secure_rng())
    Traceback (most recent call last):
    TypeError: a secure generator cannot be copied or pickled: ...
    """
    from randomgen import AESCounter

    rng = SecureRng(AESCounter(key=secrets.randbits(128)))  # the key itself; a seed would be hashed into one first
    _living.add(rng)
    return rng


def _take_new_keys() -> None:
    """Runs in a forked process before anything else: its generators must not continue the streams of its parent."""
    from randomgen import AESCounter

    for rng in list(_living):
        rng.bit_generator.state = AESCounter(key=secrets.randbits(128)).state


if hasattr(os, "register_at_fork"):  # there is no fork on Windows
    os.register_at_fork(after_in_child=_take_new_keys)


def seeded_rng(seed: int) -> Rng:
    """A repeatable generator, for experiments only.

    >>> bool(seeded_rng(1).integers(100) == seeded_rng(1).integers(100))
    True
    """
    return np.random.default_rng(integer("seed", seed, least=0))


def resolve_rng(rng: Rng | None) -> Rng:
    """``rng`` itself, or a :func:`secure_rng` for ``None``."""
    if rng is None:
        return secure_rng()
    if not isinstance(rng, np.random.Generator):
        raise bad_input("rng", rng, "a numpy Generator or None", "seeded_rng(seed) makes one for experiments")
    return rng


def is_secure(rng: Rng) -> bool:
    """Whether the generator is a :func:`secure_rng`.

    >>> is_secure(secure_rng()), is_secure(seeded_rng(1))
    (True, False)
    """
    return isinstance(rng, SecureRng)
