"""Records of a public domain as vectors between −1 and 1, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import is_frame, missing_columns, numbers, to_arrow
from sfumato.model.core.nearest import points
from sfumato.model.mechanisms.noisy_marginals import bin_of, is_range

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["VectorCoding"]


def _width(values: Sequence[Any]) -> int:
    return 1 if is_range(values) else len(values)


@dataclass(frozen=True)
class VectorCoding:
    """Numbers of a public range scaled to [−1, 1], a category as 1 on its own axis and −1 on the others.

    Without domains, samples are arrays whose numbers lie in [−1, 1] already.
    """

    domains: Mapping[str, Sequence[Any]] | None

    def vectors(self, data: Any) -> NDArray[np.float64]:
        """The records as rows; a value outside its domain is refused."""
        if self.domains is None:
            rows = points("data", data)
            if np.abs(rows).max() > 1:
                raise bad_input("data", "a number outside", "numbers in [−1, 1]", "scale by a public range")
            return rows
        if not is_frame(data):
            raise bad_input("data", type(data).__name__, "a table with the columns of the domains")
        table = to_arrow(data)
        missing_columns(list(self.domains), table.column_names, "the table")
        undeclared = [name for name in table.column_names if name not in self.domains]
        if undeclared:
            raise bad_input("column", undeclared[0], "a public domain", "say domains={name=[…]}, or leave it out")
        parts = []
        for name, values in self.domains.items():
            places = bin_of(table, name, values)
            if is_range(values):
                low, high = float(values[0]), float(values[1])
                parts.append(((2 * numbers(table, name) - low - high) / (high - low))[:, None])
            else:
                parts.append(np.where(places[:, None] == np.arange(len(values)), 1.0, -1.0))
        return np.concatenate(parts, axis=1)

    @property
    def width(self) -> int | None:
        """Numbers of a vector; None without domains."""
        if self.domains is None:
            return None
        return sum(map(_width, self.domains.values()))

    def places(self, column: str) -> slice:
        """Where a column of the domains stands in a vector."""
        assert self.domains is not None
        start = 0
        for name, values in self.domains.items():
            if name == column:
                return slice(start, start + _width(values))
            start += _width(values)
        raise bad_input("column", column, f"one of {', '.join(self.domains)}")

    def records(self, vectors: NDArray[np.float64], like: Any) -> pa.Table | NDArray[np.float64]:
        """Vectors as records of the kind of ``like``: the nearest category, whole numbers where they were whole."""
        if self.domains is None:
            return vectors.reshape(len(vectors), *np.shape(like)[1:])
        import pyarrow as pa

        schema, start = to_arrow(like).schema, 0
        made: dict[str, Any] = {}
        for name, values in self.domains.items():
            if is_range(values):
                low, high = float(values[0]), float(values[1])
                found = np.clip((vectors[:, start] * (high - low) + low + high) / 2, low, high)
                whole = pa.types.is_integer(schema.field(name).type)
                made[name] = np.clip(np.rint(found), np.ceil(low), np.floor(high)).astype(np.int64) if whole else found
                start += 1
            else:
                best = vectors[:, start : start + len(values)].argmax(axis=1)
                made[name] = [values[place] for place in best.tolist()]
                start += len(values)
        return pa.table({name: made[name] for name in schema.names})
