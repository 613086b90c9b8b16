"""``sfumato budget``: show, set, spend, record, check and export the budgets of a ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.budget_tables import balance_table, crowd_table, history_table
from sfumato.cli.options import shared_options
from sfumato.errors import InputError, bad_input
from sfumato.ledger import Anchor, Entry, Ledger
from sfumato.ledger.location import VARIABLE
from sfumato.ledger.payment import check_budget, check_record
from sfumato.promise import (
    ApproxDP,
    Guarantee,
    KAnonymity,
    MetricDP,
    NoGuarantee,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from sfumato.study.console import notes, screen
from sfumato.validate import positive

__all__ = ["app"]

app = typer.Typer(
    help="Privacy budgets of people and data sets, kept in a ledger whose entries are chained.",
    no_args_is_help=True,
)

Place = Annotated[
    str, typer.Option("--ledger", envvar=VARIABLE, help="The ledger: a file, or postgresql://….", show_default=True)
]
File = Annotated[str | None, typer.Argument(help="The ledger; as --ledger.", show_default=False)]
Subject = Annotated[str, typer.Argument(help="A person, a group or a data set: any text.", show_default=False)]
Note = Annotated[str, typer.Option(help="Why, for the history.")]
ReleaseId = Annotated[str, typer.Option("--release", help="The id of the release, to find it again.")]
Column = Annotated[
    str | None, typer.Option("--column", "-c", help="The column of ids in that table.", show_default="its only one")
]
_DEFAULT = "sfumato-budget.db"


def _promise(
    epsilon: Annotated[float | None, typer.Option(help="ε, alone or with --delta.", show_default=False)] = None,
    delta: Annotated[float | None, typer.Option(help="δ beside ε.", show_default=False)] = None,
    rho: Annotated[float | None, typer.Option(help="ρ of zero-concentrated DP.", show_default=False)] = None,
    renyi: Annotated[
        list[str] | None,
        typer.Option(metavar="ORDER:EPSILON", help="Rényi DP, such as 8:0.5; repeatable.", show_default=False),
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="ε counts per unit of this distance, such as 'angle'.", show_default=False)
    ] = None,
    radius: Annotated[
        float | None,
        typer.Option(help="With --metric: only for values this close; else with within-radius.", show_default=False),
    ] = None,
    promise: Annotated[
        str | None,
        typer.Option(
            help='Any other promise as JSON, {"kind": …}, or a file that holds it: what to_dict() gives.',
            show_default=False,
        ),
    ] = None,
    unit: Annotated[str | None, typer.Option(help="Whose data is protected: record (usual), user, word, …")] = None,
    neighbours: Annotated[
        str | None, typer.Option(help="replace-one (usual), add-remove, any-pair or within-radius.", show_default=False)
    ] = None,
    model: Annotated[str | None, typer.Option(help="central (usual) or local.", show_default=False)] = None,
) -> Guarantee:
    """The promise that the options name."""
    scope: dict[str, Any] = {"unit": unit, "neighbours": neighbours, "model": model}
    scope = {name: value for name, value in scope.items() if value is not None}
    given = {"--epsilon": epsilon, "--rho": rho, "--renyi": renyi or None, "--promise": promise}
    named = [name for name, value in given.items() if value is not None]
    if len(named) != 1:
        expected = "exactly one of --epsilon, --rho, --renyi and --promise"
        raise bad_input("promise", " ".join(named), expected, "for instance --epsilon 1")
    if epsilon is None:
        extra = {"--delta": delta, "--metric": metric, "--radius": radius}
        extra |= scope if promise is not None else {}
        for name, value in extra.items():
            if value is not None:
                raise bad_input(name, value, f"nothing beside {named[0]}", "leave it out")
    if promise is not None:
        return _read_promise(promise)
    if renyi:
        return _renyi(renyi, scope)
    if rho is not None:
        return ZeroConcentratedDP(positive("--rho", rho), **scope)
    epsilon = positive("--epsilon", epsilon)
    if metric is not None:
        if delta is not None:
            raise bad_input("--metric", metric, "no --delta beside it")
        whole = MetricDP(epsilon, metric, **scope)
        return whole if radius is None else whole.within(positive("--radius", radius))
    if radius is not None and neighbours == "within-radius":
        scope["reach"] = positive("--radius", radius)
    elif radius is not None:
        raise bad_input("--radius", radius, "--metric beside it", "name the distance")
    return PureDP(epsilon, **scope) if delta is None else ApproxDP(epsilon, delta, **scope)


@app.command()
def show(
    subject: Annotated[str | None, typer.Argument(help="Only this one, with its history.", show_default=False)] = None,
    ledger: Place = _DEFAULT,
) -> None:
    """Show what is spent, what is left and what was released.

    Example: sfumato budget show clinic --ledger budgets.db
    """
    with Ledger(ledger, create=False) as book:
        entries = book.history(subject) if subject is not None else []
        balances = [one for one in book.balances() if subject in (None, one.subject)]
        others = [] if subject is not None else sorted({*book.subjects()} - {one.subject for one in balances})
        crowds = [book.crowd(one.subject) for one in balances if one.people is not None]
    if balances:
        screen.print(balance_table(balances))
        for crowd in crowds:
            screen.print(crowd_table(crowd))
    elif not entries and not others:
        notes.print("no budget is set yet; sfumato budget set SUBJECT --epsilon 1 sets one", soft_wrap=True)
    if others:
        screen.print(f"released without a budget: {', '.join(others)}", markup=False, soft_wrap=True)
    if entries:
        screen.print(history_table(entries))


@app.command(name="set")
@shared_options(_promise)
def set_budget(
    budget: Guarantee,
    subject: Subject,
    note: Note = "",
    ledger: Place = _DEFAULT,
) -> None:
    """Give a subject a budget, or change it; what was spent stays spent.

    Example: sfumato budget set clinic --epsilon 1 --delta 1e-6
    """
    check_budget(subject, budget, note)  # before a new file is made
    with Ledger(ledger) as book:
        book.set(subject, budget, note=note)
        left = book.left(subject)
    notes.print(f"{subject}: budget {budget}, left {left.statement}", soft_wrap=True, markup=False)


@app.command()
def enrol(
    roll: Annotated[str, typer.Argument(help="The subject whose budget each of them has.", show_default=False)],
    people: Annotated[Path, typer.Argument(help="A table with a column of ids.", show_default=False)],
    column: Column = None,
    note: Note = "",
    ledger: Place = _DEFAULT,
) -> None:
    """Put people on a roll: each has the roll's budget and pays on their own. Those who are on it keep their spends.

    Example: sfumato budget enrol patients people.csv --column id
    """
    ids = _ids(people, column)
    with Ledger(ledger, create=False) as book:
        joined = book.enrol(roll, ids, note=note)
        whole = book.balance(roll)
    already = len({*ids}) - joined
    before = f", {already:,} were on it before" if already else ""
    notes.print(
        f"{roll}: {joined:,} people joined{before}; {whole.people or 0:,} have {whole.budget.statement} each",
        soft_wrap=True,
        markup=False,
    )


@app.command()
@shared_options(_promise)
def spend(
    promise: Guarantee,
    subject: Subject,
    people: Annotated[
        Path | None,
        typer.Option(help="A table with the ids of those on the roll who pay.", show_default="everybody on it"),
    ] = None,
    column: Column = None,
    note: Note = "",
    release: ReleaseId = "",
    ledger: Place = _DEFAULT,
) -> None:
    """Charge the budget for a release made elsewhere; exit code 2, and nothing charged, if it does not fit.

    Examples:

      sfumato budget spend clinic --epsilon 0.25 --note "yearly report"

      sfumato budget spend patients --epsilon 0.1 --unit person --people cohort.csv --column id
    """
    if column is not None and people is None:
        raise bad_input("--column", column, "--people with it")
    ids = None if people is None else _ids(people, column)
    with Ledger(ledger, create=False) as book:
        entry = book.spend(subject, promise, people=ids, note=note, release=release)
    left = "" if entry.left is None else f", left {entry.left.statement}"
    if entry.people is None:
        _say(entry, f"spent {promise.statement}{left}")
    else:
        _say(
            entry,
            f"{entry.people:,} people spent {promise.statement}{left.replace('left', 'everybody has left')} or more",
        )


@app.command()
def record(
    subject: Subject,
    k: Annotated[int | None, typer.Option("--k", help="k of a k-anonymous release.", show_default=False)] = None,
    reason: Annotated[
        str | None, typer.Option(help="Why nothing is promised, for any other release.", show_default=False)
    ] = None,
    promise: Annotated[
        str | None, typer.Option(help='Any other promise as JSON, {"kind": …}, or a file.', show_default=False)
    ] = None,
    note: Note = "",
    release: ReleaseId = "",
    ledger: Place = _DEFAULT,
) -> None:
    """Note a release that no budget can pay for, so that the next one of the same people is told of it.

    Example: sfumato budget record clinic --k 5 --note "open data of 2026"
    """
    given = [value for value in (k, reason, promise) if value is not None]
    if len(given) != 1:
        raise bad_input("promise", given, "exactly one of --k, --reason and --promise", "for instance --k 5")
    if promise is not None:
        released = _read_promise(promise)
    else:
        released = NoGuarantee(str(reason)) if k is None else KAnonymity(k)
    check_record(subject, released, note, release)  # before a new file is made
    with Ledger(ledger) as book:
        entry = book.record(subject, released, note=note, release=release)
    _say(entry, f"recorded {released}")


@app.command()
def anchor(file: File = None, ledger: Place = _DEFAULT) -> None:
    """Print the head of the ledger: store it where the ledger is not, and verify finds what was taken back since.

    Example: sfumato budget anchor budgets.db >> heads.txt
    """
    with Ledger(file or ledger, create=False) as book:
        typer.echo(str(book.anchor()))


@app.command()
def verify(
    file: File = None,
    anchor: Annotated[
        str | None, typer.Option(help="A head that `sfumato budget anchor` printed earlier.", show_default=False)
    ] = None,
    ledger: Place = _DEFAULT,
) -> None:
    """Check every entry and every total, and with --anchor that nothing was taken back; exit code 2 if it is not so.

    Example: sfumato budget verify budgets.db --anchor "$(tail -n 1 heads.txt)"
    """
    wanted = None if anchor is None else Anchor.parse(anchor)
    with Ledger(file or ledger, create=False) as book:
        head = book.verify(wanted)
    typer.echo(f"intact: {head.count} entries, head {head}")
    if wanted is None:
        notes.print(
            "without --anchor, an older copy or a ledger cut short looks intact, too", soft_wrap=True, markup=False
        )


@app.command()
def export(
    out: Annotated[Path, typer.Option("--out", "-o", help=".csv, .jsonl or .parquet; - for pipes.")],
    subject: Annotated[str | None, typer.Argument(help="Only this one.", show_default=False)] = None,
    ledger: Place = _DEFAULT,
) -> None:
    """Write every budget, every spend and every record as a table, after a check of the whole ledger.

    Example: sfumato budget export -o spends.csv
    """
    from sfumato.io.files import write_table

    with Ledger(ledger, create=False) as book:
        book.verify()
        table = book.table(subject)
    write_table(table, out)
    notes.print(f"{table.num_rows} entries written to {out}", soft_wrap=True, markup=False)


def _say(entry: Entry, text: str) -> None:
    """What was written, and what was released of the same subject before."""
    notes.print(f"{entry.subject}: {text} (entry {entry.id})", soft_wrap=True, markup=False)
    if entry.notice:
        notes.print(f"note: {entry.notice}", soft_wrap=True, markup=False)


def _ids(path: Path, name: str | None) -> list[str]:
    """The ids in a column of a table, as texts."""
    from sfumato.io.files import read_table
    from sfumato.io.frames import column

    table = read_table(path)
    if name is None:
        if table.num_columns != 1:
            raise bad_input("--column", None, f"one of {', '.join(table.column_names)}", "say which holds the ids")
        name = table.column_names[0]
    column(table, name)  # none may be missing
    if not _is_id(table.schema.field(name).type):
        raise bad_input("--column", name, "texts or whole numbers as ids")
    return [str(one) for one in table[name].to_pylist()]


def _is_id(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_integer(kind))


def _renyi(given: list[str], scope: dict[str, Any]) -> RenyiDP:
    orders, losses = [], []
    for text in given:
        order, _, loss = text.partition(":")
        try:
            orders.append(float(order))
            losses.append(float(loss))
        except ValueError as error:
            raise bad_input("--renyi", text, "ORDER:EPSILON", "for instance --renyi 8:0.5") from error
    return RenyiDP(orders, losses, **scope)


def _read_promise(given: str) -> Guarantee:
    import json

    try:
        text = given if given.lstrip().startswith("{") else Path(given).read_text(encoding="utf-8")
        return Guarantee.from_dict(json.loads(text))
    except InputError:
        raise
    except (OSError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        expected = '{"kind": "PureDP", "epsilon": 1.0, …}, or a file that holds it'
        raise bad_input("--promise", given, expected, f"{type(error).__name__}") from error
