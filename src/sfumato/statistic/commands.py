"""``sfumato statistic protect | attack | measure``."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from sfumato.errors import bad_input
from sfumato.io.files import check_table_output, read_table, write_table
from sfumato.study.console import command_rng, notes, print_scores
from sfumato.study.score import Score

if TYPE_CHECKING:
    from sfumato.statistic.questions import Question

__all__ = ["attack", "measure", "protect"]

Input = Annotated[str, typer.Argument(help="CSV, Parquet or JSON Lines; - for standard input.", show_default=False)]
Column = Annotated[str, typer.Option(help="The column that is asked about.", show_default=False)]
Query = Annotated[
    str, typer.Option(help="count, sum, mean, variance, histogram, quantile, welch or welch-test.", show_default=False)
]
Epsilon = Annotated[float, typer.Option(help="The privacy loss of the answer.", show_default=False)]
Low = Annotated[float | None, typer.Option(help="The public lower bound of the values.", show_default=False)]
High = Annotated[float | None, typer.Option(help="The public upper bound of the values.", show_default=False)]
Delta = Annotated[float | None, typer.Option(help="δ, for t-tests.", show_default=False)]
Neighbours = Annotated[str, typer.Option(help="replace-one (n is public) or add-remove (n is private).")]
Clip = Annotated[bool, typer.Option("--clip", help="Move values outside the bounds to the nearest bound.")]
Bins = Annotated[int, typer.Option(help="Equal bins between the bounds, for a histogram.", min=1)]
Category = Annotated[list[str] | None, typer.Option(help="A public category; repeat it.", show_default=False)]
Quantiles = Annotated[list[float] | None, typer.Option("--q", help="Which quantile; repeat it.", show_default="0.5")]
Group = Annotated[str, typer.Option(help="The column with the labels A and B, for t-tests.")]
Deviation = Annotated[
    float | None, typer.Option(help="A public guess of the standard deviation, for welch-test.", show_default=False)
]
Seed = Annotated[int | None, typer.Option(help="For experiments only: makes the noise repeatable.", show_default=False)]


def _question(options: dict[str, Any]) -> Question:
    """The question in the options of a command; the three commands share them by name."""
    from sfumato.statistic.questions import Question

    given = options | {"categories": tuple(options["category"] or ()), "quantiles": tuple(options["q"] or (0.5,))}
    return Question(**{field.name: given[field.name] for field in dataclasses.fields(Question)})


def protect(
    input: Input,
    column: Column,
    query: Query,
    epsilon: Epsilon,
    low: Low = None,
    high: High = None,
    delta: Delta = None,
    neighbours: Neighbours = "replace-one",
    clip: Clip = False,
    bins: Bins = 10,
    category: Category = None,
    q: Quantiles = None,
    group: Group = "group",
    deviation: Deviation = None,
    out: Annotated[str, typer.Option("--out", "-o", help="Where the answer goes; - for standard output.")] = "-",
    ledger: Annotated[
        Path | None, typer.Option(help="Pay from this ledger first (sfumato budget).", show_default=False)
    ] = None,
    subject: Annotated[
        str | None, typer.Option(help="Whose budget in the ledger; by default the input's name.", show_default=False)
    ] = None,
    seed: Seed = None,
) -> None:
    """Release one statistic of a column under differential privacy.

    Example: sfumato statistic protect people.csv --column age --query mean --low 0 --high 120 --epsilon 1
    """
    question = _question(locals())
    import pyarrow as pa

    check_table_output(out)  # before anything is paid for
    table = read_table(input)
    mechanism, data = question.mechanism(table), question.data(table)
    rng = command_rng(seed)
    question.exact(mechanism, data)
    if ledger is None:
        released = mechanism.release(data, rng=rng)
    else:
        from sfumato.ledger import Ledger

        name = subject or Path(input).name
        with Ledger(ledger, create=False) as book:
            released = book.release(mechanism, data, subject=name, rng=rng, note=f"{query} of {column}")
            notes.print(f"left in the ledger for {name!r}: {book.left(name)}", markup=False, soft_wrap=True)
    rows = _rows(question, mechanism, released)
    write_table(pa.Table.from_pylist(rows), out)
    notes.print(f"promise: {mechanism.guarantee}", markup=False, soft_wrap=True)


def _rows(question: Question, mechanism: Any, released: Any) -> list[dict[str, Any]]:
    from sfumato.statistic import WelchAnswer

    common = {"query": question.query, "column": question.column}
    if isinstance(released, WelchAnswer):
        return [
            common
            | {
                "answered": released.answered,
                "value": released.statistic,
                "p_value": released.p_value,
                "noise_scale": released.noise_scale,
            }
        ]
    values = np.atleast_1d(released).tolist()
    return [
        common | {"part": part, "value": value} for part, value in zip(question.parts(mechanism), values, strict=True)
    ]


def attack(
    input: Input,
    column: Column,
    query: Query,
    epsilon: Epsilon,
    low: Low = None,
    high: High = None,
    delta: Delta = None,
    neighbours: Neighbours = "replace-one",
    clip: Clip = False,
    bins: Bins = 10,
    category: Category = None,
    q: Quantiles = None,
    group: Group = "group",
    deviation: Deviation = None,
    trials: Annotated[int, typer.Option(help="Releases drawn in each of the attacker's worlds.", min=20)] = 2000,
    seed: Seed = None,
) -> None:
    """Attack a protected statistic: membership, empirical ε, differencing. For the owner's eyes: uses the raw data.

    Example: sfumato statistic attack people.csv --column age --query mean --low 0 --high 120 --epsilon 1
    """
    question = _question(locals())
    from sfumato.statistic import DifferencingAttack, EmpiricalEpsilonAttack, MembershipAttack

    table = read_table(input)
    mechanism, data = question.mechanism(table), question.data(table)
    rng = command_rng(seed)
    attacks: list[Any] = [MembershipAttack(trials=trials), EmpiricalEpsilonAttack(trials=trials)]
    if query in ("sum", "mean", "histogram"):
        attacks += [DifferencingAttack(), DifferencingAttack(repeats=1000)]
    release = mechanism.release(data, rng=rng)
    scores = [(one.name, one.attack(data, release, mechanism=mechanism, rng=rng)) for one in attacks]
    print_scores(scores, title=f"{query} of {column}: {mechanism.guarantee}", reference="chance")


def measure(
    input: Input,
    column: Column,
    query: Query,
    epsilon: Epsilon,
    low: Low = None,
    high: High = None,
    delta: Delta = None,
    neighbours: Neighbours = "replace-one",
    clip: Clip = False,
    bins: Bins = 10,
    category: Category = None,
    q: Quantiles = None,
    group: Group = "group",
    deviation: Deviation = None,
    runs: Annotated[int, typer.Option(help="How many releases are measured.", min=1)] = 200,
    seed: Seed = None,
) -> None:
    """Measure how far a protected statistic is off, over many releases. For the owner's eyes: uses the raw data.

    Example: sfumato statistic measure people.csv --column age --query mean --low 0 --high 120 --epsilon 1
    """
    question = _question(locals())
    table = read_table(input)
    mechanism, data = question.mechanism(table), question.data(table)
    rng = command_rng(seed)
    print_scores(
        _errors(question, mechanism, data, runs, rng),
        title=f"{query} of {column}: {mechanism.guarantee}, {runs} releases",
        reference="exact",
    )


def _errors(question: Question, mechanism: Any, data: Any, runs: int, rng: Any) -> list[tuple[str, Score]]:
    if question.query == "welch-test":
        answers = mechanism.sample(data, runs, rng)
        answered = np.array([float(answer.answered) for answer in answers])
        rejected = np.array([float(answer.rejects(0.05)) for answer in answers])
        return [("answered", _mean_score(answered, 1.0)), ("rejects at 5 %", _mean_score(rejected))]
    exact = np.asarray(question.exact(mechanism, data), float)
    if hasattr(mechanism, "sample"):
        released = np.asarray(mechanism.sample(data, runs, rng), float)
    else:
        released = np.array([mechanism.release(data, rng=rng) for _ in range(runs)], float)
    errors = np.abs(released - exact).reshape(runs, -1).mean(axis=1)
    rows = [("absolute error", _mean_score(errors, 0.0))]
    size = float(np.abs(exact).mean())
    if size > 0:
        rows.append(("relative error", _mean_score(errors / size, 0.0)))
    return rows


def _mean_score(values: Any, reference: float = float("nan")) -> Score:
    if len(values) == 0:
        raise bad_input("releases", 0, "at least one")
    mean = float(np.mean(values))
    spread = 1.96 * float(np.std(values)) / len(values) ** 0.5
    return Score(mean, mean - spread, mean + spread, reference=reference)
