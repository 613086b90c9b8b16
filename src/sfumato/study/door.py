"""The door that every file goes through: what ``protect``, ``attack`` and ``measure`` have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import check_output
from sfumato.io.engine import Engine, Source, find_engine
from sfumato.io.engine.source import file_format
from sfumato.io.files import check_table_output, read_table
from sfumato.io.texts import read_texts
from sfumato.noise import Rng
from sfumato.release import Card, Release, Risk, Terms, Use
from sfumato.study.console import command_rng, notes, print_scores, progress_bar
from sfumato.study.preview import Preview
from sfumato.study.score import Finding

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Dialect", "Door", "Returned", "print_findings", "print_foreseen", "risks_of", "say", "uses_of"]


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How the input is written, where its name does not say it or says it wrongly."""

    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None

    def read(self, path: str | Path, *, orders: Callable[[str, str], None] | None = None) -> pa.Table:
        """The table in a file; what was guessed or looks wrong is said, and to ``orders`` how dates were written."""
        return read_table(
            path,
            format=self.format,
            delimiter=self.delimiter,
            encoding=self.encoding,
            notes=_note,
            orders=orders,
        )

    def read_texts(self, path: str | Path, column: str) -> pa.Table:
        """The texts in a document, a folder of documents or the column of a table."""
        dialect: dict[str, Any] = {"format": self.format, "delimiter": self.delimiter, "encoding": self.encoding}
        return read_texts(path, column=column, **dialect, notes=_note)


@dataclass(frozen=True, kw_only=True)
class Door:
    """One call of ``protect``: from a file to a release with its papers.

    Parameters
    ----------
    input, out : str
        Where the data come from and where the release goes; ``-`` for standard input and output.
    terms : Terms
        Who pays, what is public.
    dialect : Dialect
    seed : int, optional
        For experiments only; what it releases promises nothing.
    key, card, sign : path, optional
        Where the private key goes, where the card goes if not beside the release, and the key that signs it.
    attack : bool
        Attack the release before it is written, and put the result on its card.
    report : path, optional
        Where the certificate goes (HTML).
    """

    input: str
    out: str
    terms: Terms = field(default_factory=Terms)
    dialect: Dialect = field(default_factory=Dialect)
    seed: int | None = None
    key: Path | None = None
    card: Path | None = None
    sign: Path | None = None
    attack: bool = False
    report: Path | None = None

    def __post_init__(self) -> None:
        check_table_output(self.out, self.input)
        for path in (self.key, self.card, self.report):
            if path is not None:
                check_output(path, self.input, self.out)
        if self.report is not None:  # what is missing is said before the work, and before anything is paid
            from sfumato.study.report.page import check_extras

            check_extras()
        if self.sign is not None:
            from sfumato.release.signature import read_private

            read_private(self.sign)

    @cached_property
    def rng(self) -> Rng:
        """The generator of this release."""
        return command_rng(self.seed)

    def read(self) -> pa.Table:
        """The input."""
        return self.dialect.read(self.input)

    def source(self) -> Source:
        """The input as a file that an engine reads."""
        dialect = self.dialect
        return Source.of(
            self.input, format=dialect.format, delimiter=dialect.delimiter, encoding=dialect.encoding, notes=_note
        )

    def open(self, engine: str | None, master: str | None = None, *, to_file: bool = True) -> tuple[Any, Engine | None]:
        """The input in memory, or as a source with the engine that reads it; what cannot stream past is refused.

        ``to_file`` says whether the release streams as well, and is not a small table.
        """
        if master is not None and engine != "spark":
            raise bad_input("master", master, "--engine spark with it")
        if engine is None:
            return self.read(), None
        if self.attack or self.report is not None:
            raise bad_input("engine", engine, "none with --attack and --report", "they read the whole file")
        if to_file:
            if self.key is not None:
                raise bad_input("engine", engine, "none with --key", "which row was which is not kept")
            if self.out == "-":
                raise bad_input("engine", engine, "a file as output", "name one with -o")
            file_format(Path(self.out))
        where: dict[str, Any] = {} if master is None else {"master": master}
        return self.source(), find_engine(engine, **where)

    def hand_over(self, release: Release, original: Any, **options: Any) -> Card:
        """Attack if asked, write everything, and say what was promised.

        Parameters
        ----------
        original
            The data as the attacks and measures of this kind of data take them.
        options
            For the attacks.
        """
        attacked: Sequence[Finding] = ()
        measured: Sequence[Finding] = ()
        if self.attack or self.report is not None:
            attacked, measured = release.attack(original, **options), release.measure(original)
            release = release.assessed(risks_of(attacked), uses_of(measured))
            print_findings(attacked, reference="chance")
        with progress_bar("records", None, show=release.stream is not None) as advance:
            card = release.write(self.out, key=self.key, sign=self.sign, card=self.card, advance=advance)
        if self.report is not None:
            from sfumato.study.report.certificate import write_certificate

            write_certificate(card, self.report, risk=risks_of(attacked), utility=uses_of(measured))
        say(card)
        if self.terms.keep_order:
            _note("warning: the rows are in the order of the input, which often tells who is who")
        if self.out == "-" and self.card is None:
            _note("no card was written: standard output has none; --card FILE says where it goes")
        return card


