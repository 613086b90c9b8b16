"""Whether a person's record was in the table that was protected."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import is_frame
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.table.attacks.nearness.likeness import Likeness, person_codes, whole_schema
from sfumato.table.core.lineage import arrow_of
from sfumato.table.core.schema import Schema
from sfumato.validate import integer, probability

__all__ = ["MembershipAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class MembershipAttack:
    """How well an attacker tells people in the table from people like them who are not: area under the ROC curve.

    The attacker knows a whole record, sensitive values included, and asks whether the release makes it more likely than
    the population does: the density of :class:`~sfumato.table.attacks.nearness.likeness.Likeness` over the same density
    of half of ``control`` (van Breugel et al. 2023), the other half being the people who are not in the table. A half
    is chance, and (ε, 0)-DP bounds it by 1/(1 + e^−ε).

    Parameters
    ----------
    schema : Schema
    control : frame
        People like those in the table who are not in it.
    smoothing : tuple of float
        λ; the one that separates best counts.
    people : int
        So many are drawn on each side.

    Examples
    --------
    >>> from sfumato.table import MembershipAttack, protect
    >>> from sfumato.table.data import census_schema, make_census
    >>> people, others = make_census(800, seed=1), make_census(800, seed=2)
    >>> release = protect(people, census_schema(), k=2, recoding="local")
    >>> attack = MembershipAttack(schema=census_schema(), control=others, people=200)
    >>> attack.attack(people, release, rng=np.random.default_rng(1)).value > 0.6
    True
    """

    criterion: ClassVar[Criterion] = "singling out"

    schema: Schema
    control: Any
    smoothing: tuple[float, ...] = (0.02, 0.1, 0.3)
    people: int = 1_000
    name: str = "people in the table told from others (area under the curve)"

    def __post_init__(self) -> None:
        if not is_frame(self.control):
            raise bad_input("control", type(self.control).__name__, "a frame of people who are not in the table")
        if arrow_of(self.control).num_rows < 4:
            raise bad_input("control", arrow_of(self.control).num_rows, "at least four people")
        for one in self.smoothing:
            probability("smoothing", one)
        integer("people", self.people, least=2)

    @property
    def knows(self) -> str:
        return "the whole record of one person, records of others who are not in the table, the release and the method"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        generator = resolve_rng(rng)
        members, others, shown = arrow_of(data), arrow_of(self.control), arrow_of(release)
        names = [name for name in (*self.schema.quasi, *self.schema.secrets) if name in shown.column_names]
        schema = whole_schema(self.schema, names, members, others)
        mixed = generator.permutation(others.num_rows)
        known, asked = others.take(mixed[len(mixed) // 2 :]), others.take(mixed[: len(mixed) // 2][: self.people])
        inside = members.take(generator.permutation(members.num_rows)[: self.people])
        sides = [person_codes(side, schema) for side in (inside, asked)]
        found, usual = Likeness.of(shown, schema, generator), Likeness.of(known, schema, generator)
        scores = []
        for smoothing in self.smoothing:
            first, second = (
                np.log(found.density(side, smoothing) + 1e-300) - np.log(usual.density(side, smoothing) + 1e-300)
                for side in sides
            )
            scores.append(_area(first, second))
        return max(scores, key=lambda score: score.value)


def _area(inside: NDArray[np.float64], outside: NDArray[np.float64]) -> Score:
    """The chance that a member scores above another, ties half; with the interval of DeLong et al. (1988)."""
    order = np.sort(outside)
    below = (np.searchsorted(order, inside, "left") + np.searchsorted(order, inside, "right")) / (2 * len(outside))
    order = np.sort(inside)
    above = 1 - (np.searchsorted(order, outside, "left") + np.searchsorted(order, outside, "right")) / (2 * len(inside))
    area = float(below.mean())
    half = 1.96 * math.sqrt(below.var(ddof=1) / len(inside) + above.var(ddof=1) / len(outside))
    return Score(area, max(area - half, 0.0), min(area + half, 1.0), reference=0.5)
