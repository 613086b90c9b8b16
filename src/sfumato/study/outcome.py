"""What a study found: one row for each measurement, and the words needed to read them."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import atomic_path, reading
from sfumato.notebook import html_table
from sfumato.study.run.cell import Row
from sfumato.study.study import RAW_LABEL, Study
from sfumato.study.threshold import Threshold
from sfumato.study.wording import count, shown

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Outcome"]

_TEXT = (
    "study",
    "label",
    "mechanism",
    "parameters",
    "promise",
    "statement",
    "unit",
    "neighbours",
    "model",
    "kind",
    "measure",
    "better",
    "reason",
    "totals",
)
_REAL = ("varied", "epsilon", "value", "low", "high", "reference", "seconds", "release_seconds")


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """The result of :func:`sfumato.study.run.runner`.

    Parameters
    ----------
    name, title, summary, varied : str
        As in the study.
    seeds : int
    attacks : sequence of str
        Names of the attacks; the first spans the frontier.
    utilities : mapping of str to {"higher", "lower"}
        Names of the utilities and which way is better; the first spans the frontier.
    labels : sequence of str
        The lines of the frontier, without the raw data.
    rows : list of dict
        One measurement each, in an order that does not depend on the number of processes. Columns: ``study``,
        ``label``, ``mechanism`` (repr), ``parameters`` (JSON), ``varied`` (value of the swept parameter), ``seed``,
        ``promise``, ``statement``, ``guaranteed``, ``syntactic``, ``unit``, ``neighbours``, ``model``, ``epsilon``,
        ``totals`` (JSON: what documents and persons lose in total), ``kind`` (attack or utility), ``measure``,
        ``better``, ``value``, ``low``, ``high``, ``reference``, ``reason`` (why there is no value), ``seconds``,
        ``release_seconds``.
    customary : mapping of str to Threshold
        Published limits on some of the attacks, by name.
    records : int, optional
        How many records the data have.
    computed, kept : int
        Cells evaluated by this run, and cells taken from an earlier one.
    seconds : float
        Wall time of this run.
    versions : mapping of str to str
    """

    name: str
    title: str
    summary: str
    varied: str
    seeds: int
    attacks: Sequence[str]
    utilities: Mapping[str, str]
    labels: Sequence[str]
    rows: list[Row] = field(repr=False)
    customary: Mapping[str, Threshold] = field(default_factory=dict)
    records: int | None = None
    computed: int = 0
    kept: int = 0
    seconds: float = math.nan
    versions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, study: Study, rows: list[Row], **run: Any) -> Self:
        """The outcome of ``study`` with these rows."""
        return cls(
            name=study.name,
            title=study.title,
            summary=study.summary,
            varied=study.varied,
            seeds=study.seeds,
            attacks=[attack.name for attack in study.attacks],
            utilities={utility.name: utility.better for utility in study.utilities},
            labels=list(study.mechanisms),
            rows=rows,
            customary=dict(study.customary),
            records=study.records,
            versions=_versions(),
            **run,
        )

    @property
    def table(self) -> pa.Table:
        """The rows as an Arrow table, with the words of the study in its metadata."""
        import pyarrow as pa

        types = dict.fromkeys(_TEXT, pa.string()) | dict.fromkeys(_REAL, pa.float64())
        types |= {"seed": pa.int64(), "guaranteed": pa.bool_(), "syntactic": pa.bool_()}
        columns = list(self.rows[0]) if self.rows else list(types)
        words = {name: getattr(self, name) for name in _WORDS}
        words["customary"] = {name: asdict(limit) for name, limit in self.customary.items()}
        schema = pa.schema(
            [(name, types[name]) for name in columns], metadata={"sfumato": json.dumps(words, ensure_ascii=False)}
        )
        return pa.Table.from_pylist(self.rows, schema=schema)

    def write(self, path: str | Path) -> None:
        """Write the tidy table as Parquet, atomically."""
        from pyarrow import parquet

        with atomic_path(path) as beside:
            parquet.write_table(self.table, beside, compression="zstd")

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The outcome that :meth:`write` wrote."""
        import pyarrow as pa
        from pyarrow import parquet

        try:
            with reading(path):
                table = parquet.read_table(path)
            words = json.loads((table.schema.metadata or {})[b"sfumato"])
            words["customary"] = {name: Threshold(**limit) for name, limit in words["customary"].items()}
        except (pa.ArrowInvalid, KeyError) as error:
            raise InputError(f"{path} is not the result of a study: expected a results.parquet") from error
        return cls(rows=table.to_pylist(), **words)

    def select(self, **conditions: Any) -> list[Row]:
        """The rows whose columns have these values: ``outcome.select(label="Laplace", measure="error")``."""
        for name in conditions:
            if self.rows and name not in self.rows[0]:
                raise bad_input("column", name, "one of " + ", ".join(self.rows[0]))
        return [row for row in self.rows if all(row[name] == value for name, value in conditions.items())]

    def _repr_html_(self) -> str:
        """What a notebook shows: the mean of every measure under every label."""
        measures = [*self.attacks, *self.utilities]
        rows = []
        for label in (RAW_LABEL, *self.labels):
            own = {name: [row["value"] for row in self.rows if (row["label"], row["measure"]) == (label, name)]
                   for name in measures}  # fmt: skip
            rows.append([label, *(_range(values) for values in own.values())])
        caption = f"{self.title} ({count(self.seeds, 'seed')})"
        return html_table(caption, ["mechanism, all settings", *measures], rows)


_WORDS = (
    "name",
    "title",
    "summary",
    "varied",
    "seeds",
    "attacks",
    "utilities",
    "labels",
    "records",
    "computed",
    "kept",
    "seconds",
    "versions",
)


def _range(values: Sequence[float]) -> str:
    """The smallest and the largest of some numbers, as far as they are known."""
    known = sorted(value for value in values if not math.isnan(value))
    ends = [shown(value) for value in (known[0], known[-1])] if known else ["—"]
    return " to ".join(dict.fromkeys(ends))


def _versions() -> dict[str, str]:
    packages = ("sfumato", "numpy", "scipy", "numba", "scikit-learn")
    return {"Python": platform.python_version()} | {name: metadata.version(name) for name in packages}
