"""Run a study: every cell once, in parallel processes, durably."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import sfumato
from sfumato.errors import CellError, MissingExtraError
from sfumato.io.atomic import output_folder
from sfumato.study.console import progress_bar
from sfumato.study.outcome import Outcome
from sfumato.study.run.cell import Cell, Work, cells_of, digest_of
from sfumato.study.run.journal import Journal
from sfumato.study.run.script import leave_if_imported
from sfumato.study.study import Study
from sfumato.validate import integer

__all__ = ["run"]

_ROWS = 2
"""The form of the rows; cells with rows of another form are computed again."""


def run(
    study: Study,
    *,
    out: str | Path | None = None,
    workers: int | None = None,
    resume: bool = True,
    progress: bool = True,
) -> Outcome:
    """Protect, attack and measure every cell of a study (label × mechanism × seed, and the raw data).

    The numbers depend on the study alone: not on the number of processes, the order of the cells or an interruption.

    Parameters
    ----------
    out : path, optional
        A folder for ``journal.jsonl`` (finished cells, written as they finish) and ``results.parquet`` (all of them,
        at the end). Run again after an interruption, only the missing cells are computed.
    workers : int, optional
        Processes; by default one a processor once the study has lasted a few seconds. ``1`` stays in this process.
        More need a study that pickles, and a script that starts it under ``if __name__ == "__main__":``, since every
        new process imports the script.
    resume : bool
        Take over the cells that an earlier run with the same data and parameters left in ``out``.
    progress : bool
        Show a bar, if standard error is a terminal.

    Raises
    ------
    CellError
        If a mechanism fails. All other cells are still computed, and kept. A measure that fails is a row without a
        value, with the reason; so are the measures of a setting that the data cannot reach.
    MissingExtraError
        At once, if a mechanism needs a package that is not installed.
    """
    from sfumato.study.run.workers import evaluate_all

    leave_if_imported()
    start = time.perf_counter()
    if workers is not None:
        integer("workers", workers)
    cells = cells_of(study)
    data = study.data() if callable(study.data) else study.data
    contains = {unit: dict(holders) for unit, holders in study.contains.items()}
    work = Work(
        study=study.name,
        varied=study.varied,
        data=data,
        attacks=study.attacks,
        utilities=study.utilities,
        contains=contains,
    )
    measures = (_parts(study.attacks), _parts(study.utilities))
    surroundings = digest_of((sfumato.__version__, _ROWS, study.varied, data, *measures, sorted(contains.items())))
    with contextlib.ExitStack() as stack:
        journal = None
        if out is not None:
            journal = stack.enter_context(Journal(output_folder(out) / "journal.jsonl", fresh=not resume))
        keys = [cell.fingerprint(surroundings) for cell in cells]
        done = dict(journal.done) if journal else {}
        missing = [place for place, key in enumerate(keys) if key not in done]
        advance = stack.enter_context(progress_bar(study.title, len(cells), show=progress))
        advance(len(cells) - len(missing))
        failures: list[tuple[Cell, BaseException]] = []
        make = study.data if callable(study.data) else None
        results = evaluate_all(work, make, cells, missing, workers)
        for place, result in stack.enter_context(contextlib.closing(results)):
            if isinstance(result, MissingExtraError):
                raise result  # every other cell would need it too
            if isinstance(result, BaseException):
                failures.append((cells[place], result))
            else:
                done[keys[place]] = result
                if journal and not any(row["reason"] for row in result):  # what failed is tried again next time
                    journal.add(keys[place], result)
            advance(1)
    rows = [row for key in keys if key in done for row in done[key]]
    outcome = Outcome.of(
        study,
        rows,
        computed=len(missing) - len(failures),
        kept=len(cells) - len(missing),
        seconds=time.perf_counter() - start,
    )
    if failures:
        failures.sort(key=lambda failure: cells.index(failure[0]))
        raise _failed(study, failures, len(cells), outcome) from failures[0][1]
    if out is not None:
        outcome.write(Path(out) / "results.parquet")
    return outcome


def _failed(study: Study, failures: list[tuple[Cell, BaseException]], total: int, outcome: Outcome) -> CellError:
    cell, error = failures[0]
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    return CellError(
        f"study {study.name}: {len(failures)} of {total} cells failed, first {cell.shown}: {reason}; "
        "the others are kept, run again after the repair",
        outcome,
    )


def _parts(measures: Sequence[Any]) -> list[Any]:
    """Class and parameters of attacks and utilities: they are part of a cell's identity."""
    return [
        (type(measure).__qualname__, measure.name, {item.name: getattr(measure, item.name) for item in fields(measure)})
        for measure in measures
    ]
