"""Run a study and leave everything it found in one folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sfumato.study.frontier import frontier
from sfumato.study.outcome import Outcome
from sfumato.study.report.page import check_extras, report
from sfumato.study.report.plot_file import can_draw, save_frontier
from sfumato.study.run.runner import run
from sfumato.study.study import Study
from sfumato.study.threshold import Limits

__all__ = ["publish_study"]


def publish_study(
    study: Study,
    out: str | Path,
    *,
    workers: int | None = None,
    resume: bool = True,
    made: str = "",
    command: str = "",
    limits: Any = None,
    public: bool = False,
) -> Outcome:
    """Run ``study`` and write ``results.parquet`` and ``report.html`` to ``out``, with pictures of the frontier.

    ``frontier.png`` and ``frontier.svg`` need matplotlib (the extra ``figures``) and are left out without it. What the
    report itself needs is checked before anything is computed.

    Parameters
    ----------
    workers, resume
        As in :func:`~sfumato.study.run.runner`.
    made, command : str
        The date and the command that the report names.
    limits
        The risk that the reader accepts, as in :func:`~sfumato.study.report.page.report`.
    public : bool
        Also write ``report-public.html``, the edition that may be published.
    """
    check_extras()
    attacks = [attack.name for attack in study.attacks]
    named = Limits.of(limits, attacks, study.customary)  # before the work: a misspelt attack ends it here
    outcome = run(study, out=out, workers=workers, resume=resume)
    folder = Path(out)
    if can_draw():
        plane = frontier(outcome)
        for ending in ("png", "svg"):
            save_frontier(plane, folder / f"frontier.{ending}")
    pictures = [draw(outcome) for draw in study.pictures]
    report(outcome, folder / "report.html", pictures=pictures, made=made, command=command, limits=named)
    if public:
        report(outcome, folder / "report-public.html", pictures=pictures, made=made, limits=named, edition="public")
    return outcome
