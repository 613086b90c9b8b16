"""A released table with its papers: roles, public parameters, risk of its classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.promise import Guarantee
from sfumato.release import Card, ClassRisk, Release
from sfumato.release.card import ColumnRisk
from sfumato.study.threshold import WORST_RECORD, Threshold
from sfumato.table.core.classes import Classes
from sfumato.table.core.hierarchy import STAR, Hierarchy
from sfumato.table.core.information_loss import CellInformationLoss, InformationLoss
from sfumato.table.core.label_classes import as_it_is
from sfumato.table.core.proposal.schema_proposal import near_unique
from sfumato.table.core.risk import class_risk, population_uniques
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import Summary, distinct
from sfumato.table.mechanisms.anatomy import COUNT, GROUP, Anatomy
from sfumato.table.mechanisms.base import TableMechanism
from sfumato.table.mechanisms.recoding.recoder import Decision, Recoder
from sfumato.table.mechanisms.recoding.tuple_recoder import TupleRecoder
from sfumato.table.mechanisms.steps import Step
from sfumato.table.promise.people_anonymity import people_in, people_risks
from sfumato.table.table_file import STEPS, TableFile, mechanism_kinds

if TYPE_CHECKING:
    from sfumato.table.people.joined_decision import JoinedDecision

__all__ = [
    "TabularRelease",
    "anatomy_roles",
    "card_schema",
    "certain_secrets",
    "mechanism_of",
    "public_parameters",
    "released_roles",
    "risk_of_classes",
    "risk_of_people",
    "shown_by",
    "stars_tell",
    "telling_columns",
    "telling_words",
    "unprotected",
    "with_class_risk",
]

ROLES = {"quasi": "quasi-identifier", "sensitive": "sensitive", "insensitive": "insensitive"}
"""How the roles of a schema are called on a card."""

_POLICY = ("missing", "missing_values", "levels", "gap")
"""Public parameters that are not parameters of the mechanism."""


ESTIMATOR = "Pitman (Hoshino 2001) up to a sampling fraction of 10 %, Zayatz 1991 above"
"""Of the share of the population that is unique."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TabularRelease(Release):
    """A protected table. The levels of its columns are on the card, among the parameters of the mechanism.

    Parameters
    ----------
    schema : Schema, optional
        Roles and hierarchies, for attacks and measures; None in a release that was read from a file.
    decision : Decision, optional
        Private, never written: what recoding decided, with levels, information loss, suppressed records, class sizes
        and whether the optimum is proved. How many records were left out is not in the release.
    """

    schema: Schema | None = None
    decision: Decision | JoinedDecision | None = None


def released_roles(schema: Schema) -> dict[str, str]:
    """The role of each column that leaves, as a card says it."""
    return {name: ROLES[role] for name, role in schema.roles.items() if role in ROLES}


