"""A release that is also safe beside earlier releases of the same people, and with pseudonyms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BrokenPromiseError, InfeasibleError, bad_input
from sfumato.io.frames import is_frame
from sfumato.noise import Rng, is_secure, resolve_rng
from sfumato.release import Release, Terms
from sfumato.study.rooms import command_name
from sfumato.table.core.label_classes import as_it_is
from sfumato.table.core.lineage import plain_table
from sfumato.table.mechanisms.recoding.recoder import Recoder
from sfumato.table.people.delivery import (
    PSEUDONYM,
    Delivery,
    Digests,
    Numbers,
    common_salt,
    people_labels,
    released_classes,
    row_values,
)
from sfumato.table.people.joined import JoinedView
from sfumato.table.people.joined_decision import JoinedDecision
from sfumato.table.people.keyed_pseudonyms import Pseudonyms
from sfumato.table.people.recodings import Labelled, global_labels, local_labels
from sfumato.table.people.successors import Seats
from sfumato.table.promise.base import AllOf, table_promises
from sfumato.table.promise.final_check import verify_classes
from sfumato.table.tabular_release import (
    TabularRelease,
    public_parameters,
    released_roles,
    telling_columns,
    unprotected,
    with_class_risk,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["protect_next"]


def protect_next(
    frame: Any,
    mechanism: Recoder,
    *,
    previous: Sequence[Release] = (),
    append: bool = False,
    successors: bool = True,
    pseudonyms: Pseudonyms | None = None,
    terms: Terms | None = None,
    rng: Rng | None = None,
) -> TabularRelease:
    """Protect people of whom something was released before, or whose records pseudonyms link.

    The recoding is chosen so that in the *joined view* of all the releases every group keeps the promises of
    ``mechanism`` (theorem: :class:`~sfumato.table.PeopleAnonymity`). Global recoding looks for one level a column,
    beginning with the levels of the earlier release; local recoding works within the groups that the earlier
    releases show. Whoever would still stand out is left out of the new release.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
    mechanism : Recoder
        Its schema names the ``person`` column.
    previous : sequence of Release
        Earlier releases with their private keys: of the same table, or of another table of the same people.
    append : bool
        No column gets a finer level than in the last earlier release, so that the new rows can be put below the old
        ones: every label is one of those or covers some of them.
    successors : bool
        Newcomers may take the place of people who left and had the same values, which keeps classes whole. Without,
        nobody is a candidate for another's record who is not in the same releases: the promise then also holds against
        someone who is told which records of different releases belong to one person, and many more are left out.
    pseudonyms : Pseudonyms, optional
        The person column leaves as a stable pseudonym; there are no successors then.
    """
    terms, generator = terms or Terms(), resolve_rng(rng)
    schema = mechanism.schema
    if not is_frame(frame):
        raise bad_input("frame", type(frame).__name__, "a pandas, Polars or Arrow table")
    if schema.person is None:
        raise bad_input(
            "person", None, "the column that says whose record it is", "person= in the schema, or --person COLUMN"
        )
    if terms.person not in (None, schema.person):
        raise bad_input("person", terms.person, f"the one of the schema, {schema.person}", "leave it out of the terms")
    if mechanism.population is not None:
        raise bad_input("population", "a table", "none beside earlier releases or with pseudonyms")
    if append and not previous:
        raise bad_input("append", append, "the earlier release", "previous=[release]")
    table = plain_table(frame)
    schema.require_roles(table.column_names)
    mechanism = mechanism.fitted_to(table)
    schema = mechanism.schema
    assert schema.person is not None
    people = people_labels(table, schema)
    digests = Digests.of(people, common_salt(previous))
    numbers = Numbers()
    known = [Delivery.of_release(one, schema, numbers) for one in previous]
    earlier = [one.by_seat() for one in known]
    person = numbers.of_people(digests.rows)
    values = row_values(table, schema)
    shown = None if pseudonyms is not None else numbers.shown(table, schema)
    seats = Seats(earlier, person, _seats(known, person), shown, successors, mechanism.target, schema.person)
    labelled = _recode(mechanism, table, seats, values, previous, append, pseudonyms is not None, generator)
    settled = labelled.settled
    if not settled.kept.any():
        raise InfeasibleError(
            "nobody could be released beside the earlier releases; ask for less, or release only people who are new"
        )
    rows = np.flatnonzero(settled.kept)
    released = labelled.table(table, schema, rows)
    roles = released_roles(schema)
    unlinked = 0
    if pseudonyms is not None:
        words = np.array(pseudonyms.of(people), object)
        alone = ~settled.linked & (np.bincount(person[rows], minlength=len(numbers.people))[person] > 1)
        words[alone] = pseudonyms.fresh(int(alone.sum()))
        unlinked = int(alone[rows].sum())
        released = released.append_column(schema.person, [words[rows].tolist()])
        roles = roles | {schema.person: PSEUDONYM}
    ids = tuple(one.card.id for one in previous)
    shared = any(one.seat is not None and (one.seat != one.person).any() for one in known)
    shared = shared or bool((labelled.seat != seats.seat)[rows].any())
    mechanism = replace(mechanism, target=tuple(one.beside(ids, shared) for one in table_promises(mechanism.target)))
    _check(mechanism, released, seats, labelled, values)
    decision = JoinedDecision(
        labelled.levels,
        labelled.information_loss,
        int((~settled.kept).sum()),
        unlinked,
        as_it_is(released, _labels_only(mechanism))[0].counts,
        evaluated=labelled.evaluated,
    )
    names = list(numbers.people)  # in the order of their numbers
    secret = Digests(digests.salt, digests.rows, tuple(names[one] for one in labelled.seat.tolist()))
    order = np.arange(len(rows))
    release = TabularRelease.make(
        released,
        kind="table",
        mechanism=command_name(type(mechanism)),
        guarantee=mechanism.guarantee,
        parameters=public_parameters(mechanism) | {"levels": labelled.levels},
        roles=roles,
        rows=order,
        terms=terms,
        rng=generator,
        draws=not terms.keep_order or not is_secure(generator),
        not_covered=[
            *unprotected(mechanism),
            *telling_columns(table, schema),
            *["people who left, from someone told which records of different releases belong to one person"] * shared,
        ],
        technique=mechanism.technique,
        like=frame,
    )
    shuffled = release.key.rows
    assert shuffled is not None
    key = replace(
        release.key,
        rows=rows[shuffled],
        secrets=secret.of_rows(rows[shuffled]).to_secrets(),
    )
    card = replace(
        release.card,
        earlier_releases=tuple(dict.fromkeys((*release.card.earlier_releases, *(one.card.id for one in previous)))),
    )
    release = replace(release, schema=schema, decision=decision, key=key, card=card)
    return with_class_risk(release, released_classes(release, schema.person), person=schema.person)


def _seats(earlier: Sequence[Delivery], person: NDArray[np.int64]) -> NDArray[np.int64]:
    """The seat that each person had last, or a new one."""
    seat = np.arange(1 + max(int(person.max()), *(int(one.person.max()) for one in earlier), 0))
    for one in earlier:
        seat[one.person] = one.person if one.seat is None else one.seat
    return seat[person]


def _recode(
    mechanism: Recoder,
    table: pa.Table,
    seats: Seats,
    values: Any,
    previous: Sequence[Release],
    append: bool,
    link: bool,
    rng: Rng,
) -> Labelled:
    if command_name(type(mechanism)) == "local-recoding":
        return local_labels(mechanism, table, seats, values, rng=rng, link=link)
    start = None
    for one in previous:
        levels = one.card.mechanism.parameters.get("levels", {})
        if set(levels) == set(mechanism.schema.quasi) and all(isinstance(level, int) for level in levels.values()):
            start = tuple(int(levels[name]) for name in mechanism.schema.quasi)
    if append and start is None:
        raise bad_input(
            "append",
            [one.card.mechanism.name for one in previous],
            "an earlier release by global recoding of the same columns",
            "previous= without append chooses levels anew",
        )
    return global_labels(mechanism, table, seats, values, rng=rng, start=start, upwards=append, link=link)


def _labels_only(mechanism: Recoder) -> Any:
    return replace(mechanism.schema, missing="category")


def _check(
    mechanism: Recoder,
    released: pa.Table,
    seats: Seats,
    labelled: Labelled,
    values: Any,
) -> None:
    """Ask all promises once more, of the finished table and of the joined view; nothing leaves that breaks one."""
    from sfumato.table.core.classes import Classes

    assert mechanism.schema.person is not None
    settled = labelled.settled
    now = Delivery(labelled.seat, labelled.classes, settled.linked, values, shown=seats.now, holder=seats.person).only(
        settled.kept
    )
    view = JoinedView([*seats.earlier, now], mechanism.target, mechanism.schema.person)
    for one in view.deliveries:
        if view.unsafe(one, view.cells(one)).any():
            raise BrokenPromiseError(
                "release refused: the joined view breaks its promise; nothing was released; this is an error in "
                "sfumato, please report it"
            )
    plain = [one for one in table_promises(mechanism.target) if one.counted is None]
    table = as_it_is(released, _labels_only(mechanism))[0]
    whole = [one for one in plain if not one.on_classes]
    if not all(one.kept_by(Classes.by_value(table)) for one in whole):
        raise InfeasibleError(
            f"{AllOf(tuple(whole)).statement} does not hold for what may be released beside the earlier releases"
        )
    if plain:
        verify_classes(plain, Classes.by_value(table))
