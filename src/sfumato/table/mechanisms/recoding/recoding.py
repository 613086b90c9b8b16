"""Mechanisms that recode quasi-identifiers until a target is met: decide on the summary, apply to the records."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import to_arrow
from sfumato.noise import Rng
from sfumato.promise import Guarantee, KAnonymity
from sfumato.table.core.classes import Classes
from sfumato.table.core.information import Loss, named_loss
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import Compact, compact
from sfumato.table.mechanisms.base import TableMechanism
from sfumato.table.mechanisms.recoding.levels import optimal_levels
from sfumato.table.mechanisms.recoding.local import local_partition
from sfumato.table.mechanisms.recoding.partition import Publish
from sfumato.table.mechanisms.recoding.tuple_recoder import Recoding
from sfumato.table.promise import AllOf, LDiversity, TCloseness, flatten, least_size
from sfumato.validate import choice, integer, probability

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Decision", "GlobalRecoding", "LocalRecoding", "Recoder", "target_of"]


@dataclass(frozen=True, eq=False)
class Decision:
    """What a recoder decided on a summary.

    Parameters
    ----------
    recoding : Recoding
    levels : dict of str to int, or to (lowest, highest)
        The level of each column; for local recoding the range of levels (empty for published sets and ranges).
    loss : float
        By the loss that was minimised.
    suppressed : int
        Records that were suppressed.
    sizes : ndarray
        Records in each released class (the suppressed ones, if they stay as ``*``, are one of them).
    proved : bool
        Whether no other choice of levels is better.
    evaluated, nodes : int
        Lattice nodes looked at, of how many.
    """

    recoding: Recoding
    levels: dict[str, Any]
    loss: float
    suppressed: int
    sizes: NDArray[np.int64]
    proved: bool = False
    evaluated: int = 0
    nodes: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Recoder(TableMechanism):
    """Base of global and local recoding.

    Parameters
    ----------
    schema : Schema
    target : sequence of Guarantee
        Promises that the release keeps: :class:`KAnonymity`, :class:`LDiversity`, :class:`TCloseness`, …
    population : frame, optional
        The population that the table is a part of, for δ-presence and the journalist's risk.
    """

    target: Sequence[Guarantee]
    population: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.schema.quasi:
            raise bad_input("schema.quasi", {}, "at least one quasi-identifier")
        object.__setattr__(self, "target", flatten(self.target))
        if not self.target:
            raise bad_input("target", (), "at least one promise", "k=5 is a common one")

    @property
    def guarantee(self) -> Guarantee:
        """The target, which a release meets or is not made."""
        return self.target[0] if len(self.target) == 1 else AllOf(tuple(self.target))

    @property
    def k(self) -> int:
        """The smallest class that the target allows."""
        return least_size(self.target)

    def decide(self, table: Compact) -> Decision:
        """Decide what each tuple publishes."""
        if self.population is not None:
            everyone = to_arrow(self.population)
            table = table.with_population(compact(everyone, Schema(quasi=self.schema.quasi))[0])
        return self._decide(table)

    @abstractmethod
    def _decide(self, table: Compact) -> Decision: ...

    def _release(self, table: pa.Table, rng: Rng) -> tuple[pa.Table, NDArray[np.int64]]:
        return self.decide(compact(table, self.schema)[0]).recoding.table(table)


@dataclass(frozen=True, kw_only=True, eq=False)
class GlobalRecoding(Recoder):
    """Optimal full-domain generalisation: one level a column, the best of all combinations [P6].

    Parameters
    ----------
    schema, target, population
        As in :class:`Recoder`.
    suppression : float
        Which share of the records may be suppressed.
    loss : str or Loss
        What is minimised; see :func:`sfumato.table.core.information.named_loss`.
    suppressed : {"star", "drop"}
        Suppressed records stay as rows of ``*``, a class that must keep the promises as well, or are left out.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import GlobalRecoding, Hierarchy, Schema
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10, 50])})
    >>> ages = pa.table({"age": [21, 23, 25, 34, 38]})
    >>> GlobalRecoding(schema=schema, target=[KAnonymity(2)]).release(ages).to_pydict()
    {'age': ['20-29', '20-29', '20-29', '30-39', '30-39']}
    """

    suppression: float = 0.0
    loss: Loss | str = "information"
    suppressed: Literal["star", "drop"] = "star"

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("suppression", self.suppression, zero=True, one=True)
        choice("suppressed", self.suppressed, ("star", "drop"))
        named_loss(self.loss)

    def _decide(self, table: Compact) -> Decision:
        limit = int(np.floor(self.suppression * table.rows + 1e-9))
        stars = self.suppressed == "star"
        best = optimal_levels(table, self.target, limit=limit, loss=named_loss(self.loss), stars=stars)
        recoding = Recoding.at_levels(table, self.schema, best.levels, best.suppressed, stars)
        gone = int(table.counts[best.suppressed].sum())
        classes = Classes.at_levels(table, best.levels)
        kept = np.bincount(classes.member[~best.suppressed], table.counts[~best.suppressed], classes.number)
        sizes = kept[kept > 0].astype(np.int64)
        return Decision(
            recoding,
            dict(zip(table.names, best.levels, strict=True)),
            best.loss,
            gone,
            np.append(sizes, gone) if gone and stars else sizes,
            best.proved,
            best.evaluated,
            best.nodes,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class LocalRecoding(Recoder):
    """Local recoding: each class is generalised only as far as its own records need, and nothing is suppressed [P6].

    Parameters
    ----------
    schema, target, population
        As in :class:`Recoder`.
    publish : {"hierarchy", "set", "interval"}, or mapping from column to these
        What a class says of a column: the lowest common ancestor, the values it holds, or their range.
    start : {"specialise", "mondrian"}
        The first partition: down the hierarchies, or median cuts.
    sweeps : int, optional
        Passes that take neighbouring classes apart and put them together better; by default as the size allows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import Hierarchy, LocalRecoding, Schema
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10, 50])})
    >>> ages = pa.table({"age": [21, 21, 25, 34, 38]})
    >>> LocalRecoding(schema=schema, target=[KAnonymity(2)], publish="set").release(ages).to_pydict()
    {'age': ['{21, 25}', '{21, 25}', '{21, 25}', '{34, 38}', '{34, 38}']}
    """

    publish: Publish | Mapping[str, Publish] = "hierarchy"
    start: Literal["specialise", "mondrian"] = "specialise"
    sweeps: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("start", self.start, ("specialise", "mondrian"))
        if self.sweeps is not None:
            integer("sweeps", self.sweeps, least=0)

    def _decide(self, table: Compact) -> Decision:
        partition = local_partition(table, self.target, publish=self.publish, start=self.start, sweeps=self.sweeps)
        return Decision(Recoding.by_class(partition, self.schema), partition.levels, partition.loss, 0, partition.sizes)


def target_of(
    schema: Schema,
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 the name of the parameter in the field
    t: float | None = None,
    target: Sequence[Guarantee] = (),
) -> tuple[Guarantee, ...]:
    """The promises that k, l and t (for every sensitive column) stand for, and those in ``target``."""
    promises: list[Guarantee] = [] if k is None else [KAnonymity(integer("k", k))]
    if (l is not None or t is not None) and not schema.sensitive:
        raise bad_input("l" if l is not None else "t", l or t, "a sensitive column in the schema", "name one")
    if l is not None:
        promises += [LDiversity(l, column) for column in schema.sensitive]
    if t is not None:
        promises += [TCloseness(t, column) for column in schema.sensitive]
    return (*promises, *flatten(target))
