"""``sfumato table init | check | risk | protect | synthesise | attack | measure``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.options import (
    Delimiter,
    Encoding,
    EngineName,
    Input,
    InputFormat,
    Master,
    Settings,
    leaving,
    returning,
    shared_options,
)
from sfumato.errors import InputError, bad_input
from sfumato.study.console import notes, progress_bar, screen
from sfumato.study.door import Dialect, Door, Returned, print_findings, say
from sfumato.study.settings import read_settings
from sfumato.table.explain.risk_options import (
    DatesWritten,
    Force,
    Largest,
    LevelsOf,
    PopulationSize,
    RiskPage,
    Update,
    Weights,
)
from sfumato.table.explain.table_options import (
    ClassSize,
    Closeness,
    Column,
    Control,
    Delta,
    Epsilon,
    LossLimit,
    MechanismName,
    Minimised,
    Population,
    Promises,
    Published,
    SchemaFile,
    Suppressed,
    Suppression,
    Together,
    Values,
)
from sfumato.table.people.release_options import (
    Append,
    CountedPerson,
    Previous,
    PreviousKey,
    PseudonymKey,
    Successors,
    earlier_releases,
    protect_beside,
    remind_of_key,
)

if TYPE_CHECKING:
    from sfumato.table.core.schema import Schema
    from sfumato.table.mechanisms.recoding.recoder import Recoder

__all__ = ["attack", "check", "init", "measure", "protect", "risk", "synthesise"]

LARGE = 1 << 28
"""Bytes of a file (a quarter of that if it is packed) above which it streams past instead of being held in memory."""


def init(
    input: Input,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the proposal goes.")] = Path("table.toml"),
    force: Force = False,
    update: Update = False,
    dates: DatesWritten = None,
    format: InputFormat = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
) -> None:
    """Look at a table and propose roles, with reasons, and hierarchies. Read and correct them before you protect.

    Example: sfumato table init people.csv -o table.toml
    """
    from sfumato.table.core.proposal.file_proposal import propose_file

    dialect = Dialect(format=format, delimiter=delimiter, encoding=encoding)
    propose_file(dialect, input, out, force=force, update=update, dates=dates)


def check(
    input: Input,
    schema: SchemaFile = Path("table.toml"),
    format: InputFormat = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
) -> None:
    """Say which k, l and t a table already keeps, and its risks. Nothing is changed.

    Example: sfumato table check out.csv --schema table.toml
    """
    from sfumato.table.promise.inspection import check as inspect

    table = Dialect(format=format, delimiter=delimiter, encoding=encoding).read(input)
    screen.print(str(inspect(table, _schema(schema))), markup=False, soft_wrap=True)


def risk(
    input: Input,
    schema: SchemaFile = Path("table.toml"),
    release: LevelsOf = None,
    largest: Largest = 3,
    population: PopulationSize = None,
    report: RiskPage = None,
    format: InputFormat = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
) -> None:
    """Say which column and which values make people stand out, and what coarsening would help. For the owner's eyes.

    Example: sfumato table risk people.csv --schema table.toml --report risk.html
    """
    from sfumato.table.explain.risk_page import print_risk

    dialect = Dialect(format=format, delimiter=delimiter, encoding=encoding)
    print_risk(dialect, input, schema, release=release, largest=largest, population=population, report=report)


@shared_options(leaving)
def protect(
    door: Door,
    *,
    schema: SchemaFile = Path("table.toml"),
    mechanism: MechanismName = None,
    k: ClassSize = None,
    l: Values = None,  # noqa: E741 the name of the parameter in the field
    t: Closeness = None,
    promise: Promises = None,
    suppression: Suppression = None,
    suppressed: Suppressed = None,
    information_loss: Minimised = None,
    publish: Published = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    weight: Weights = None,
    population: Population = None,
    previous: Previous = None,
    previous_key: PreviousKey = None,
    append: Append = False,
    successors: Successors = True,
    pseudonyms: PseudonymKey = None,
    setting: Settings = None,
    engine: EngineName = None,
    master: Master = None,
) -> None:
    """Protect a table. By default its quasi-identifiers are recoded until it is k-anonymous, and its rows shuffled.

    Unless something says which, both recodings are tried and the one that loses less information is released. With
    --epsilon a generalised random sample is released instead, with differential privacy for each record.

    Example: sfumato table protect people.csv -o release.csv --schema table.toml --k 5 --suppression 0.04

    The schema file may also name promises and the mechanism, in tables called promise and mechanism.
    Parameters without an option of their own are given with --set.
    """
    from sfumato.table.core.schema_text import read_content
    from sfumato.table.explain.plain_mechanisms import apply_mechanism, private_settings
    from sfumato.table.promise.notation import parse_promise
    from sfumato.table.protection import target_of
    from sfumato.table.table_file import TableFile

    given = {
        "suppression": suppression, "suppressed": suppressed, "information_loss": information_loss, "publish": publish,
    }  # fmt: skip
    sizes = {"k": k, "l": l, "t": t}
    mechanism, private = private_settings(mechanism, epsilon, delta, sizes)
    given |= private
    file = TableFile.read(schema).with_mechanism(mechanism, read_settings(setting))
    recodes = file.recodes
    open_to_both = mechanism is None and setting is None and all(value is None for value in given.values())
    open_to_both = open_to_both and engine is None and "mechanism" not in read_content(schema)
    if weight is not None:
        weights = read_settings(weight, option="--weight")
        file = replace(file, schema=replace(file.schema, weights={**file.schema.weights, **weights}))
    if recodes and door.terms.person is not None:  # k counts people
        file = replace(file, schema=file.schema.counting(door.terms.person))
        door = replace(door, terms=replace(door.terms, person=None, most=None))
    if not recodes:
        given |= sizes
    file = file.with_mechanism(None, {name: value for name, value in given.items() if value is not None})
    if master is not None and engine != "spark":
        raise bad_input("master", master, "--engine spark with it")
    wanted = [parse_promise(phrase) for phrase in promise or ()]
    if not recodes:
        if engine is not None:
            raise bad_input("engine", engine, "none with a mechanism that does not recode", "it works in memory")
        if population is not None:
            raise bad_input("population", population, "none with a mechanism that does not recode")
        if previous or append or pseudonyms is not None:
            raise bad_input("mechanism", file.kind, "recoding beside earlier releases or with pseudonyms")
        apply_mechanism(file, wanted, door)
        return
    if not (file.promises or wanted or any(value is not None for value in sizes.values())):
        k = 5
    target = target_of(file.schema, k=k, l=l, t=t, target=wanted)
    everyone = None if population is None else Dialect().read(population)
    if not previous and (append or not successors):
        raise bad_input("append" if append else "no-successors", True, "--previous RELEASE with it")
    earlier = earlier_releases(previous, previous_key)
    if open_to_both and earlier and earlier[-1].card.mechanism.name == "local-recoding":
        file = file.with_mechanism("local-recoding", {})
    recoder: Any = file.build(target, population=everyone)
    if previous or append or pseudonyms is not None:
        if engine is not None:
            raise bad_input("engine", engine, "none beside earlier releases or with pseudonyms", "that stays in memory")
        protect_beside(recoder, door, earlier, append, successors, pseudonyms)
        return
    other: Any = file.with_mechanism("local-recoding", {}).build(target, population=everyone) if open_to_both else None
    _recode(recoder, door, engine, {} if master is None else {"master": master}, other)


def _recode(
    recoder: Recoder, door: Door, engine: str | None, where: dict[str, Any], other: Recoder | None = None
) -> None:
    """Recode from file to file or in memory, and say what came of it."""
    from sfumato.io.engine import find_engine
    from sfumato.table.explain.recoding_choice import better_of
    from sfumato.table.explain.release_words import decision_words, warn_of_certainty
    from sfumato.table.protection import protect_with
    from sfumato.table.streaming import protect_file

    obstacle = _in_memory(door)
    if engine is not None and obstacle:
        raise bad_input("engine", engine, f"none with {obstacle}", "that stays in memory")
    if engine is not None or (not obstacle and _large(door.input)):
        runs = find_engine(engine or "duckdb", **where)
        with progress_bar("recoding", None) as advance:
            release = protect_file(
                door.input,
                door.out,
                recoder,
                engine=runs,
                format=door.dialect.format,
                delimiter=door.dialect.delimiter,
                encoding=door.dialect.encoding,
                notes=lambda text: notes.print(text, markup=False, soft_wrap=True),
                terms=door.terms,
                rng=door.rng,
                card=door.card,
                sign=door.sign,
                advance=advance,
            )
        say(release.card)
        if door.terms.keep_order:
            notes.print("warning: the rows are in the order of the input, which often tells who is who", markup=False)
    else:
        table = door.read()
        if other is not None:
            recoder = better_of([recoder, other], table)
        release = protect_with(table, recoder, terms=door.terms, rng=door.rng)
        door.hand_over(release, table)
        warn_of_certainty(release)
    remind_of_key(recoder, door)
    if release.decision is not None:
        notes.print(decision_words(release.decision), markup=False, soft_wrap=True)


def _in_memory(door: Door) -> str:
    """What keeps a release from streaming past; empty if nothing does."""
    if door.key is not None or door.attack or door.report is not None:
        return "--key, --attack and --report"
    if door.terms.person is not None:
        return "--person"
    streams = _streams(door.input, door.dialect.format) and _streams(door.out)
    return "" if streams else "pipes and files that are not CSV or Parquet"


def _streams(path: str, format: str | None = None) -> bool:
    """Whether an engine reads and writes it: CSV and Parquet files."""
    from sfumato.io.engine.source import file_format

    try:
        return path != "-" and bool(file_format(Path(path), format))
    except InputError:
        return False


def _large(path: str) -> bool:
    """Whether a file streams past without being asked to."""
    file = Path(path)
    packed = file.suffix.lower() not in (".csv", ".tsv", ".tab", ".txt")
    return file.is_file() and file.stat().st_size > (LARGE // 4 if packed else LARGE)


@shared_options(leaving)
def synthesise(
    door: Door,
    *,
    schema: SchemaFile = Path("table.toml"),
    epsilon: LossLimit,
    delta: Delta = None,
    order: Together = 2,
    setting: Settings = None,
) -> None:
    """Release made-up records that agree with noisy counts of columns, with differential privacy for each record.

    The values that a column can have must be public: a hierarchy lists them, or --set domain=observed says so.

    Example: sfumato table synthesise people.csv -o made-up.csv --schema table.toml --epsilon 1 --delta 1e-6
    """
    from sfumato.table.explain.plain_mechanisms import apply_mechanism, private_settings
    from sfumato.table.table_file import TableFile

    kind, private = private_settings("marginal-synthesis", epsilon, delta, {})
    file = TableFile.read(schema).with_mechanism(kind, {**read_settings(setting), **private, "order": order})
    apply_mechanism(file, [], door)


@shared_options(returning)
def attack(
    returned: Returned,
    *,
    schema: SchemaFile = Path("table.toml"),
    column: Column = None,
    person: CountedPerson = None,
    previous: Previous = None,
    previous_key: PreviousKey = None,
    control: Control = None,
) -> None:
    """Attack a release: re-identification, linking, sensitive values. For the owner's eyes: uses the raw data.

    The attacker knows the mechanism from the card. The hierarchies are not on it: --schema says where they are. Which
    row was which is in the private key (protect --key), which is needed unless the rows kept their order. With
    --previous, earlier releases of the same people are attacked together with it; with --control, the attacker also
    tells people in the table from others.

    Example: sfumato table attack people.csv release.csv --schema table.toml --key release.key
    """
    returned.check_kind("table")
    roles = _schema(schema)
    if person is not None:
        roles = roles.counting(person)
    found = returned.release.attack(
        returned.original,
        schema=roles,
        column=column,
        previous=earlier_releases(previous, previous_key),
        control=None if control is None else Dialect().read(str(control)),
        seed=returned.seed,
    )
    print_findings(found, title=returned.title, reference="chance")


@shared_options(returning)
def measure(
    returned: Returned,
    *,
    schema: SchemaFile = Path("table.toml"),
    column: Column = None,
    positive: Annotated[
        str | None, typer.Option(help="The value that a learner predicts; by default the rarest.", show_default=False)
    ] = None,
) -> None:
    """Measure the utility of a release: information loss, statistics, queries, and a learner's F-ratio.

    Example: sfumato table measure people.csv release.csv --key release.key --column income --positive high
    """
    returned.check_kind("table")
    found = returned.release.measure(
        returned.original, schema=_schema(schema), column=column, positive=positive, seed=returned.seed
    )
    print_findings(found, title=returned.title, reference="raw data")


def _schema(path: Path) -> Schema:
    from sfumato.table.core.schema import Schema

    return Schema.read(path)
