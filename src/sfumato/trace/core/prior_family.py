"""Families of priors: what attackers may know of how people move, as several kernels that a promise covers at once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from sfumato.errors import InputError, bad_input
from sfumato.trace.core.kernel import Kernel, Matern, White
from sfumato.trace.core.kernel_record import kernel_of, kernel_record
from sfumato.trace.core.state_space import markov_parts

__all__ = ["PriorFamily", "family_of", "walking_family"]


@dataclass(frozen=True, kw_only=True)
class PriorFamily:
    """Several kernels, each a way in which people may move; times in seconds, places in metres.

    A promise for a family holds under each of its kernels and any mean. Noise that hides a place under a kernel hides
    it also if the path deviates more, or the receiver errs more, at the same length: M grows with both, and so κ falls.
    With a drift beside it this holds for the receiver's error only.

    Parameters
    ----------
    name : str
        Short, for cards and ledgers.
    kernels : tuple of Kernel
        Sums of :class:`~sfumato.trace.Matern` and :class:`~sfumato.trace.White`.
    title : str
        The family in a few words, for promises.
    provenance : str
        Where the kernels come from.
    """

    name: str
    kernels: tuple[Kernel, ...]
    title: str = ""
    provenance: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "kernels", tuple(self.kernels))
        if not self.name or not self.kernels:
            raise bad_input("family", (self.name, len(self.kernels)), "a name and at least one kernel")
        for kernel in self.kernels:
            markov_parts(kernel)

    @property
    def lengths(self) -> tuple[float, float]:
        """The shortest and the longest length of the paths themselves, drifts aside."""
        firsts = [markov_parts(kernel)[0][0].length for kernel in self.kernels]
        return min(firsts), max(firsts)

    @property
    def summary(self) -> str:
        """The family and the range of smoothness that it covers, for a promise."""
        low, high = self.lengths
        kinds = sorted({f"{markov_parts(kernel)[0][0].nu * 2:g}/2" for kernel in self.kernels})
        span = f"{low:g} s" if low == high else f"{low:g} to {high:g} s"
        several = f"{len(self.kernels)} kernels, " if len(self.kernels) > 1 else ""
        return f"paths of the family {self.name} ({several}Matérn {' and '.join(kinds)} with lengths of {span})"

    def __str__(self) -> str:
        return self.summary

    def record(self) -> dict[str, Any]:
        """The family as plain values; :func:`family_of` reads them."""
        return {
            "name": self.name,
            "title": self.title,
            "provenance": self.provenance,
            "kernels": [kernel_record(kernel) for kernel in self.kernels],
        }


@cache
def walking_family() -> PriorFamily:
    """The family that ships with the toolkit: seven Matérn kernels with lengths in seconds, two around a slow drift.

    RBF kernels are not in it: they fit real paths worst, and an attacker who assumes one is only overconfident. Nor is
    an unknown constant mean, which would ask for a shift of the whole path; the drift stands for it.

    >>> print(walking_family())
    paths of the family walking-2026 (7 kernels, Matérn 3/2 and 5/2 with lengths of 10 to 1280 s)
    """
    text = (resources.files("sfumato.trace.core") / "movement.json").read_text(encoding="utf-8")
    given = json.loads(text)
    drift = _matern(given["drift"])
    kernels: list[Kernel] = []
    for one in given["kernels"]:
        parts: Kernel = _matern(one) + drift if one["drift"] else _matern(one)
        kernels.append(parts + White(variance=one["white"] ** 2))
    return PriorFamily(name=given["name"], title=given["title"], provenance=given["provenance"], kernels=tuple(kernels))


def family_of(prior: PriorFamily | Kernel | Sequence[Kernel] | Mapping[str, Any] | None) -> PriorFamily:
    """The family that a prior stands for: the shipped one for none, a family of one's own for kernels or a record.

    >>> family_of(Matern(length=60.0, variance=9e4) + White(variance=25.0)).summary
    'paths of the family of-its-own (Matérn 3/2 with lengths of 60 s)'
    """
    if prior is None:
        return walking_family()
    if isinstance(prior, PriorFamily):
        return prior
    if isinstance(prior, Kernel):
        return PriorFamily(name="of-its-own", kernels=(prior,))
    if isinstance(prior, Mapping):
        try:
            kernels = tuple(kernel_of(one) for one in prior["kernels"])
            texts = {name: str(prior.get(name, "")) for name in ("title", "provenance")}
            return PriorFamily(name=str(prior["name"]), kernels=kernels, **texts)
        except (KeyError, TypeError) as error:
            raise InputError("the family of priors cannot be read: expected a name and kernels") from error
    kernels = tuple(prior)
    if not kernels or not all(isinstance(kernel, Kernel) for kernel in kernels):
        raise bad_input("prior", prior, "kernels, such as Matern(length=60.0, variance=9e4) + White(variance=25.0)")
    return PriorFamily(name="of-its-own", kernels=kernels)


def _matern(given: Mapping[str, Any]) -> Matern:
    return Matern(nu=given["nu"], length=given["length"], variance=given["deviation"] ** 2)
