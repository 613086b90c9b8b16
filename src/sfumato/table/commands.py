"""``sfumato table init | check | protect | attack | measure``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.options import Input, Out, Release, Seed, Settings
from sfumato.errors import InputError, bad_input
from sfumato.study.console import command_rng, notes, print_scores, progress_bar, screen
from sfumato.study.settings import read_settings

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.mechanism import Mechanism
    from sfumato.table.core.lineage import Lineage
    from sfumato.table.core.schema import Schema
    from sfumato.table.mechanisms.recoding.recoder import Decision, Recoder

__all__ = ["attack", "check", "init", "measure", "protect"]

SchemaFile = Annotated[
    Path, typer.Option("--schema", "-s", help="Roles and hierarchies: table.toml, made by sfumato table init.")
]
Rows = Annotated[
    Path | None,
    typer.Option(
        "--lineage", help="From which input row each released row comes (protect --lineage).", show_default=False
    ),
]
Column = Annotated[str | None, typer.Option(help="The sensitive column; by default the first.", show_default=False)]
MechanismName = Annotated[
    str | None,
    typer.Option(
        "--mechanism",
        help="Name of the mechanism, such as local-recoding; a wrong name lists all. By default what the schema file "
        "says, or global-recoding: one level a column, optimal.",
        show_default=False,
    ),
]


def init(
    input: Input,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the proposal goes.")] = Path("table.toml"),
    force: Annotated[bool, typer.Option("--force", help="Replace a proposal that is already there.")] = False,
) -> None:
    """Look at a table and propose roles and hierarchies. Read and correct them before you protect.

    Example: sfumato table init people.csv -o table.toml
    """
    from rich.table import Table

    from sfumato.table.core.proposal import propose_schema

    if out.exists() and not force:
        raise bad_input("out", str(out), "a file that is not there yet", "say --force to replace it")
    schema = propose_schema(_load(input))
    out.parent.mkdir(parents=True, exist_ok=True)
    schema.write(out)
    shown = Table("column", "role", "values", "levels", box=None, pad_edge=False, header_style="bold")
    trees = dict(schema.quasi) | {name: tree for name, tree in schema.secrets.items() if tree is not None}
    for name, role in schema.roles.items():
        tree = trees.get(name)
        shown.add_row(name, role, "" if tree is None else str(tree.size), "" if tree is None else str(tree.height))
    screen.print(shown)
    notes.print(f"proposal in {out}, hierarchies beside it; correct them where you know better", markup=False)


def check(input: Input, schema: SchemaFile = Path("table.toml")) -> None:
    """Say which k, l and t a table already keeps, and its risks. Nothing is changed.

    Example: sfumato table check out.csv --schema table.toml
    """
    from sfumato.table.promise.inspection import check as inspect

    screen.print(str(inspect(_load(input), _schema(schema))), markup=False, soft_wrap=True)


def protect(
    input: Input,
    out: Out,
    schema: SchemaFile = Path("table.toml"),
    mechanism: MechanismName = None,
    k: Annotated[
        int | None,
        typer.Option(help="At least k records a class; 5 if nothing else is promised.", min=1, show_default=False),
    ] = None,
    l: Annotated[  # noqa: E741 the name of the parameter in the field
        int | None, typer.Option(help="At least l different values of each sensitive column.", show_default=False)
    ] = None,
    t: Annotated[
        float | None, typer.Option(help="Each class is distributed like the table, up to t.", show_default=False)
    ] = None,
    promise: Annotated[
        list[str] | None,
        typer.Option(
            help="One more promise in words, such as 'risk limit=0.05 attacker=marketer'; repeatable.",
            show_default=False,
        ),
    ] = None,
    suppression: Annotated[
        float | None, typer.Option(help="Share of records that may be suppressed (global).", show_default=False)
    ] = None,
    suppressed: Annotated[
        str | None,
        typer.Option(help="What becomes of them: star (rows of *, the default) or drop.", show_default=False),
    ] = None,
    information_loss: Annotated[
        str | None,
        typer.Option(
            help="What is minimised (global): generalised (the default), entropy, discernibility, class-size or "
            "classification:COLUMN.",
            show_default=False,
        ),
    ] = None,
    publish: Annotated[
        str | None, typer.Option(help="hierarchy (the default), set or interval (local).", show_default=False)
    ] = None,
    population: Annotated[
        str | None,
        typer.Option(help="The table of the population, for the journalist's risk and presence.", show_default=False),
    ] = None,
    settings: Settings = None,
    engine: Annotated[str, typer.Option(help="duckdb (this machine) or spark.")] = "duckdb",
    master: Annotated[
        str | None, typer.Option(help="Where Spark runs, such as spark://host:7077.", show_default=False)
    ] = None,
    lineage: Annotated[
        Path | None,
        typer.Option(help="Also write, for your own eyes, which row each released row was.", show_default=False),
    ] = None,
    seed: Seed = None,
) -> None:
    """Protect a table. By default its quasi-identifiers are recoded until it is k-anonymous.

    Example: sfumato table protect people.csv -o release.csv --schema table.toml --k 5 --suppression 0.04

    The schema file may also name promises and the mechanism, in tables called promise and mechanism.
    Parameters without an option of their own are given with --set.
    """
    from sfumato.table.promise.notation import parse_promise
    from sfumato.table.protection import target_of
    from sfumato.table.table_file import TableFile

    given = {
        "suppression": suppression, "suppressed": suppressed, "information_loss": information_loss, "publish": publish,
    }  # fmt: skip
    sizes = {"k": k, "l": l, "t": t}
    file = TableFile.read(schema).with_mechanism(mechanism, read_settings(settings))
    recodes = file.recodes
    if not recodes:
        given |= sizes
    file = file.with_mechanism(None, {name: value for name, value in given.items() if value is not None})
    if master is not None and engine != "spark":
        raise bad_input("master", master, "--engine spark with it")
    wanted = [parse_promise(phrase) for phrase in promise or ()]
    if not recodes:
        if engine != "duckdb":
            raise bad_input("engine", engine, "duckdb with a mechanism that does not recode", "it works in memory")
        if population is not None:
            raise bad_input("population", population, "none with a mechanism that does not recode")
        _apply(file.build(wanted), input, out, lineage, seed)
        return
    if seed is not None:
        raise bad_input("seed", seed, "no seed with recoding", "it draws nothing")
    if not (file.promises or wanted or any(value is not None for value in sizes.values())):
        k = 5
    target = target_of(file.schema, k=k, l=l, t=t, target=wanted)
    recoder: Any = file.build(target, population=None if population is None else _load(population))
    _recode(recoder, input, out, lineage, engine, {} if master is None else {"master": master})


def _recode(recoder: Recoder, input: str, out: str, lineage: Path | None, engine: str, where: dict[str, Any]) -> None:
    """Recode from file to file, or in memory where an engine does not reach, and say what came of it."""
    from sfumato.io.engine import find_engine
    from sfumato.table.protection import protect_file, protect_with

    if all(_streams(path) for path in (input, out)) and lineage is None:
        runs = find_engine(engine, **where)
        with progress_bar("recoding", None) as advance:
            decision = protect_file(input, out, recoder, engine=runs, advance=advance)
    else:
        if engine != "duckdb":
            raise bad_input("engine", engine, "duckdb for pipes, JSON Lines and --lineage", "those stay in memory")
        result = protect_with(_load(input), recoder)
        _write(result.data, out, result.rows, lineage)
        decision = result.decision
    rows, sizes = int(decision.sizes.sum()), decision.sizes
    notes.print(f"promise: {recoder.guarantee}", markup=False, soft_wrap=True)
    notes.print(
        f"information loss {decision.information_loss:.5f}, {len(sizes)} classes of {sizes.min()} to {sizes.max()}, "
        f"{decision.suppressed} of {rows} records suppressed, levels {decision.levels}"
        + ("" if decision.nodes == 0 else f" ({_proof(decision)})"),
        markup=False,
        soft_wrap=True,
    )


def _proof(decision: Decision) -> str:
    if decision.proved:
        return f"optimal: {decision.evaluated} of {decision.nodes} combinations of levels looked at, the rest excluded"
    return (
        f"the best of {decision.evaluated} combinations of levels; {decision.nodes} are too many to prove that none is "
        "better; --mechanism local-recoding loses less"
    )


def _apply(mechanism: Mechanism, input: str, out: str, lineage: Path | None, seed: int | None) -> None:
    """Run a mechanism that does not recode, in memory."""
    import numpy as np

    from sfumato.table.core.lineage import Lineage
    from sfumato.table.mechanisms.anatomy import Anatomy

    table = _load(input)
    rows = np.arange(table.num_rows)
    rng = command_rng(seed)
    if isinstance(mechanism, Anatomy):
        if not _streams(out):
            raise bad_input("out", out, "a CSV or Parquet file", "anatomy writes two tables")
        released = mechanism.release(table, rng=rng)
        beside = Path(out).with_name("values-" + Path(out).name)
        _write(released.values, str(beside))
        _write(released.records, out, rows, lineage)
        notes.print(f"the sensitive values of each group are in {beside}", markup=False, soft_wrap=True)
    else:
        found = mechanism.release(Lineage(table, rows), rng=rng)
        _write(found.data, out, found.rows, lineage)
        notes.print(f"{len(found.rows)} of {len(rows)} records released", markup=False)
    notes.print(f"promise: {mechanism.guarantee}", markup=False, soft_wrap=True)


def _write(table: Any, out: str, rows: Any = None, lineage: Path | None = None) -> None:
    import pyarrow as pa

    from sfumato.io.files import table_format, write_table

    write_table(table, out, format=None if out != "-" else table_format(out) or "csv")
    if lineage is not None:
        write_table(pa.table({"row": rows}), lineage, format="csv")


def attack(
    input: Input,
    release: Release,
    schema: SchemaFile = Path("table.toml"),
    lineage: Rows = None,
    column: Column = None,
    mechanism: MechanismName = None,
    settings: Settings = None,
) -> None:
    """Attack a release: re-identification, revealing, homogeneity, a Bayesian attacker. For the owner's eyes.

    Without --lineage the release must have a row for each input row, in the same order. The attacker knows the
    mechanism: noise and sampling are taken into account if the schema file (or --mechanism) names them.

    Example: sfumato table attack people.csv release.csv --schema table.toml
    """
    from sfumato.table.examples import attacks_on
    from sfumato.table.table_file import TableFile, mechanism_kinds

    file = TableFile.read(schema).with_mechanism(mechanism, read_settings(settings))
    known = None if file.recodes else file.build()
    data, released = _load(input), _released(input, release, lineage)
    new_numbers = getattr(mechanism_kinds()[file.kind], "new_numbers", False)
    attacks = attacks_on(file.schema, column or next(iter(file.schema.secrets), None), new_numbers=new_numbers)
    print_scores([(one.name, one.attack(data, released, mechanism=known)) for one in attacks], reference="chance")


def measure(
    input: Input,
    release: Release,
    schema: SchemaFile = Path("table.toml"),
    lineage: Rows = None,
    column: Column = None,
    positive: Annotated[
        str | None, typer.Option(help="The value that a learner predicts; by default the rarest.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the queries and the split into training and test.")] = 0,
) -> None:
    """Measure the utility of a release: information loss, statistics, queries, and a learner's F-ratio.

    Example: sfumato table measure people.csv release.csv --schema table.toml --column income --positive high
    """
    from sfumato.noise import seeded_rng
    from sfumato.table.examples import utilities_on

    roles = _schema(schema)
    data, released = _load(input), _released(input, release, lineage)
    chosen = column or next(iter(roles.secrets), None)
    if chosen is not None:
        if chosen not in roles.secrets:
            raise bad_input("column", chosen, "a sensitive column of the schema: " + ", ".join(roles.secrets))
        counts = data[chosen].value_counts().to_pylist()
        positive = positive or str(min(counts, key=lambda item: item["counts"])["values"])
    measures = utilities_on(roles, chosen, positive)
    print_scores(
        [(one.name, one.measure(data, released, rng=seeded_rng(seed))) for one in measures], reference="raw data"
    )


def _schema(path: Path) -> Schema:
    from sfumato.table.core.schema import Schema

    return Schema.read(path)


def _streams(path: str) -> bool:
    """Whether an engine reads and writes it: CSV and Parquet files."""
    from sfumato.io.files import table_format

    return path != "-" and table_format(path) in ("csv", "tsv", "parquet")


def _load(path: str) -> pa.Table:
    from sfumato.io.files import read_table

    if not _streams(path):
        return read_table(path)
    from sfumato.io.engine import Source
    from sfumato.io.engine.duckdb import DuckDBEngine

    table = DuckDBEngine().read(Source.of(path))
    if table.num_rows == 0:
        raise InputError(f"{path} has no records: expected at least one row after the header")
    return table


def _released(input: str, release: str, lineage: Path | None) -> Lineage | Any:
    from sfumato.table.core.lineage import Lineage

    table = _load(release)
    if lineage is None:
        return table
    rows = _load(str(lineage))
    if rows.column_names != ["row"] or rows.num_rows != table.num_rows:
        raise bad_input(
            "lineage", str(lineage), f"a column row with {table.num_rows} numbers", "protect --lineage makes it"
        )
    try:
        return Lineage(table, rows["row"].cast("int64").to_numpy())
    except ValueError as error:  # ArrowInvalid is one
        raise bad_input(
            "lineage", str(lineage), "whole numbers in the column row", "protect --lineage makes it"
        ) from error
