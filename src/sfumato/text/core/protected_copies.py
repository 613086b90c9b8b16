"""Releases of one's own: what an attacker or analyst makes who knows how texts were protected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng

__all__ = ["protected_copies"]


def protected_copies(
    mechanism: Mechanism | None, texts: Sequence[str], labels: NDArray[Any], copies: int, rng: Rng
) -> tuple[list[str], NDArray[Any]]:
    """The texts protected anew, several times, with their labels; only once if nothing about it is random."""
    if mechanism is None:
        raise bad_input("mechanism", None, "the method of the release", "texts of one's own are protected by it")
    made: list[str] = []
    for copy in range(copies):
        again = list(mechanism.release(list(texts), rng=rng))
        if copy == 1 and again == made:
            break
        made += again
    return made, np.tile(labels, len(made) // max(1, len(texts)))
