"""What leaves: the data with their public card and their private key."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import atomic_path, check_output
from sfumato.io.engine import Draw, Engine, Source
from sfumato.io.engine.duckdb import arrow_schema
from sfumato.io.files import check_table_output, read_table, table_format, write_table
from sfumato.io.frames import to_native_like
from sfumato.noise import Rng, is_secure, resolve_rng
from sfumato.notebook import definitions
from sfumato.promise import Guarantee, NoGuarantee
from sfumato.registry import room_module
from sfumato.release.card import Card, Content, Method, Part, Risk, Use, card_path, part_path
from sfumato.release.issuance import OWNER_ONLY, fingerprint, issue, released_columns, write_card
from sfumato.release.key import Key
from sfumato.release.stream import Stream
from sfumato.release.terms import Terms

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Release"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """A protected data set with its papers. ``protect`` of every kind of data gives one.

    Parameters
    ----------
    data : frame
        What left: the same kind of frame as came in. For a release that was streamed from file to file, the Arrow table
        that is read when asked for.
    card : Card
        Public: see :class:`~sfumato.release.Card`.
    key : Key
        Private: from which input row each row comes. It is written only when asked.
    guarantee : Guarantee
        What is promised.
    parts : mapping of str to pyarrow.Table
        Further tables of the release by name, each written to a file of its own beside the first.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [31, 47, 52]})
    >>> release = sf.statistic.protect(people, "age", mechanism="mean", low=0, high=100, epsilon=1.0)
    >>> release.card.mechanism.name, release.guarantee.epsilon
    ('mean', 1.0)
    """

    card: Card
    key: Key
    guarantee: Guarantee
    table: pa.Table | None = None
    like: Any = None
    path: Path | None = None
    per_person: Guarantee | None = None
    parts: Mapping[str, pa.Table] = field(default_factory=dict)
    totals: Mapping[str, Any] | None = None
    stream: Stream | None = field(default=None, repr=False)
    """The job that writes the data, where they do not pass through memory; it draws once."""

    @classmethod
    def make(
        cls,
        table: pa.Table,
        *,
        kind: str,
        mechanism: str,
        guarantee: Guarantee,
        parameters: Mapping[str, Any],
        roles: Mapping[str, str],
        terms: Terms | None = None,
        rng: Rng | None = None,
        draws: bool = True,
        per_person: Guarantee | None = None,
        totals: Mapping[str, Any] | None = None,
        rows: NDArray[np.int64] | None = None,
        ordered: bool = False,
        secrets: Mapping[str, Any] | None = None,
        not_covered: Sequence[str] = (),
        suppressed: int | None = None,
        technique: str = "",
        like: Any = None,
        parts: Mapping[str, pa.Table] | None = None,
    ) -> Self:
        """Shuffle the rows, pay, and put the papers together. For the ``protect`` functions of the kinds of data.

        Parameters
        ----------
        table : pyarrow.Table
            What the mechanism gave, its rows in the order of ``rows``.
        kind : str
            The kind of data, such as ``"table"``.
        mechanism, parameters
            Name on the command line and public parameters.
        guarantee : Guarantee
            What the mechanism promises when its randomness is secure.
        roles : mapping of str to str
            The role of each released column. A column without a role is refused.
        rng : numpy Generator, optional
            The one that the mechanism used.
        draws : bool
            Whether the mechanism draws random numbers at all.
        per_person : Guarantee, optional
            The promise for all records of one person; this is what is charged.
        totals : mapping, optional
            More numbers beside it, such as the loss per word and per document; plain values.
        rows : ndarray of int, optional
            The input row of each row.
        ordered : bool
            Whether the order of the rows is part of the result (a time series, the parts of a statistic).
        secrets : mapping, optional
            What else goes into the private key.
        like : frame, optional
            The kind of frame that ``data`` becomes.
        parts : mapping of str to pyarrow.Table, optional
            Further tables of the release; their rows are shuffled as well.
        """
        terms = terms or Terms()
        generator = resolve_rng(rng)
        seeded = draws and not is_secure(generator)
        shuffled = not ordered and not terms.keep_order
        if shuffled:
            order = generator.permutation(table.num_rows)
            table = table.take(order)
            rows = None if rows is None else np.asarray(rows, np.int64)[order]
            parts = {name: part.take(generator.permutation(part.num_rows)) for name, part in (parts or {}).items()}
        parts = dict(parts or {})
        content = Content(
            rows=table.num_rows,
            columns=released_columns(table.schema, roles),
            rows_suppressed=suppressed,
            order_shuffled=shuffled,
            parts=tuple(
                Part(name=name, rows=part.num_rows, columns=released_columns(part.schema, roles))
                for name, part in parts.items()
            ),
        )
        method = Method(
            name=mechanism,
            parameters=dict(parameters),
            technique_iso20889=technique,
            randomness="seeded" if seeded else "secure" if draws else "none",
        )
        card, promise = issue(
            content,
            method,
            kind=kind,
            guarantee=guarantee,
            per_person=per_person,
            totals=totals,
            terms=terms,
            not_covered=not_covered,
        )
        key = Key(release=card.id, rows=rows, secrets=dict(secrets or {}))
        return cls(
            card=card,
            key=key,
            guarantee=promise,
            table=table,
            like=like,
            per_person=per_person,
            totals=totals,
            parts=parts,
        )

    @classmethod
    def streamed(
        cls,
        source: Source,
        draw: Draw,
        *,
        kind: str,
        mechanism: str,
        guarantee: Guarantee,
        parameters: Mapping[str, Any],
        roles: Mapping[str, str],
        engine: Engine | str = "duckdb",
        terms: Terms | None = None,
        rng: Rng | None = None,
        per_person: Guarantee | None = None,
        totals: Mapping[str, Any] | None = None,
        not_covered: Sequence[str] = (),
        technique: str = "",
        by: str | None = None,
        suppressed: int | None = None,
    ) -> Self:
        """Pay for a release of a file that need not fit in memory; :meth:`write` then draws it, once.

        The parameters are those of :meth:`make`. The entry in the ledger is there before the first record is drawn. No
        key says which row was which: such a release cannot be attacked row by row. With ``by``, the records of each
        person are drawn together (:class:`~sfumato.release.stream.Stream`).
        """
        terms, generator = terms or Terms(), resolve_rng(rng)
        content = Content(
            rows=0,
            columns=released_columns(draw.schema(arrow_schema(source)), roles),
            rows_suppressed=suppressed,
            order_shuffled=by is None and not terms.keep_order,
        )
        method = Method(
            name=mechanism,
            parameters=dict(parameters),
            technique_iso20889=technique,
            randomness="secure" if is_secure(generator) else "seeded",
        )
        card, promise = issue(
            content, method, kind=kind, guarantee=guarantee, per_person=per_person, totals=totals, terms=terms,
            not_covered=not_covered,
        )  # fmt: skip
        stream = Stream.of(source, draw, engine, generator, shuffled=by is not None or not terms.keep_order, by=by)
        return cls(
            card=card, key=Key(release=card.id), guarantee=promise, per_person=per_person, totals=totals, stream=stream
        )

    @cached_property
    def data(self) -> Any:
        table = self.arrow
        return table if self.like is None else to_native_like(table, self.like)

    @cached_property
    def arrow(self) -> pa.Table:
        """The data as an Arrow table."""
        if self.table is not None:
            return self.table
        path = self.stream.written if self.stream is not None else self.path
        if path is None:
            raise InputError("the release is not in memory: write(path) makes its file")
        content = self.card.release
        bare = self.stream is None and not content.rows and not content.parts  # a header alone: readers refuse it
        return content.empty_table() if bare else read_table(path)

    def part(self, name: str) -> pa.Table:
        """A further table of the release."""
        if name in self.parts:
            return self.parts[name]
        if self.path is None or name not in [part.name for part in self.card.release.parts]:
            raise bad_input("part", name, "one of " + (", ".join(self.parts) or "none: the release is one table"))
        return read_table(part_path(self.path, name))

    def write(
        self,
        path: str | Path,
        *,
        key: str | Path | None = None,
        sign: str | Path | None = None,
        format: str | None = None,
        card: str | Path | None = None,
        advance: Callable[[int], None] | None = None,
    ) -> Card:
        """Write the data, the card beside it (``path.card.json``) and, if asked, the private key; gives the card.

        Parameters
        ----------
        path
            Where the data go; ``-`` for standard output, which has no card unless ``card`` says where.
        key : path, optional
            Where the private key goes (mode 0600).
        sign : path, optional
            A private key file of ``sfumato keygen``: the card is signed.
        format, card
            The format of the data, and where the card goes, if not as the name of ``path`` says.
        advance : callable, optional
            Told, now and then, how many more rows are written, where they stream past.
        """
        private = None
        if sign is not None:
            from sfumato.release.signature import read_private

            private = read_private(sign)
        beside = Path(card) if card is not None else None if str(path) == "-" else card_path(path)
        check_table_output(path, format=format)
        if self.stream is not None:
            self.stream.check(path)
        if self.parts and str(path) == "-":
            raise bad_input("path", "-", "a file", f"the release is {1 + len(self.parts)} tables")
        for file in (key, beside, *(part_path(path, name) for name in self.parts)):
            if file is not None:
                check_output(file)
        if key is not None:  # before the data leave: an interruption must not lose the way back
            self.key.write(key)
        made = self.card
        if str(path) != "-":
            kind = table_format(path, format)
            with contextlib.ExitStack() as renamed:  # all files are whole before the first is renamed
                staged = renamed.enter_context(atomic_path(path))
                rows = made.release.rows
                if self.stream is not None:
                    rows = self.stream.write(staged, Path(path), advance)
                else:
                    write_table(self.arrow, staged, format=kind)
                parts = []
                for part in made.release.parts:
                    other = renamed.enter_context(atomic_path(part_path(path, part.name)))
                    write_table(self.part(part.name), other, format=kind)
                    parts.append(replace(part, **fingerprint(other)))
                content = replace(made.release, rows=rows, format=kind or "", parts=tuple(parts), **fingerprint(staged))
                made = replace(made, release=content)
        else:
            write_table(self.arrow, "-", format=format)
        if private is not None:
            from sfumato.release.signature import sign as signed

            made = signed(made, private)
        if beside is not None:
            write_card(made, beside)
        return made

    @classmethod
    def read(cls, path: str | Path, *, key: str | Path | None = None, card: str | Path | None = None) -> Self:
        """A release that was written before: its card at once, its data when asked for."""
        beside = card_path(path) if card is None else Path(card)
        if not beside.exists():
            raise InputError(f"{path} has no card: expected {beside.name} beside it; protect writes one")
        found = Card.read(beside)
        secret = Key(release=found.id) if key is None else Key.read(key)
        secret.belongs_to(found.id, found.release.rows)
        promise = found.guarantee or NoGuarantee(f"read from a card: {found.promise['statement']}")
        return cls(card=found, key=secret, guarantee=promise, path=Path(path))

    def attack(self, original: Any, **options: Any) -> list[Any]:
        """What the attacks of this kind of data achieve against ``original``, the data that were protected."""
        return list(self._room("attack")(original, self, **options))

    def measure(self, original: Any, **options: Any) -> list[Any]:
        """What is left of ``original`` in the release."""
        return list(self._room("measure")(original, self, **options))

    def _room(self, verb: str) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(room_module(self.card.kind, "protection"), verb)
        return found

    def under(self, terms: Terms) -> Self:
        """The same release under other terms: paid now, with a card of its own. Both cannot leave."""
        card, promise = issue(
            self.card.release,
            self.card.mechanism,
            kind=self.card.kind,
            guarantee=self.guarantee,
            per_person=self.per_person,
            totals=self.totals,
            terms=terms,
            not_covered=self.card.not_covered,
        )
        card = replace(card, class_risk=self.card.class_risk)
        return replace(self, card=card, key=replace(self.key, release=card.id), guarantee=promise)

    def assessed(self, risk: Iterable[Risk] = (), utility: Iterable[Use] = ()) -> Self:
        """The release with measured risk and utility on its card, where they may stand there.

        They are computed on the raw data: the absolute and the relative error of a private mean together give the mean
        away. A proved promise does not cover them, so that they stay with the owner; a promise of form or none at all
        is not made worse.
        """
        if self.guarantee.syntactic or self.guarantee.vacuous:
            return replace(self, card=replace(self.card, risk=tuple(risk), utility=tuple(utility)))
        return replace(self, card=replace(self.card, not_covered=(*self.card.not_covered, OWNER_ONLY)))

    def input_rows(self, rows: int) -> NDArray[np.int64]:
        """The input row of each released row, from the key; the same order if the rows were not shuffled.

        Raises :class:`~sfumato.InputError` if the key is needed and missing.
        """
        if self.key.rows is not None:
            return self.key.rows
        if not self.card.release.order_shuffled and self.card.release.rows == rows:
            return np.arange(rows)
        raise bad_input(
            "key", None, "the private key: the rows of the release were shuffled", "protect --key FILE writes it"
        )

    def __repr__(self) -> str:
        content = self.card.release
        return f"Release({self.card.mechanism.name}: {self.guarantee}; {content.rows} rows, id {self.card.id[:8]})"

    def _repr_html_(self) -> str:
        paid = self.card.ledger
        rows = {
            "promise": str(self.guarantee),
            "mechanism": self.card.mechanism.name,
            "rows": str(self.card.release.rows),
            "columns": ", ".join(column.name for column in self.card.release.columns),
            "paid": "" if paid is None or not paid.paid else f"{paid.spent} by {paid.subject}",
            "not protected": "; ".join(self.card.not_covered),
        }
        return definitions(f"Release {self.card.id[:8]}", rows)
