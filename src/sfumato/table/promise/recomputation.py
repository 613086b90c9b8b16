"""What can be computed again from a released table and its card alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato.errors import InputError, SfumatoError
from sfumato.promise import Guarantee
from sfumato.release import Check, Release
from sfumato.study.rooms import command_name
from sfumato.study.threshold import Threshold
from sfumato.table.core.classes import Classes
from sfumato.table.core.label_classes import as_it_is
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import Sensitive, Summary, labels_of
from sfumato.table.mechanisms.anatomy import COUNT, GROUP, VALUES
from sfumato.table.mechanisms.private.sampled_generalisation import SampledGeneralisation
from sfumato.table.promise.base import flatten, table_promises
from sfumato.table.tabular_release import card_schema, mechanism_of, risk_of_classes

__all__ = ["recompute"]


def recompute(release: Release, *, schema: Schema | None = None) -> list[Check]:
    """Compute k, l and t, the classes and the suppressed records again, from the release and its card alone.

    Parameters
    ----------
    release : Release
    schema : Schema, optional
        Roles and hierarchies. A card has no hierarchies: without them t-closeness is checked with equal distance only.
    """
    content = release.card.release
    checks = [Check.of_shape(release)]
    if checks[0].result == "fails" or not content.rows:
        return checks
    try:
        roles = card_schema(release.card)
        if schema is not None:
            roles = Schema(
                quasi=roles.quasi,
                sensitive={name: schema.secrets.get(name) for name in roles.secrets},
                missing="category",
                missing_values=roles.missing_values,
            )
        table, starred = as_it_is(release.arrow, roles)
    except SfumatoError as error:
        return [*checks, Check(name="classes", result="fails", words=str(error))]
    classes = Classes.by_value(table)
    if content.rows_suppressed is not None:
        checks.append(
            Check.that(
                "suppressed records",
                content.rows_suppressed == starred,
                f"{starred} rows are suppressed",
                f"{starred} rows are suppressed, the card says {content.rows_suppressed}",
            )
        )
    checks += _class_risk(release, classes)
    promised = release.guarantee
    if VALUES in [part.name for part in content.parts]:
        return [*checks, _anatomy(release, promised)]
    if release.card.mechanism.name == command_name(SampledGeneralisation):
        checks.append(_threshold(release, roles))
    if not promised.syntactic:
        words = f"{promised.statement} is not a property of the table: nothing can be computed again"
        return [*checks, Check(name="promise", result="not checked", words=words)]
    return [*checks, *_promises(promised, classes, roles)]


def _threshold(release: Release, roles: Schema) -> Check:
    """Whether every class of equal rows is as large as ε, δ and the sampling rate on the card ask for."""
    try:
        k = mechanism_of(release.card, roles).k
    except SfumatoError as error:
        return Check(name="smallest class", result="fails", words=str(error))
    rows = release.arrow
    smallest = min(rows.group_by(rows.column_names).aggregate([([], "count_all")])["count_all"].to_pylist())
    return Check.that(
        "smallest class",
        smallest >= k,
        f"at least {k} equal rows, as ε, δ and the sampling rate ask for",
        f"{smallest} equal rows where ε, δ and the sampling rate ask for {k}",
    )


def _class_risk(release: Release, classes: Classes) -> list[Check]:
    said = release.card.class_risk
    if said is None:
        return []
    if said.counted == "people":  # whose record it is does not leave: people are at most as many as records
        least = 1 / int(classes.sizes[classes.sizes > 0].min())
        if said.highest < least * (1 - 1e-9):
            words = f"a class has the risk {least:.4g} by records alone; the card says {said.highest:.4g} at most"
            return [Check(name="classes", result="fails", words=words)]
        words = "the risk is that of people, and the release does not tell whose record it is"
        return [Check(name="classes", result="not checked", words=words)]
    limit = Threshold(value=1.0 if said.threshold is None else said.threshold, source="the card")
    found = risk_of_classes(classes.sizes, population=release.card.source.population_size, limit=limit)
    pairs = [(said.highest, found.highest), (said.average, found.average), (said.share_above, found.share_above)]
    pairs.append((said.population_unique, found.population_unique))
    same = all((a is None and b is None) or (a is not None and b is not None and np.isclose(a, b)) for a, b in pairs)
    return [
        Check.that(
            "classes",
            same,
            f"{classes.number} classes, highest risk {found.highest:.4g}, average {found.average:.4g}",
            f"highest risk {found.highest:.4g}, average {found.average:.4g}; the card says {said.highest:.4g} and "
            f"{said.average:.4g}",
        )
    ]


def _promises(promised: Guarantee, classes: Classes, roles: Schema) -> Iterator[Check]:
    for stated, one in zip(flatten([promised]), table_promises([promised]), strict=True):
        obstacle = one.hidden_from_release(roles.secrets)
        if obstacle:
            yield Check(name=stated.statement, result="not checked", words=obstacle)
            continue
        try:
            kept = one.kept_by(classes)
        except SfumatoError as error:  # the column is not in the release
            yield Check(name=stated.statement, result="fails", words=str(error))
            continue
        yield Check.that(stated.statement, kept, "computed again from the release", "does not hold in the release")


def _anatomy(release: Release, promised: Guarantee) -> Check:
    """The diversity of the groups, from both tables."""
    records, values = release.arrow, release.part(VALUES)
    column = next(part.name for part in release.card.release.parts[0].columns if part.role == "sensitive")
    codes, labels = labels_of(values[column], ("",), column)
    held, counts = values[GROUP].to_numpy(), values[COUNT].to_numpy()
    groups, member = np.unique(np.concatenate([held, records[GROUP].to_numpy()]), return_inverse=True)
    inside, shown = member[: len(held)], member[len(held) :]
    sizes = np.bincount(inside, counts, len(groups)).astype(np.int64)
    if not np.array_equal(sizes, np.bincount(shown, minlength=len(groups))):
        return Check(name="groups", result="fails", words="the two tables have different numbers of records in a group")
    if not promised.syntactic:
        return Check(name="promise", result="not checked", words=f"{promised.statement} is not a property of the table")
    words = tuple(str(label) for label in labels)
    sensitive = Sensitive(column, words, inside.astype(np.int64), codes, counts)
    summary = Summary((), (), np.arange(len(groups))[:, None], sizes, (sensitive,))
    try:
        kept = all(one.kept_by(Classes.by_value(summary)) for one in table_promises([promised]))
    except InputError as error:
        return Check(name=promised.statement, result="fails", words=str(error))
    return Check.that(promised.statement, kept, "computed again from both tables", "does not hold in the release")
