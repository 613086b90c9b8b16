"""``sfumato budget``: show, set, spend and export the budgets of a ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.errors import bad_input
from sfumato.ledger import Balance, Entry, Ledger
from sfumato.promise import ApproxDP, Guarantee, MetricDP, PureDP, ZeroConcentratedDP
from sfumato.study.console import notes, screen
from sfumato.validate import positive

__all__ = ["app"]

app = typer.Typer(
    help="What each subject or data set may still give away, kept in a durable ledger.",
    no_args_is_help=True,
)

Path_ = Annotated[Path, typer.Option("--ledger", envvar="SFUMATO_LEDGER", help="The ledger file.", show_default=True)]
Subject = Annotated[str, typer.Argument(help="A person, a group or a data set: any text.", show_default=False)]
Epsilon = Annotated[float | None, typer.Option(help="ε, alone or with --delta.", show_default=False)]
Delta = Annotated[float | None, typer.Option(help="δ beside ε.", show_default=False)]
Rho = Annotated[float | None, typer.Option(help="ρ of zero-concentrated DP.", show_default=False)]
Metric = Annotated[str | None, typer.Option(help="ε per unit of this distance, such as 'angle'.", show_default=False)]
Unit = Annotated[str, typer.Option(help="Whose data is protected: record, user, word, …")]
Neighbours = Annotated[
    str | None, typer.Option(help="replace-one (usual), add-remove or any-pair.", show_default=False)
]
Model = Annotated[str | None, typer.Option(help="central (usual) or local.", show_default=False)]
Note = Annotated[str, typer.Option(help="Why, for the history.")]
_DEFAULT = Path("sfumato-budget.db")


@app.command()
def show(
    subject: Annotated[str | None, typer.Argument(help="Only this one, with its history.", show_default=False)] = None,
    ledger: Path_ = _DEFAULT,
) -> None:
    """Show what is spent and what is left.

    Example: sfumato budget show clinic --ledger budgets.db
    """
    with Ledger(ledger, create=False) as book:
        balances = book.balances() if subject is None else [book.balance(subject)]
        entries = book.history(subject) if subject is not None else []
    if not balances:
        notes.print("no budget is set yet; sfumato budget set SUBJECT --epsilon 1 sets one", soft_wrap=True)
        return
    screen.print(_balance_table(balances))
    if entries:
        screen.print(_history_table(entries))


@app.command(name="set")
def set_budget(
    subject: Subject,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    metric: Metric = None,
    unit: Unit = "record",
    neighbours: Neighbours = None,
    model: Model = None,
    note: Note = "",
    ledger: Path_ = _DEFAULT,
) -> None:
    """Give a subject a budget, or change it; what was spent stays spent.

    Example: sfumato budget set clinic --epsilon 1 --delta 1e-6
    """
    budget = _promise(epsilon, delta, rho, metric, unit, neighbours, model)
    with Ledger(ledger) as book:
        book.set(subject, budget, note=note)
        left = book.left(subject)
    notes.print(f"{subject}: budget {budget}, left {left.statement}", soft_wrap=True, markup=False)


@app.command()
def spend(
    subject: Subject,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    metric: Metric = None,
    unit: Unit = "record",
    neighbours: Neighbours = None,
    model: Model = None,
    note: Note = "",
    ledger: Path_ = _DEFAULT,
) -> None:
    """Pay for a release made elsewhere, before it is handed out; exit code 2 and nothing paid if it does not fit.

    Example: sfumato budget spend clinic --epsilon 0.25 --note "yearly report"
    """
    promise = _promise(epsilon, delta, rho, metric, unit, neighbours, model)
    with Ledger(ledger, create=False) as book:
        book.spend(subject, promise, note=note)
        left = book.left(subject)
    notes.print(f"{subject}: spent {promise.statement}, left {left.statement}", soft_wrap=True, markup=False)


@app.command()
def export(
    out: Annotated[Path, typer.Option("--out", "-o", help=".csv, .jsonl or .parquet; - for pipes.")],
    subject: Annotated[str | None, typer.Argument(help="Only this one.", show_default=False)] = None,
    ledger: Path_ = _DEFAULT,
) -> None:
    """Write every budget set and every spend as a table.

    Example: sfumato budget export -o spends.csv
    """
    from sfumato.io.files import write_table

    with Ledger(ledger, create=False) as book:
        book.verify()
        table = book.table(subject)
    write_table(table, out)
    notes.print(f"{table.num_rows} entries written to {out}", soft_wrap=True, markup=False)


def _promise(
    epsilon: float | None,
    delta: float | None,
    rho: float | None,
    metric: str | None,
    unit: str,
    neighbours: str | None,
    model: str | None,
) -> Guarantee:
    scope: dict[str, Any] = {"unit": unit}
    scope |= {name: value for name, value in (("neighbours", neighbours), ("model", model)) if value is not None}
    if (epsilon is None) == (rho is None):
        raise bad_input("--epsilon, --rho", (epsilon, rho), "exactly one of the two", "for instance --epsilon 1")
    if rho is not None:
        positive("--rho", rho)
        if delta is not None or metric is not None:
            raise bad_input("--rho", rho, "no --delta and no --metric beside it")
        return ZeroConcentratedDP(rho, **scope)
    epsilon = positive("--epsilon", epsilon)
    if metric is not None:
        if delta is not None:
            raise bad_input("--metric", metric, "no --delta beside it")
        return MetricDP(epsilon, metric, **scope)
    return PureDP(epsilon, **scope) if delta is None else ApproxDP(epsilon, delta, **scope)


def _balance_table(balances: list[Balance]) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("subject", "budget", "spent", "left"):
        table.add_column(heading, overflow="fold")
    table.add_column("used", justify="right", no_wrap=True)
    table.add_column("releases", justify="right", no_wrap=True)
    table.add_column("for", overflow="fold")
    for balance in balances:
        used = _used(balance)
        colour = "red" if used >= 0.999 else "yellow" if used >= 0.8 else "green"
        scope = balance.budget.scope
        table.add_row(
            Text(balance.subject),
            balance.budget.statement,
            balance.spent.statement,
            balance.left.statement,
            Text(f"{used:.0%}", style=colour),
            str(balance.spends),
            Text(f"{scope['unit']}, {scope['neighbours']}, {scope['model']}"),
        )
    return table


def _used(balance: Balance) -> float:
    """The larger share spent of ε (or ρ) and δ."""
    limits, left = balance.budget.cost(), balance.left.cost()
    shares = ((limit - left[name]) / limit for name, limit in limits.amounts.items() if limit)
    return max(map(float, shares), default=1.0)


def _history_table(entries: list[Entry]) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("at (UTC)", "action", "promise", "note"):
        table.add_column(heading, overflow="fold")
    for entry in entries:
        table.add_row(f"{entry.at:%Y-%m-%d %H:%M:%S}", entry.action, Text(entry.promise), Text(entry.note))
    return table
