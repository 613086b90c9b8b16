"""The study of a table of one's own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import InputError, bad_input
from sfumato.study.study import Study
from sfumato.study.threshold import MEAN_RISK, WORST_RECORD, Threshold
from sfumato.study.wording import count

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.table.core.schema import Schema

__all__ = ["customary_limits", "own_study"]


def own_study(
    data: Path,
    *,
    schema: Path | None = None,
    k: Iterable[int] = (2, 5, 11, 20),
    suppression: float = 0.04,
    column: str | None = None,
    positive: str | None = None,
) -> Study:
    """Both ways of recoding a table until it is k-anonymous, attacked and measured.

    Parameters
    ----------
    data : path
    schema : path
        The ``table.toml`` that ``sfumato table init`` proposes.
    k : iterable of int
        The class sizes to try.
    suppression : float
        The share of records that global recoding may suppress.
    column : str, optional
        The sensitive column to attack and to predict; by default the first one.
    positive : str, optional
        The value that a learner predicts; by default the rarest that a tenth of the records has.
    """
    import numpy as np

    from sfumato.promise import KAnonymity
    from sfumato.table.core.lineage import Lineage
    from sfumato.table.core.schema import Schema
    from sfumato.table.mechanisms.recoding.global_recoding import GlobalRecoding
    from sfumato.table.mechanisms.recoding.local_recoding import LocalRecoding

    if schema is None:
        raise bad_input("schema", None, "a table.toml with the roles of the columns", "sfumato table init proposes one")
    table = _read(data)
    roles = Schema.read(schema).bound(table)
    secret = column or next(iter(roles.secrets), None)
    if secret is not None and secret not in roles.secrets:
        raise bad_input("column", secret, "a sensitive column of the schema: " + ", ".join(roles.secrets))
    if secret is not None and positive is None:
        positive = _rare_but_learnable(table, secret)
    sizes = list(k)
    attacks, utilities = _measures(roles, secret, positive)
    return Study(
        name="own-table",
        title=f"A table of {count(table.num_rows, 'record')}",
        summary=f"{count(len(roles.quasi), 'column')} that an attacker may know, "
        f"{count(len(roles.secrets), 'column')} to be kept secret. Each release is attacked by someone who knows a "
        "victim's record and the method.",
        data=Lineage(table, np.arange(table.num_rows)),
        mechanisms={
            f"one level a column (optimal), {suppression:.0%} suppressed": [
                GlobalRecoding(schema=roles, target=[KAnonymity(size)], suppression=suppression) for size in sizes
            ],
            "local recoding": [LocalRecoding(schema=roles, target=[KAnonymity(size)]) for size in sizes],
        },
        attacks=attacks,
        utilities=utilities,
        seeds=1,
        varied="k",
        customary=customary_limits(roles),
        records=table.num_rows,
    )


def _rare_but_learnable(table: pa.Table, column: str) -> str | None:
    """The rarest value of a column that is common enough to be learned; none if all are rare."""
    counts = [item for item in table[column].value_counts().to_pylist() if 10 * item["counts"] >= table.num_rows]
    return str(min(counts, key=lambda item: item["counts"])["values"]) if counts else None


def customary_limits(schema: Schema) -> dict[str, Threshold]:
    """Limits that others use on the risk of being found in a table, by the name of the attack."""
    from sfumato.table.attacks.posterior import PosteriorAttack
    from sfumato.table.attacks.reidentification import ReidentificationAttack

    return {
        PosteriorAttack(schema=schema).name: MEAN_RISK,
        ReidentificationAttack(schema=schema).name: WORST_RECORD,
    }


def _measures(schema: Schema, secret: str | None, positive: str | None) -> tuple[list[Any], list[Any]]:
    """The attacks and utilities that need no more than the schema, the one that knows most first."""
    from sfumato.table.attacks.homogeneity import HomogeneityAttack
    from sfumato.table.attacks.posterior import PosteriorAttack
    from sfumato.table.attacks.reidentification import ReidentificationAttack
    from sfumato.table.attacks.revealing import RevealingAttack
    from sfumato.table.utilities.f_ratio import FRatio
    from sfumato.table.utilities.information_lost import InformationLost
    from sfumato.table.utilities.marginals import Marginals
    from sfumato.table.utilities.range_queries import RangeQueries

    attacks: list[Any] = [PosteriorAttack(schema=schema), ReidentificationAttack(schema=schema)]
    queries = RangeQueries(schema=schema, queries=60, columns=min(2, len(schema.quasi)))
    utilities: list[Any] = [InformationLost(schema=schema), queries, Marginals(schema=schema)]
    if secret is not None:
        attacks += [
            RevealingAttack(schema=schema, column=secret, statistic="mean"),
            HomogeneityAttack(schema=schema, column=secret),
        ]
        if positive is not None:
            utilities.append(FRatio(schema=schema, column=secret, positive=positive))
    return attacks, utilities


def _read(path: Path) -> pa.Table:
    """The table with the types that ``sfumato table init`` saw."""
    from sfumato.io.files import read_table, table_format

    if table_format(path) == "jsonl":
        return read_table(path)
    from sfumato.io.engine import Source
    from sfumato.io.engine.duckdb import DuckDBEngine

    table = DuckDBEngine().read(Source.of(str(path)))
    if table.num_rows == 0:
        raise InputError(f"{path} has no records: expected at least one row after the header")
    return table
