"""Protect a table in one call, attack and measure the release, and compute again what its card says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sfumato.errors import InputError, bad_input
from sfumato.io.frames import is_frame
from sfumato.noise import Rng, is_secure, resolve_rng, seeded_rng
from sfumato.promise import Guarantee, KAnonymity
from sfumato.release import Card, Release, Terms
from sfumato.study.rooms import command_name
from sfumato.study.score import Finding, Note, find_all, silent
from sfumato.table.core.information_loss import InformationLoss
from sfumato.table.core.lineage import Lineage, arrow_of, plain_table
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import summarise
from sfumato.table.mechanisms.anatomy import VALUES, Anatomy
from sfumato.table.mechanisms.base import TableMechanism
from sfumato.table.mechanisms.recoding.global_recoding import GlobalRecoding
from sfumato.table.mechanisms.recoding.local_recoding import LocalRecoding
from sfumato.table.mechanisms.recoding.partition import Publish
from sfumato.table.mechanisms.recoding.recoder import Decision, Recoder
from sfumato.table.mechanisms.safe_harbor import SafeHarbor
from sfumato.table.people.delivery import released_classes, with_people
from sfumato.table.people.keyed_pseudonyms import Pseudonyms
from sfumato.table.people.next_release import protect_next
from sfumato.table.promise.base import flatten
from sfumato.table.promise.closeness import TCloseness
from sfumato.table.promise.diversity import LDiversity
from sfumato.table.promise.recomputation import recompute
from sfumato.table.tabular_release import (
    TabularRelease,
    anatomy_roles,
    mechanism_of,
    public_parameters,
    stars_tell,
    telling_columns,
    unprotected,
    with_class_risk,
)
from sfumato.validate import choice, integer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["attack", "measure", "protect", "protect_with", "recoder", "recompute", "target_of"]


def target_of(
    schema: Schema,
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 the name of the parameter in the field
    t: float | None = None,
    target: Sequence[Guarantee] = (),
) -> tuple[Guarantee, ...]:
    """The promises that k, l and t (for every sensitive column) stand for, and those in ``target``."""
    promises: list[Guarantee] = [] if k is None else [KAnonymity(integer("k", k))]
    if (l is not None or t is not None) and not schema.sensitive:
        raise bad_input("l" if l is not None else "t", l or t, "a sensitive column in the schema", "name one")
    if l is not None:
        promises += [LDiversity(l, column) for column in schema.sensitive]
    if t is not None:
        promises += [TCloseness(t, column) for column in schema.sensitive]
    return (*promises, *flatten(target))


def recoder(
    schema: Schema,
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 the name of the parameter in the field
    t: float | None = None,
    target: Sequence[Guarantee] = (),
    recoding: Literal["global", "local"] = "global",
    suppression: float = 0.0,
    suppressed: Literal["star", "drop"] = "star",
    information_loss: InformationLoss | str = "generalised",
    tolerance: float = 0.0,
    seconds: float = 10.0,
    publish: Publish | Mapping[str, Publish] = "hierarchy",
    start: Literal["specialise", "mondrian"] = "specialise",
    sweeps: int | None = None,
    population: Any = None,
) -> Recoder:
    """The mechanism that :func:`protect` uses, from the same arguments."""
    promises = target_of(schema, k=k, l=l, t=t, target=target)
    choice("recoding", recoding, ("global", "local"))
    if recoding == "global":
        if publish != "hierarchy":
            raise InputError(f"publish = {publish!r}: expected 'hierarchy' with global recoding; say recoding='local'")
        return GlobalRecoding(
            schema=schema,
            target=promises,
            suppression=suppression,
            information_loss=information_loss,
            suppressed=suppressed,
            tolerance=tolerance,
            seconds=seconds,
            population=population,
        )
    if suppression:
        raise InputError(f"suppression = {suppression}: local recoding suppresses nothing; leave it out")
    if tolerance:
        raise InputError(f"tolerance = {tolerance}: local recoding knows no bound; leave it out")
    if information_loss != "generalised":
        raise InputError(f"information_loss = {information_loss!r}: local recoding minimises the generalised one")
    return LocalRecoding(
        schema=schema, target=promises, publish=publish, start=start, sweeps=sweeps, population=population
    )


def protect(
    frame: Any,
    schema: Schema,
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741 the name of the parameter in the field
    t: float | None = None,
    target: Sequence[Guarantee] = (),
    recoding: Literal["global", "local"] = "global",
    suppression: float = 0.0,
    suppressed: Literal["star", "drop"] = "star",
    information_loss: InformationLoss | str = "generalised",
    tolerance: float = 0.0,
    seconds: float = 10.0,
    publish: Publish | Mapping[str, Publish] = "hierarchy",
    start: Literal["specialise", "mondrian"] = "specialise",
    sweeps: int | None = None,
    population: Any = None,
    previous: Sequence[Release] = (),
    append: bool = False,
    successors: bool = True,
    pseudonyms: Pseudonyms | None = None,
    terms: Terms | None = None,
    rng: Rng | None = None,
) -> TabularRelease:
    """Protect a table: recode its quasi-identifiers until the promises hold, and shuffle its rows.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
    schema : Schema
    k, l, t
        k-anonymity; distinct l-diversity and t-closeness for every sensitive column.
    target : sequence of Guarantee
        More promises, any conjunction.
    recoding : {"global", "local"}
        One level a column, optimal; or classes of their own levels, with less information loss. Global by default: its
        classes are larger, so that the mean risk and the share of certain secrets are far lower, and its result is
        proved. (The command, which shows both losses to a person, releases the one that loses less.)
    suppression : float
        Share of records that may be suppressed (global only).
    suppressed : {"star", "drop"}
        What becomes of them.
    tolerance, seconds : float
        When the search for the best levels may end (global only): ``release.decision.gap`` says how far it came.
    information_loss, publish, start, sweeps, population
        As in :class:`~sfumato.table.GlobalRecoding` and :class:`~sfumato.table.LocalRecoding`.
    previous : sequence of Release
        Earlier releases of the same people, of this or of another table, with their keys: the promises also hold for
        what all of them show together. People who would stand out are left out. The schema names the ``person`` column.
    append, successors : bool
        As in :func:`~sfumato.table.people.next_release.protect_next`: labels no finer than before; newcomers may take
        the places of people who left.
    pseudonyms : Pseudonyms, optional
        The person column leaves as a stable keyed pseudonym, and the promises hold for linked records as well.
    terms : Terms, optional
        Who pays, and whether the rows keep their order.
    rng : numpy Generator, optional
        Of the order; a seeded one is for experiments.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import Hierarchy, Schema, protect
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10, 50])}, sensitive=["illness"])
    >>> people = pa.table({"age": [21, 23, 34, 38], "illness": ["flu", "cold", "flu", "gout"]})
    >>> release = protect(people, schema, k=2, l=2)
    >>> sorted(release.data["age"].to_pylist()), release.card.mechanism.parameters["levels"]
    (['20-29', '20-29', '30-39', '30-39'], {'age': 1})
    >>> print(release.guarantee)
    k = 2 and distinct l = 2 for illness (syntactic, per class of records), provided that the hierarchy is public
    """
    mechanism = recoder(
        schema,
        k=k,
        l=l,
        t=t,
        target=target,
        recoding=recoding,
        suppression=suppression,
        suppressed=suppressed,
        information_loss=information_loss,
        tolerance=tolerance,
        seconds=seconds,
        publish=publish,
        start=start,
        sweeps=sweeps,
        population=population,
    )
    if previous or append or pseudonyms is not None:
        beside: Any = {"append": append, "successors": successors, "pseudonyms": pseudonyms}
        return protect_next(frame, mechanism, previous=previous, **beside, terms=terms, rng=rng)
    return protect_with(frame, mechanism, terms=terms, rng=rng)


def protect_with(
    frame: Any, mechanism: TableMechanism | Anatomy, *, terms: Terms | None = None, rng: Rng | None = None
) -> TabularRelease:
    """Protect a table with a mechanism that is already made, any of this kind of data.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import Hierarchy, Microaggregation, Schema, protect_with
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])})
    >>> release = protect_with(pa.table({"age": [18, 22, 36, 38]}), Microaggregation(schema=schema, k=2))
    >>> sorted(release.data["age"].to_pylist()), release.card.mechanism.name
    ([20.0, 20.0, 37.0, 37.0], 'microaggregation')
    """
    terms, generator = terms or Terms(), resolve_rng(rng)
    if not is_frame(frame):
        raise bad_input("frame", type(frame).__name__, "a pandas, Polars or Arrow table")
    decision: Decision | None = None
    parts = {}
    person = mechanism.schema.person
    if person is not None and mechanism.guarantee.syntactic and not isinstance(mechanism, Recoder):
        raise bad_input(
            "mechanism", command_name(type(mechanism)), f"recoding where {person} is counted", "it counts records only"
        )
    if isinstance(mechanism, Anatomy):
        released, parts[VALUES] = mechanism.tables(frame, rng=generator)
        rows = np.arange(released.num_rows)
    else:
        table = plain_table(frame)
        mechanism.schema.require_roles(table.column_names)
        mechanism = mechanism.fitted_to(table)
        if isinstance(mechanism, Recoder):
            summary, member = summarise(table, mechanism.schema)
            decision = mechanism.decide(summary)
            released, rows = decision.recoding.table(table, member if mechanism.population is None else None)
        else:
            mechanism = mechanism.prepared(table, generator)
            released, rows = mechanism.released(frame, rng=generator)
    release = TabularRelease.make(
        released,
        kind="table",
        mechanism=command_name(type(mechanism)),
        guarantee=mechanism.guarantee,
        per_person=None
        if person is not None and terms.person == person and mechanism.guarantee.syntactic
        else terms.for_people(mechanism.guarantee, frame),
        parameters=public_parameters(mechanism, decision),
        roles=anatomy_roles(mechanism.schema),
        rows=rows,
        terms=terms,
        rng=generator,
        draws=mechanism.draws or not terms.keep_order or not is_secure(generator),
        not_covered=[
            *unprotected(mechanism, per_person=terms.person is not None),
            *([] if mechanism.covers_all else telling_columns(frame, mechanism.schema)),
        ],
        suppressed=decision.suppressed if decision and stars_tell(mechanism, decision, mechanism.schema) else None,
        technique=mechanism.technique,
        like=frame,
        parts=parts,
    )
    release = replace(release, schema=mechanism.schema, decision=decision)
    if isinstance(mechanism, SafeHarbor):
        release = replace(release, card=replace(release.card, hipaa=mechanism.box(plain_table(frame))))
    if person is not None and not mechanism.perturbs:
        release = replace(release, key=with_people(release.key, plain_table(frame), mechanism.schema))
    if mechanism.perturbs or not released.num_rows:
        return release
    counted = None if mechanism.covers_all else person  # a proved promise covers nothing that the release does not show
    return with_class_risk(release, released_classes(release, counted), person=counted)


def attack(
    original: Any,
    release: Release,
    *,
    schema: Schema | None = None,
    column: str | None = None,
    previous: Sequence[Release] = (),
    control: Any = None,
    seed: int = 0,
    note: Note = silent,
) -> list[Finding]:
    """What an attacker who knows the method learns of each person: re-identification, linking, sensitive values.

    Of a release without records, nothing.

    Parameters
    ----------
    original : frame
        The data that were protected.
    release : Release
        With its key, if its rows were shuffled.
    schema : Schema, optional
        Roles and hierarchies, which are not on the card; a release that :func:`protect` gave has them.
    column : str, optional
        The sensitive column; the first by default.
    previous : sequence of Release
        Earlier releases of the same people, with their keys, attacked together with this one.
    control : frame, optional
        People like those in the table who are not in it: whether members can be told from them, and what follows for
        them as well.
    seed : int
        Of the attackers.
    note : callable
        Is told which attack comes next.
    """
    from sfumato.table.attacks.battery import attacks_on

    if not release.card.release.rows:
        return []
    data, roles, mechanism = _known(original, release, schema)
    release.input_rows(data.num_rows)  # a missing key is said once
    attacks = attacks_on(roles, _secret(roles, column), mechanism=mechanism, previous=previous, control=control)
    return find_all(attacks, lambda one: one.attack(data, release, mechanism=mechanism, rng=seeded_rng(seed)), note)


def measure(
    original: Any,
    release: Release,
    *,
    schema: Schema | None = None,
    column: str | None = None,
    positive: str | None = None,
    seed: int = 0,
    note: Note = silent,
) -> list[Finding]:
    """What is left of the table: information, statistics, queries, and a learner's F-ratio.

    Parameters
    ----------
    original, release, schema, column
        As in :func:`attack`.
    positive : str, optional
        The value of ``column`` that a learner predicts; the rarest by default.
    seed : int
        Of the queries and the split into training and test.
    note : callable
        Is told which use comes next.
    """
    from sfumato.table.examples import utilities_on

    if not release.card.release.rows:
        return []
    data, roles, mechanism = _known(original, release, schema)
    seen: Any = release
    rows = release.input_rows(data.num_rows)
    if mechanism.sampling < 1:  # the rate is on the card: counts are scaled by it
        seen = Lineage(release.arrow, rows, mechanism.sampling)
    chosen = _secret(roles, column)
    if chosen is not None and positive is None:
        counts = data[chosen].drop_null().value_counts().to_pylist()
        positive = str(min(counts, key=lambda item: item["counts"])["values"]) if counts else None
    utilities = utilities_on(roles, chosen, positive)
    return find_all(utilities, lambda one: one.measure(data, seen, rng=seeded_rng(seed)), note)


def _known(original: Any, release: Release, schema: Schema | None) -> tuple[pa.Table, Schema, TableMechanism | Anatomy]:
    """The data, their roles as they are shown, and the mechanism by the card: what attackers and uses go by."""
    data = arrow_of(original)
    roles = _schema_of(release, schema).bound(data)
    mechanism = mechanism_of(release.card, roles)
    return data, roles if isinstance(mechanism, Anatomy) else mechanism.shown_schema(data), mechanism


def _schema_of(release: Release, schema: Schema | None) -> Schema:
    """The schema of a release: given, or kept by :func:`protect`; its roles must be those of the card."""
    found: Schema | None = schema if schema is not None else getattr(release, "schema", None)
    if found is None:
        raise bad_input(
            "schema", None, "roles and hierarchies, which are not on the card", "schema=Schema.read('table.toml')"
        )
    if not found.quasi:
        raise bad_input("schema.quasi", {}, "at least one quasi-identifier: what an attacker knows of a person")
    on_card = _quasi(release.card)
    if sorted(found.quasi) != sorted(on_card):
        raise bad_input("schema: quasi-identifiers", sorted(found.quasi), "those of the card: " + ", ".join(on_card))
    return found


def _quasi(card: Card) -> list[str]:
    return [column.name for column in card.release.columns if column.role == "quasi-identifier"]


def _secret(schema: Schema, column: str | None) -> str | None:
    if column is not None and column not in schema.secrets:
        raise bad_input("column", column, "a sensitive column of the schema: " + ", ".join(schema.secrets))
    return column or next(iter(schema.secrets), None)