def public_parameters(mechanism: TableMechanism | Anatomy, decision: Decision | None = None) -> dict[str, Any]:
    """The parameters of a mechanism as plain values, with the levels that its release shows.

    >>> from sfumato.table import ColumnMethods, Generalise, Hierarchy
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])})
    >>> public_parameters(ColumnMethods(schema=schema, columns={"age": [Generalise(1)]}))["columns"]
    {'age': [{'step': 'generalise', 'level': 1}]}
    """
    schema: Schema = mechanism.schema
    hidden = ("schema", "population")
    given = {part.name: _plain(getattr(mechanism, part.name)) for part in fields(mechanism) if part.name not in hidden}
    given |= {"missing": schema.missing, "missing_values": list(schema.missing_values)}
    if decision is not None:
        given["levels"] = _plain(decision.levels)
        if decision.gap is not None:
            given["gap"] = math.ceil(decision.gap * 1e4) / 1e4
    return given


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):  # a promise
        return value.to_dict()
    if isinstance(value, Step):
        name = next(name for name, kind in STEPS.items() if type(value) is kind)
        return {"step": name} | {part.name: _plain(getattr(value, part.name)) for part in fields(value)}  # type: ignore[arg-type]
    if isinstance(value, CellInformationLoss):
        return {"name": value.name, "weights": dict(value.weights)} if value.weights else value.name
    if isinstance(value, InformationLoss):
        column = getattr(value, "column", None)
        return value.name if column is None else f"{value.name}:{column}"
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return [_plain(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def mechanism_of(card: Card, schema: Schema) -> Any:
    """The mechanism that made a release, from its card; hierarchies are not on a card and come from the schema."""
    own = {part.name for part in fields(mechanism_kinds()[card.mechanism.name])}
    there = card.mechanism.parameters.items()
    given = {name: value for name, value in there if name in own or name not in _POLICY}
    promises = tuple(Guarantee.from_dict(one) for one in given.pop("target", ()))
    weighted = given.get("information_loss")
    if isinstance(weighted, Mapping):
        kinds = {kind.name: kind for kind in CellInformationLoss.__subclasses__()}
        given["information_loss"] = kinds[weighted["name"]](weights=weighted["weights"])
    return TableFile(schema, promises, card.mechanism.name, given).build()


def card_schema(card: Card) -> Schema:
    """The roles of the columns of a release, from its card; the hierarchies of the quasi-identifiers say nothing."""
    roles = {column.name: column.role for column in card.release.columns}
    given = card.mechanism.parameters
    missing = given.get("missing_values", [""])
    if not isinstance(missing, list):
        raise bad_input("card.mechanism.parameters.missing_values", missing, "a list of texts")
    nothing = Hierarchy([["no value", STAR]])
    return Schema(
        quasi=dict.fromkeys((name for name, role in roles.items() if role == ROLES["quasi"]), nothing),
        sensitive=[name for name, role in roles.items() if role == ROLES["sensitive"]],
        insensitive=[name for name, role in roles.items() if role == ROLES["insensitive"]],
        missing="category",
        missing_values=missing,
    )


def risk_of_classes(
    sizes: NDArray[np.int64],
    *,
    population: int | None = None,
    limit: Threshold = WORST_RECORD,
) -> ClassRisk:
    """The risk of re-identification that follows from the sizes of the released classes.

    Parameters
    ----------
    sizes : ndarray
    population : int, optional
        How many members the population has, to estimate how many of them are unique.
    limit : Threshold
        Records with more risk are counted.

    >>> risk = risk_of_classes(np.array([5, 20]))
    >>> risk.highest, risk.average, risk.share_above
    (0.2, 0.08, 0.2)
    """
    there = np.asarray(sizes)[np.asarray(sizes) > 0]
    found = class_risk(there)
    unique = None
    if population is not None and population >= there.sum():
        unique = population_uniques(there, population) / population
    return ClassRisk(
        highest=found.prosecutor,
        average=found.marketer,
        share_above=float(there[1 / there > limit.value].sum() / there.sum()),
        threshold=limit.value,
        threshold_source=limit.origin,
        population_unique=unique,
        estimator="" if unique is None else ESTIMATOR,
    )


def risk_of_people(
    table: Summary, person: str, *, population: int | None = None, limit: Threshold = WORST_RECORD
) -> ClassRisk:
    """The risk of re-identification of the people in the released classes, each by the smallest class they are in.

    The release does not show whose record each is. So the figures are rounded up to three digits, which do not tell how
    many people there are.

    Parameters
    ----------
    table : Summary
        Of the labels that are released.
    person : str
        The column that says whose record it is.
    population : int, optional
        As in :func:`risk_of_classes`; nothing is estimated where somebody is in several classes.
    limit : Threshold
        People with more risk are counted.
    """
    classes = Classes.by_value(table)
    risk, sizes = people_risks(classes, person), people_in(classes, person).astype(np.int64)
    unique = None
    if population is not None and population >= sizes.sum() == len(risk):
        unique = _upwards(population_uniques(sizes, population) / population)
    return ClassRisk(
        highest=_upwards(risk.max()),
        average=_upwards(risk.mean()),
        share_above=_upwards((risk > limit.value).mean()),
        threshold=limit.value,
        threshold_source=limit.origin,
        population_unique=unique,
        estimator="" if unique is None else ESTIMATOR,
        counted="people",
    )


def _upwards(share: float) -> float:
    """A share rounded up to three digits.

    >>> _upwards(1 / 7), _upwards(0.2), _upwards(0.0)
    (0.143, 0.2, 0.0)
    """
    if share <= 0:
        return 0.0
    places = 2 - math.floor(math.log10(share))
    return min(1.0, round(math.ceil(share * 10**places - 1e-9) / 10**places, places))


def shown_by(recoding: TupleRecoder, table: Summary, person: str | None = None) -> Summary:
    """The summary of what a recoding releases of a table, by its labels, and of ``person``, which is not released."""
    kept = np.ones(len(table.codes), np.bool_) if recoding.dropped is None else ~recoding.dropped
    codes, member = distinct(recoding.output[kept].astype(np.int64), [len(words) for words in recoding.labels])
    counts = np.bincount(member, table.counts[kept], len(codes)).astype(np.int64)
    if person is None:
        return Summary(table.names, (), codes, counts)
    held = table.column(person)
    inside, place = kept[held.tuples], member[np.cumsum(kept) - 1]
    people = replace(held, tuples=place[held.tuples[inside]], codes=held.codes[inside], counts=held.counts[inside])
    return Summary(table.names, (), codes, counts, (people,))


def column_risks(table: Summary, person: str | None = None) -> tuple[ColumnRisk, ...]:
    """The average risk by class sizes without each quasi-identifier of a released table, the most telling first."""
    found = []
    for j, name in enumerate(table.names):
        codes, member = distinct(np.delete(table.codes, j, axis=1), np.delete(table.codes.max(axis=0) + 1, j).tolist())
        classes = Classes(table, member, len(codes))
        if person is None:
            average = float((classes.sizes > 0).sum() / table.rows)
        else:
            average = _upwards(people_risks(classes, person).mean())
        found.append(ColumnRisk(column=name, average_without=average))
    return tuple(sorted(found, key=lambda one: one.average_without))


def with_class_risk(
    release: TabularRelease, classes: Summary, *, person: str | None = None, limit: Threshold = WORST_RECORD
) -> TabularRelease:
    """The release with the risk of its classes, and what each column adds to it, on its card.

    It is that of people where ``classes`` says whose record each is, in ``person``.
    """
    population = release.card.source.population_size
    if person is None:
        risk = risk_of_classes(classes.counts, population=population, limit=limit)
    else:
        risk = risk_of_people(classes, person, population=population, limit=limit)
    risk = replace(risk, columns=column_risks(classes, person))
    return replace(release, card=replace(release.card, class_risk=risk))


def stars_tell(mechanism: Any, decision: Decision | None, schema: Schema) -> bool:
    """Whether the suppressed records can be counted in the release: rows of ``*`` that nothing else looks like."""
    if decision is None or getattr(mechanism, "suppressed", None) != "star":
        return False
    return any(STAR not in tree.labels[decision.levels[name]] for name, tree in schema.quasi.items())


def unprotected(mechanism: Any, *, per_person: bool = False) -> list[str]:
    """What a release of this mechanism does not protect, in short phrases; ``per_person`` if people are charged for."""
    schema: Schema = mechanism.schema
    if mechanism.covers_all:
        found = ["what follows for everybody from the table as a whole, with or without one's own record"]
        if schema.person is not None and not per_person:
            found.append(f"all records of one {schema.person} together: the promise is for each record")
        return found
    found = []
    if isinstance(mechanism, Anatomy):
        found.append("who is in the table: its quasi-identifiers are released as they are")
    if isinstance(mechanism, Recoder):
        promised = {getattr(one, "column", None) for one in mechanism.target}
        open_to_all = [name for name in schema.secrets if name not in promised]
        if open_to_all:
            found.append("what records that look alike have in common in " + ", ".join(open_to_all))
    if schema.insensitive:
        found.append("columns released as they are: " + ", ".join(schema.insensitive))
    if mechanism.guarantee.syntactic:
        found.append("people of whom an attacker knows more than the quasi-identifiers " + ", ".join(schema.quasi))
    found.append("the number of released records")
    return found


def telling_columns(frame: Any, schema: Schema) -> list[str]:
    """What to say of columns that are released as they are although they are different in most rows."""
    return telling_words(near_unique(frame, schema))


def telling_words(found: Sequence[str]) -> list[str]:
    """What to say of columns that are different in most rows; nothing if there are none."""
    return [f"whoever is known by {', '.join(found)}: different in most rows and released as they are"] if found else []


def certain_secrets(release: TabularRelease) -> dict[str, float]:
    """The share of released records whose class has a single value of a sensitive column, where some have."""
    table = as_it_is(release.arrow, card_schema(release.card))[0]
    classes = Classes.by_value(table)
    found = {}
    for column in table.sensitive:
        alone = sum(
            int(histogram.sum(axis=1)[(histogram > 0).sum(axis=1) == 1].sum())
            for _, histogram in classes.blocks(column.name)
        )
        if alone:
            found[column.name] = alone / table.rows
    return found


def anatomy_roles(schema: Schema) -> dict[str, str]:
    """The roles of the columns of an anatomised release."""
    return released_roles(schema) | {GROUP: "group", COUNT: "count"}
