"""Protect a table that need not fit in memory, from file to file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import atomic_path, check_output
from sfumato.io.engine import COUNT, Engine, Shuffler, Source, find_engine, staged
from sfumato.io.engine.duckdb import arrow_schema
from sfumato.io.engine.source import empty_batch, file_format
from sfumato.io.formats.charset import Notes
from sfumato.noise import Rng, is_secure, resolve_rng
from sfumato.release import Content, Key, Method, Terms
from sfumato.release.card import card_path
from sfumato.release.issuance import fingerprint, issue, released_columns, write_card
from sfumato.study.rooms import command_name
from sfumato.table.core.proposal.distinct_share import DistinctShare
from sfumato.table.core.proposal.schema_proposal import NEAR_UNIQUE
from sfumato.table.core.summary import summarise
from sfumato.table.mechanisms.recoding.recoder import Recoder
from sfumato.table.tabular_release import (
    TabularRelease,
    public_parameters,
    released_roles,
    shown_by,
    stars_tell,
    telling_words,
    unprotected,
    with_class_risk,
)

__all__ = ["protect_file"]


def protect_file(
    path: str | Path,
    target_path: str | Path,
    mechanism: Recoder,
    *,
    engine: Engine | str = "duckdb",
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    notes: Notes = None,
    terms: Terms | None = None,
    rng: Rng | None = None,
    card: str | Path | None = None,
    sign: str | Path | None = None,
    advance: Callable[[int], None] | None = None,
) -> TabularRelease:
    """Protect a file that need not fit in memory: summarise, decide, recode, shuffle; the card is written beside it.

    The decision is made on the distinct combinations of quasi and sensitive values; the records only stream past. The
    data are whole beside their place, then the release is paid for or recorded, then they get their name. There is no
    private key: which row was which is not kept, so the release cannot be attacked row by row.

    Parameters
    ----------
    path, target_path : path
        CSV (also gzipped) or Parquet. The cells of a CSV file are text.
    mechanism : Recoder
    engine : Engine or {"duckdb", "spark"}
        All engines give the same records.
    format, delimiter, encoding : str, optional
        How the source is written, where its name and content do not say it. A CSV output uses the same delimiter.
    notes : callable, optional
        Told what was guessed of the source.
    terms : Terms, optional
        Who pays; ``keep_order`` leaves the rows in the order of the input.
    rng : numpy Generator, optional
        Of the order.
    card : path, optional
        Where the card goes, if not beside the release.
    sign : path, optional
        A private key file of ``sfumato keygen``: the card is signed.
    advance : callable, optional
        Told, now and then, how many more records are written.
    """
    import pyarrow as pa

    terms, generator = terms or Terms(), resolve_rng(rng)
    if terms.person is not None:
        raise bad_input("person", terms.person, "none from file to file", "protect the table in memory")
    schema, target = mechanism.schema, Path(target_path)
    beside = card_path(target) if card is None else Path(card)
    source = Source.of(path, format=format, delimiter=delimiter, encoding=encoding, notes=notes)
    schema.require_roles(source.columns)
    runs = find_engine(engine) if isinstance(engine, str) else engine
    file_format(target)  # a name that says no format is refused before the work
    check_output(target, path)
    check_output(beside, path, target)
    private = None
    if sign is not None:
        from sfumato.release.signature import read_private

        private = read_private(sign)
    with atomic_path(target) as place, staged(source, runs, target) as ready:
        summary = runs.summarise(ready, [*schema.quasi, *schema.sensitive, *filter(None, [schema.person])])
        mechanism = mechanism.fitted_to(summary)
        schema = mechanism.schema
        table = mechanism.beside_population(summarise(summary, schema, weight=COUNT)[0])
        del summary  # the texts of the tuples are gone before the decision: only their codes stay in memory
        pa.default_memory_pool().release_unused()
        telling = []
        if schema.insensitive:
            counter = DistinctShare(tuple(schema.insensitive), table.rows)
            shares = counter.shares(runs.fold(ready, list(schema.insensitive), counter))
            telling = telling_words([name for name, share in shares.items() if share > NEAR_UNIQUE])
        decision = mechanism.decide(table)
        expected = int(decision.recoding.classes(table).sizes.sum())
        recoding = decision.for_stream(table)
        arrange = None
        if not terms.keep_order:
            arrange = Shuffler(folder=place.parent, rows=expected, rng=generator)
        written = place.with_name(place.stem + "".join(target.suffixes))  # the engine knows a format by its name
        rows = runs.recode(ready, recoding, written, source.delimiter, advance, arrange)
        if rows != expected:
            raise InputError(
                f"{path}: {rows} records to release where {expected} were counted: it was changed meanwhile"
            )
        os.replace(written, place)
        content = Content(
            rows=rows,
            columns=released_columns(recoding(empty_batch(arrow_schema(ready))).schema, released_roles(schema)),
            rows_suppressed=decision.suppressed if stars_tell(mechanism, decision, schema) else None,
            order_shuffled=not terms.keep_order,
            format=file_format(target),
            **fingerprint(place),
        )
        seeded = not is_secure(generator)
        method = Method(
            name=command_name(type(mechanism)),
            parameters=public_parameters(mechanism, decision),
            technique_iso20889=mechanism.technique,
            randomness="seeded" if seeded else "none" if terms.keep_order else "secure",
        )
        made, promise = issue(
            content,
            method,
            kind="table",
            guarantee=mechanism.guarantee,
            terms=terms,
            not_covered=[*unprotected(mechanism), *telling],
        )
    release = TabularRelease(
        card=made, key=Key(release=made.id), guarantee=promise, path=target, schema=schema, decision=decision
    )
    release = with_class_risk(release, shown_by(decision.recoding, table, schema.person), person=schema.person)
    if private is not None:
        from sfumato.release.signature import sign as signed

        release = replace(release, card=signed(release.card, private))
    write_card(release.card, beside)
    return release
