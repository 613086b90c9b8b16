"""Run a study and leave everything it found in one folder."""

from __future__ import annotations

from pathlib import Path

from sfumato.study.frontier import frontier
from sfumato.study.outcome import Outcome
from sfumato.study.report.page import report
from sfumato.study.report.plot_file import save_frontier
from sfumato.study.run.runner import run
from sfumato.study.study import Study

__all__ = ["publish"]


def publish(
    study: Study,
    out: str | Path,
    *,
    workers: int | None = None,
    resume: bool = True,
    made: str = "",
    command: str = "",
) -> Outcome:
    """Run ``study`` and write ``results.parquet``, ``frontier.png``, ``frontier.svg`` and ``report.html`` to ``out``.

    Parameters
    ----------
    workers, resume
        As in :func:`~sfumato.study.run.runner`.
    made, command : str
        The date and the command that the report names.
    """
    outcome = run(study, out=out, workers=workers, resume=resume)
    plane = frontier(outcome)
    for ending in ("png", "svg"):
        save_frontier(plane, Path(out) / f"frontier.{ending}")
    pictures = [draw(outcome) for draw in study.pictures]
    report(outcome, Path(out) / "report.html", pictures=pictures, made=made, command=command)
    return outcome
