"""Steps for each column and a sample of the rows: the compositions of Mimoto, chapter 4 [S2, S6]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise import Assumption, Guarantee, NoGuarantee, PureDP
from sfumato.table.core.channel import Channel
from sfumato.table.core.summary import leaf_codes
from sfumato.table.mechanisms.base import TableMechanism
from sfumato.table.mechanisms.steps import Step
from sfumato.validate import probability

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ColumnMethods"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnMethods(TableMechanism):
    """Apply steps of its own to each quasi-identifier, then sample rows.

    Parameters
    ----------
    schema : Schema
    columns : mapping of str to sequence of Step
        The steps of each quasi-identifier in order; columns that are not named stay as they are.
    rate : float
        α: the chance of a row to be in the release.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import ColumnMethods, Generalise, Hierarchy, NumberNoise, Schema
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])})
    >>> method = ColumnMethods(schema=schema, columns={"age": [NumberNoise(scale=1.0), Generalise(1)]}, rate=0.5)
    >>> method.release(pa.table({"age": [21, 35, 64]}), rng=np.random.default_rng(1)).num_rows
    2
    """

    technique = "a combination of techniques for each column"

    columns: Mapping[str, Sequence[Step]] = field(default_factory=dict)
    rate: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("rate", self.rate, one=True)
        for name, steps in self.columns.items():
            if name not in self.schema.quasi:
                raise bad_input("columns", name, "quasi-identifiers: " + ", ".join(self.schema.quasi))
            for step in steps:
                if not isinstance(step, Step):
                    raise bad_input(f"columns[{name!r}]", step, "steps such as Generalise(1)")
        _ = self.channels  # steps that do not fit their column are refused here

    @cached_property
    def stages(self) -> dict[str, list[Channel]]:
        """For each column the channel before each step and after the last."""
        found = {}
        for name, tree in self.schema.quasi.items():
            stages = [Channel.identity(tree.leaves)]
            for step in self.columns.get(name, ()):
                stages.append(step.push(stages[-1], tree))
            found[name] = stages
        return found

    @property
    def sampling(self) -> float:
        return self.rate

    @property
    def perturbs(self) -> bool:
        return any(bool((channel.mass > 0).any()) for channel in self.channels.values())

    @property
    def channels(self) -> dict[str, Channel]:
        """The channel of each column: what an attacker who knows the mechanism knows."""
        return {name: stages[-1] for name, stages in self.stages.items()}

    @property
    def guarantee(self) -> Guarantee:
        """Local differential privacy if every released cell is noised; otherwise nothing is proved."""
        if self.schema.sensitive or self.schema.insensitive:
            return NoGuarantee("some columns are released as they are; the risk is measured by attack")
        total = 0.0
        for name, tree in self.schema.quasi.items():
            steps = self.columns.get(name, ())
            bounds = [step.loss_bound(stage, tree) for step, stage in zip(steps, self.stages[name], strict=False)]
            total += min(bounds, default=np.inf)
        if not np.isfinite(total):
            return NoGuarantee("some columns have no noise; the risk is measured by attack")
        return PureDP(total, neighbours="any-pair", model="local").assuming(Assumption("hierarchy"))

    def _release(self, table: pa.Table, rng: Rng) -> tuple[pa.Table, NDArray[np.int64]]:
        import pyarrow as pa

        for name, tree in self.schema.quasi.items():
            codes = leaf_codes(table[name], tree, name, self.schema)
            for step, stage in zip(self.columns.get(name, ()), self.stages[name], strict=False):
                codes = step.draw(codes, stage, tree, rng)
            words = pa.array(self.channels[name].outputs, pa.string())
            column = pa.DictionaryArray.from_arrays(pa.array(codes), words).cast(pa.string())
            table = table.set_column(table.column_names.index(name), name, column)
        kept = np.arange(table.num_rows)
        if self.rate < 1:
            kept = np.flatnonzero(rng.random(table.num_rows) < self.rate)
        return table.take(kept), kept