@dataclass(frozen=True, kw_only=True)
class Returned:
    """One call of ``attack`` or ``measure``: the original beside its release. For the owner's eyes."""

    input: str
    path: str
    key: Path | None = None
    card: Path | None = None
    dialect: Dialect = field(default_factory=Dialect)
    seed: int = 0

    @cached_property
    def release(self) -> Release:
        """The release with its card and, if given, its key."""
        if self.path == "-":
            raise InputError("the release is read from a file: expected its path, not -")
        return Release.read(self.path, key=self.key, card=self.card)

    @cached_property
    def original(self) -> pa.Table:
        """The data that were protected."""
        return self.dialect.read(self.input)

    @property
    def title(self) -> str:
        """What is attacked or measured, in one line."""
        return f"{self.release.card.mechanism.name}: {self.release.card.promise['statement']}"

    def check_kind(self, kind: str) -> None:
        """Refuse the release of another kind of data."""
        if self.release.card.kind != kind:
            raise InputError(
                f"{self.path} is a release of kind {self.release.card.kind!r}, not {kind!r}: "
                f"say sfumato {self.release.card.kind} instead"
            )


def risks_of(found: Iterable[Finding]) -> list[Risk]:
    """What attacks achieved, as the card holds it."""
    return [
        Risk(
            attack=one.name,
            criterion=one.criterion,
            score=one.score.value,
            low=one.score.low,
            high=one.score.high,
            chance=one.score.reference,
            reason=_public(one.reason),
        )
        for one in found
    ]


def uses_of(found: Iterable[Finding]) -> list[Use]:
    """What is left, as the card holds it."""
    return [
        Use(
            use=one.name,
            metric=one.better,
            value=one.score.value,
            low=one.score.low,
            high=one.score.high,
            reason=_public(one.reason),
        )
        for one in found
    ]


def _public(reason: str) -> str:
    """What a card says of a missing score. The reason itself may name values of the input and is only printed."""
    return "could not be computed" if reason else ""


def print_findings(found: Sequence[Finding], *, title: str = "", reference: str) -> None:
    """A table of findings on standard output; one that could not be made is a dash with its reason."""
    print_scores([(one.name, one.score) for one in found], title=title, reference=reference)
    for one in found:
        if one.reason:
            _note(f"– {one.name}: {one.reason}")


def print_foreseen(preview: Preview) -> None:
    """How exact a release will be, before it is made and paid for."""
    for one in preview.figures:
        if not one.risk:
            _note(f"expected: {one}")


def say(card: Card) -> None:
    """What was promised, what it cost and what is not protected, in words."""
    bare = card.promise["kind"] == "NoGuarantee"  # its words only repeat the reason
    _note(f"promise: {card.promised}" + ("." if bare else f". {card.promise['words']}"))
    total = card.promise.get("per_person")
    if total is not None:
        _note(f"for one {total['unit']} as a whole: {total['statement']}. {total['words']}")
    paid = card.ledger
    if paid is not None and paid.paid:
        _note(f"paid by {paid.subject!r}: {paid.spent}; left: {paid.left} (entry {paid.entry})")
    elif paid is not None:
        _note(f"recorded for {paid.subject!r} as a release without a budget (entry {paid.entry}): {paid.reason}")
    if paid is not None and paid.notice:
        _note(f"warning: {paid.notice}")
    if card.not_covered:
        _note("not protected: " + "; ".join(card.not_covered))


def _note(text: str) -> None:
    notes.print(text, markup=False, soft_wrap=True)
