"""Attribute disclosure by all released records that are like the victim's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.table.attacks.nearness.likeness import Likeness, person_codes, whole_schema
from sfumato.table.attacks.scoring import best_guess
from sfumato.table.core.lineage import arrow_of
from sfumato.table.core.schema import Schema
from sfumato.validate import integer, probability

__all__ = ["LikenessValueAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class LikenessValueAttack:
    """Share of people whose sensitive value is guessed from released records like theirs.

    It works on records of any kind, generalised, sampled or made up, and on people who are in the table or not: with
    ``control``, people of whom nothing was released, chance is the same attack on them. What is above chance then comes
    from a person's own record; what is not follows from the others and would follow without it.

    Parameters
    ----------
    schema : Schema
    column : str
        The sensitive column.
    control : frame, optional
        People like those in the table who are not in it.
    smoothing : tuple of float
        λ of :class:`~sfumato.table.attacks.nearness.likeness.Likeness`; the best of them counts.
    victims : int
        So many people are drawn of a larger table.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import Hierarchy, LikenessValueAttack, Schema, protect
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, sensitive=["illness"])
    >>> people = pa.table({"age": [18, 12, 36, 38], "illness": ["flu", "flu", "gout", "gout"]})
    >>> LikenessValueAttack(schema=schema, column="illness").attack(people, protect(people, schema, k=2)).value
    1.0
    """

    criterion: ClassVar[Criterion] = "inference"

    schema: Schema
    column: str
    control: Any = None
    smoothing: tuple[float, ...] = (0.02, 0.1, 0.3)
    victims: int = 1_000

    def __post_init__(self) -> None:
        if self.column not in self.schema.secrets:
            raise bad_input("column", self.column, "a sensitive column of the schema")
        for one in self.smoothing:
            probability("smoothing", one)
        integer("victims", self.victims)

    @property
    def name(self) -> str:
        return f"{self.column} guessed from records like one's own"

    @property
    def knows(self) -> str:
        return "all quasi-identifiers of one person, the release and the method"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        generator = resolve_rng(rng)
        people = _some(arrow_of(data), self.victims, generator)
        others = None if self.control is None else _some(arrow_of(self.control), self.victims, generator)
        shown = arrow_of(release)
        known = [arrow_of(data)] if others is None else [arrow_of(data), others]
        schema = whole_schema(self.schema, [*self.schema.quasi, self.column], *known)
        likeness = Likeness.of(shown, schema, generator)
        hits = self._hits(likeness, person_codes(people, schema))
        if others is None:
            return Score.of_share(hits, reference=best_guess(person_codes(people, schema)[:, -1]))
        return Score.of_share(hits, reference=float(self._hits(likeness, person_codes(others, schema)).mean()))

    def _hits(self, likeness: Likeness, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Who is guessed right, with the smoothing that guesses most."""
        secret = codes.shape[1] - 1
        best = np.zeros(len(codes), np.bool_)
        for smoothing in self.smoothing:
            by_label = likeness.by_label(codes, smoothing, secret)
            belief = by_label @ likeness.spread[secret][: by_label.shape[1]]  # each label, spread over its values
            right = belief.argmax(axis=1) == codes[:, secret]
            best = right if right.sum() > best.sum() else best
        return best


def _some(table: Any, most: int, rng: Rng) -> Any:
    return table if table.num_rows <= most else table.take(np.sort(rng.choice(table.num_rows, most, replace=False)))
