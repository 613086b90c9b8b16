"""What a recoding would do to a table: its risk and its loss, for the owner's eyes, before anything is released."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sfumato.study.preview import Dial, Foreseen, Preview
from sfumato.table.core.classes import Classes
from sfumato.table.core.lineage import arrow_of
from sfumato.table.core.risk import ClassRisk, class_risk
from sfumato.table.core.summary import summarise
from sfumato.table.promise.people_anonymity import risk_in
from sfumato.table.protection import recoder
from sfumato.table.tabular_release import shown_by

if TYPE_CHECKING:
    from sfumato.promise import Guarantee
    from sfumato.table.core.schema import Schema
    from sfumato.table.core.summary import Summary
    from sfumato.table.mechanisms.recoding.recoder import Decision

__all__ = ["preview", "preview_of", "released_risk"]

_LARGEST_CLASS = 100


def preview(frame: Any, schema: Schema, *, k: int, **arguments: Any) -> Preview:
    """What a recoded table would promise, the risk that it leaves and what it loses.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
    schema : Schema
    k, arguments
        As in :func:`~sfumato.table.protect`.

    Examples
    --------
    >>> from sfumato.table.data import census_schema, make_census
    >>> found = preview(make_census(1000), census_schema(), k=10, suppression=0.05)
    >>> found.figure("worst").value <= 0.1
    True
    >>> from sfumato.study.preview import setting_for
    >>> def make(k):
    ...     return preview(make_census(1000), census_schema(), k=int(k), suppression=0.05)
    >>> k = setting_for(make, found.dial("k"), "loss", 0.5)  # the strongest that loses no more than half
    >>> make(k).figure("loss").value <= 0.5
    True
    """
    table = arrow_of(frame)
    bound = schema.bound(table)
    made = recoder(bound, k=k, **arguments)
    summary, _ = summarise(table, bound)
    return preview_of(made.decide(summary), summary, bound.person, made.guarantee, k)


def released_risk(decision: Decision, summary: Summary, person: str | None) -> ClassRisk:
    """The risk that a decision leaves: of people, where ``person`` is the column that says whose record each is."""
    if person is None:
        return class_risk(decision.sizes)
    return risk_in(Classes.by_value(shown_by(decision.recoding, summary, person)), person)


def preview_of(decision: Decision, summary: Summary, person: str | None, promise: Guarantee, k: int) -> Preview:
    """What a decision leads to."""
    risk = released_risk(decision, summary, person)
    figures = (
        Foreseen(
            name="worst",
            value=risk.prosecutor,
            words="highest risk",
            why="Of someone who knows that a person is in the table: one divided by the "
            f"{risk.counted} of the smallest class.",
            share=False,
            risk=True,
            by="k",
        ),
        Foreseen(
            name="average",
            value=risk.marketer,
            words="average risk",
            why=f"The share of {risk.counted} that somebody gets right who links all of them by the columns that may "
            "be known.",
            share=False,
            risk=True,
            by="k",
        ),
        Foreseen(
            name="loss",
            value=decision.information_loss,
            words="information lost",
            why="How far the published labels are from the values, on average over the columns by their weights; 100 % "
            "is nothing but stars.",
            by="k",
        ),
        Foreseen(
            name="suppressed",
            value=decision.suppressed,
            words="blotted out",
            why="Records that become rows of stars, since they would stand out.",
            share=False,
        ),
    )
    most = max(min(_LARGEST_CLASS, summary.rows), k)
    dials = (Dial(name="k", words="people who look alike, at least", value=k, low=2, high=most, step=1),)
    return Preview(promise=promise, figures=figures, dials=dials)
