"""``sfumato statistic protect | attack | measure``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from sfumato.cli.options import Input, LedgerFile, Out, Seed, Settings, Subject, mechanism_help, shared_options
from sfumato.errors import bad_input
from sfumato.io.files import check_table_output, read_table, write_table
from sfumato.statistic.question import Question, record_mechanisms
from sfumato.statistic.room import ROOM
from sfumato.study.console import command_rng, notes, print_scores
from sfumato.study.score import Score
from sfumato.study.settings import build, read_settings
from sfumato.validate import choice

if TYPE_CHECKING:
    from sfumato.noise import Rng

__all__ = ["attack", "measure", "protect"]

KINDS = ROOM.mechanisms() | record_mechanisms()

Columns = Annotated[
    list[str],
    typer.Option("--column", help="The column; repeat it for a mechanism on several at once.", show_default=False),
]
MechanismName = Annotated[str, typer.Option("--mechanism", help=mechanism_help(KINDS), show_default=False)]
Epsilon = Annotated[float | None, typer.Option(help="The privacy loss of the release.", show_default=False)]
Low = Annotated[float | None, typer.Option(help="The public lower bound of the values.", show_default=False)]
High = Annotated[float | None, typer.Option(help="The public upper bound of the values.", show_default=False)]
Delta = Annotated[float | None, typer.Option(help="δ, for t-tests and Gaussian noise.", show_default=False)]
Neighbours = Annotated[
    str | None, typer.Option(help="replace-one (n is public) or add-remove (n is private).", show_default="replace-one")
]
Clip = Annotated[bool, typer.Option("--clip", help="Move values outside the bounds to the nearest bound.")]
Bins = Annotated[int, typer.Option(help="Equal bins between the bounds, for a histogram.", min=1)]
Category = Annotated[list[str] | None, typer.Option(help="A public category; repeat it.", show_default=False)]
Quantiles = Annotated[list[float] | None, typer.Option("--q", help="Which quantile; repeat it.", show_default="0.5")]
Group = Annotated[str, typer.Option(help="The column with the labels A and B, for t-tests.")]
Deviation = Annotated[
    float | None, typer.Option(help="A public guess of the standard deviation, for welch-test.", show_default=False)
]


@dataclass(frozen=True)
class Asked:
    """What the shared options ask for."""

    question: Question
    mechanism: Any
    data: Any
    source: str
    rng: Rng

    @property
    def title(self) -> str:
        return f"{self.question.name} of {', '.join(self.question.columns)}"


def _asked(
    input: Input,
    column: Columns,
    mechanism: MechanismName,
    epsilon: Epsilon = None,
    low: Low = None,
    high: High = None,
    delta: Delta = None,
    neighbours: Neighbours = None,
    clip: Clip = False,
    bins: Bins = 10,
    category: Category = None,
    q: Quantiles = None,
    group: Group = "group",
    deviation: Deviation = None,
    setting: Settings = None,
    seed: Seed = None,
) -> Asked:
    question = Question(
        kind=KINDS[choice("mechanism", mechanism, list(KINDS))],
        columns=column,
        epsilon=epsilon,
        low=low,
        high=high,
        delta=delta,
        neighbours=neighbours,
        clip=clip,
        bins=bins,
        categories=tuple(category or ()),
        quantiles=tuple(q or (0.5,)),
        group=group,
        deviation=deviation,
        settings=read_settings(setting),
    )
    table = read_table(input)
    given = question.parameters(table)
    settled = {name: given.pop(name) for name in question.settled - set(question.settings) if name in given}
    built = build(KINDS, mechanism, given, hidden={*question.settled, "unit", "model"}, **settled)
    return Asked(question, built, question.data(table), input, command_rng(seed))


@shared_options(_asked)
def protect(asked: Asked, *, out: Out = "-", ledger: LedgerFile = None, subject: Subject = None) -> None:
    """Release a statistic of a column, or the column itself with noise, under differential privacy.

    Statistics (count, sum, mean, …) give one row for each number. Mechanisms on records (laplace, gaussian,
    bounded-number, randomized-response, planar-laplace, multivariate-gaussian) give the named columns with noise on
    every record, in random order, and nothing else of the table. exponential names the commonest category.

    Example: sfumato statistic protect people.csv --column age --mechanism mean --low 0 --high 120 --epsilon 1
    """
    check_table_output(out)  # before anything is paid for
    mechanism, data = asked.mechanism, asked.data
    asked.question.check(mechanism, data)
    if ledger is None:
        released = mechanism.release(data, rng=asked.rng)
    else:
        from sfumato.ledger import Ledger

        name = subject or Path(asked.source).name
        with Ledger(ledger, create=False) as book:
            released = book.release(mechanism, data, subject=name, rng=asked.rng, note=asked.title)
            notes.print(f"left in the ledger for {name!r}: {book.left(name)}", markup=False, soft_wrap=True)
    write_table(_table(asked, released), out, format="csv" if out == "-" else None)
    notes.print(f"promise: {mechanism.guarantee}", markup=False, soft_wrap=True)


def _table(asked: Asked, released: Any) -> Any:
    import pyarrow as pa

    from sfumato.statistic import WelchAnswer

    question = asked.question
    if question.each_record:
        values = np.asarray(released)
        rows = values.reshape(len(values), -1)[asked.rng.permutation(len(values))]  # the order of a file tells, too
        return pa.table({name: rows[:, k] for k, name in enumerate(question.columns)})
    common = {"mechanism": question.name, "column": question.columns[0]}
    if isinstance(released, WelchAnswer):
        answer = {
            "answered": released.answered,
            "value": released.statistic,
            "p_value": released.p_value,
            "noise_scale": released.noise_scale,
        }
        return pa.Table.from_pylist([common | answer])
    values = np.atleast_1d(released).tolist()
    parts = zip(question.parts(asked.mechanism), values, strict=True)
    return pa.Table.from_pylist([common | {"part": part, "value": value} for part, value in parts])


@shared_options(_asked)
def attack(
    asked: Asked,
    *,
    repeats: Annotated[int, typer.Option(help="Releases drawn in each of the attacker's worlds.", min=20)] = 2000,
) -> None:
    """Attack a protected statistic: membership, empirical ε, differencing. For the owner's eyes: uses the raw data.

    Example: sfumato statistic attack people.csv --column age --mechanism mean --low 0 --high 120 --epsilon 1
    """
    from sfumato.statistic import DifferencingAttack, EmpiricalEpsilonAttack, MembershipAttack

    if not hasattr(asked.mechanism, "farthest_neighbours"):
        known = [name for name, kind in KINDS.items() if hasattr(kind, "farthest_neighbours")]
        raise bad_input("--mechanism", asked.question.name, "a statistic: " + ", ".join(known))
    attacks: list[Any] = [MembershipAttack(repeats=repeats), EmpiricalEpsilonAttack(repeats=repeats)]
    if isinstance(asked.mechanism, DifferencingAttack.targets):
        attacks += [DifferencingAttack(), DifferencingAttack(repeats=1000)]
    release = asked.mechanism.release(asked.data, rng=asked.rng)
    scores = [(one.name, one.attack(asked.data, release, mechanism=asked.mechanism, rng=asked.rng)) for one in attacks]
    print_scores(scores, title=f"{asked.title}: {asked.mechanism.guarantee}", reference="chance")


@shared_options(_asked)
def measure(
    asked: Asked,
    *,
    repeats: Annotated[int, typer.Option(help="How many releases are measured.", min=1)] = 200,
) -> None:
    """Measure how far a protected statistic is off, over many releases. For the owner's eyes: uses the raw data.

    Example: sfumato statistic measure people.csv --column age --mechanism mean --low 0 --high 120 --epsilon 1
    """
    print_scores(
        _errors(asked, repeats),
        title=f"{asked.title}: {asked.mechanism.guarantee}, {repeats} releases",
        reference="exact",
    )


def _errors(asked: Asked, repeats: int) -> list[tuple[str, Score]]:
    from sfumato.statistic import WelchAnswer

    mechanism, data, rng = asked.mechanism, asked.data, asked.rng
    if hasattr(mechanism, "sample"):
        answers = mechanism.sample(data, repeats, rng)
    else:
        answers = [mechanism.release(data, rng=rng) for _ in range(repeats)]
    if isinstance(answers[0], WelchAnswer):
        answered = np.array([float(answer.answered) for answer in answers])
        rejected = np.array([float(answer.rejects(0.05)) for answer in answers])
        return [("answered", Score.of_mean(answered, 1.0)), ("rejects at 5 %", Score.of_mean(rejected))]
    exact, released = np.asarray(asked.question.exact(mechanism, data)), np.asarray(answers)
    if exact.dtype.kind not in "biuf":
        wrong = (released != exact).reshape(repeats, -1).mean(axis=1)
        return [("share that is wrong", Score.of_mean(wrong, 0.0))]
    errors = np.abs(released - exact).reshape(repeats, -1).mean(axis=1)
    rows = [("absolute error", Score.of_mean(errors, 0.0))]
    size = float(np.abs(exact).mean())
    if size > 0:
        rows.append(("relative error", Score.of_mean(errors / size, 0.0)))
    return rows
