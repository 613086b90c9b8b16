"""The terms under which data leave: who pays, what is taken as public, for whom it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from sfumato.errors import InputError, bad_input
from sfumato.io.frames import column, missing_columns
from sfumato.ledger import Ledger, ledger_place
from sfumato.promise import Assumption, Guarantee
from sfumato.release.card import Context, Person, Source
from sfumato.validate import integer

__all__ = ["Terms"]

_AT_ONCE = 1 << 17
"""How many people are looked up on a roll at a time."""
_LARGEST = "largest number of records of one person"


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The terms of a release. All of them are optional; by default nothing is charged and the order of rows is lost.

    Parameters
    ----------
    ledger : path, address or False, optional
        The ledger that pays (``sfumato budget``); by default the one that ``SFUMATO_LEDGER`` names. False: none.
    subject : str, optional
        Whose budget it is. A subject without a ledger is refused: the release would be free.
    person : str, optional
        The column that says whose record it is. The promise is then stated, and paid, for all records of one person.
    most : int, optional
        How many records one person may have, known without looking at the data. Without it the largest number found is
        used, and the promise says that this number is taken as public.
    public : mapping of str to str
        Where that comes from what the promise takes as public, for instance ``{"vocabulary": "GloVe 6B"}``.
    keep_order : bool
        Leave the rows in the order of the input. The order of a file often tells who is who.
    source, context, people
        What the data are, for whom the release is, who decides; printed on the card as they are.
    valid_until : str
    """

    ledger: str | Path | Literal[False] | None = None
    subject: str | None = None
    person: str | None = None
    most: int | None = None
    public: Mapping[str, str] = field(default_factory=dict)
    keep_order: bool = False
    source: Source = field(default_factory=Source)
    context: Context = field(default_factory=Context)
    people: tuple[Person, ...] = ()
    valid_until: str = ""
    enrolled: bool = field(default=False, init=False, repr=False, compare=False)
    """Whether the people of the data were looked up on the roll that pays."""

    def __post_init__(self) -> None:
        book = None if self.ledger is False else ledger_place(self.ledger)
        object.__setattr__(self, "ledger", book)
        if self.subject is not None and book is None:
            raise bad_input(
                "subject", self.subject, "a ledger with it", "name it with ledger=, --ledger or SFUMATO_LEDGER"
            )
        if self.ledger is not None and self.subject is None:
            raise InputError("a ledger without a subject: expected whose budget pays; say subject= or --subject")
        if self.most is not None:
            integer("most", self.most)
            if self.person is None:
                raise bad_input("most", self.most, "a column of people with it", "say person= or --person")

    def declared(self, guarantee: Guarantee) -> Guarantee:
        """The promise with the sources of what it takes as public."""
        return guarantee.declare(**self.public) if self.public else guarantee

    def for_people(self, guarantee: Guarantee, frame: Any) -> Guarantee | None:
        """The promise for all records of one person in ``frame``; None if no column says whose they are."""
        if self.person is None:
            return None
        import pyarrow as pa

        counted = pa.array(column(frame, self.person)).value_counts()
        self.check_roll(counted.field("values"))
        return self.for_records(guarantee, max(counted.field("counts").to_pylist()))

    def for_people_in(self, guarantee: Guarantee, source: Any, engine: Any) -> Guarantee | None:
        """The same for a file that an engine reads."""
        if self.person is None:
            return None
        import pyarrow.compute as pc

        from sfumato.io.engine import COUNT, reader_of

        missing_columns([self.person], source.columns, "the file")
        counted = reader_of(source, engine).summarise(source, [self.person])
        if counted[self.person].null_count:
            raise InputError(f"column {self.person!r} has records without a value: expected whose each of them is")
        self.check_roll(counted[self.person])
        return self.for_records(guarantee, int(pc.max(counted[COUNT]).as_py() or 1))

    @property
    def by_roll(self) -> bool:
        """Whether people pay each on their own."""
        if not self.ledger or self.subject is None:
            return False
        with Ledger(self.ledger, create=False) as book:
            return book.is_roll(self.subject)

    def check_roll(self, people: Iterable[Any]) -> None:
        """Refuse data of people who are not on the roll that pays: nobody would be charged for them.

        ``people`` are their ids, as an array of Arrow or any values. Nothing is looked up if the subject is not a roll.
        """
        if not self.by_roll or not self.ledger or self.subject is None:
            return
        with Ledger(self.ledger, create=False) as book:
            crowd, ids = book.crowd(self.subject), (str(getattr(one, "as_py", lambda one=one: one)()) for one in people)
            strange = 0
            while some := list(islice(ids, _AT_ONCE)):
                strange += crowd.strangers(some)
        if strange:
            raise bad_input(
                "subject",
                self.subject,
                f"a roll with everybody in the data; {strange:,} of them are not on it",
                "sfumato budget enrol puts them there, or leave their records out",
            )
        object.__setattr__(self, "enrolled", True)

    def for_records(self, guarantee: Guarantee, largest: int) -> Guarantee:
        """The promise for all records of one person, of whom nobody has more than ``largest``."""
        if self.most is not None and largest > self.most:
            raise bad_input(
                "most", self.most, "no person with more records", "raise it, or drop records of those who have more"
            )
        total = guarantee.over(self.most or largest, unit="person")
        return total if self.most is not None else total.assuming(Assumption(_LARGEST))
