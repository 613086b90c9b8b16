"""What the owner has decided so far: an immutable project, and the journal of all that came before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from sfumato.errors import bad_input
from sfumato.io.texts import document_format
from sfumato.release import Context, Source
from sfumato.study.own.decisions import Decisions, RoleChoice
from sfumato.study.threshold import MEAN_RISK, WORST_RECORD, Threshold
from sfumato.table.core.schema import Schema
from sfumato.table.publishing import MEAN, WORST

__all__ = ["DecisionJournal", "Origin", "Pin", "Project", "Protection", "Work"]

MOST_PINS = 4


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a table comes from and how it is written.

    Parameters
    ----------
    path : Path
    name : str
        As commands name it.
    stamp : tuple of int
        When it was last changed, and its size: what was found about other content is not about this.
    format, delimiter, encoding : str, optional
        What the owner said where the file was read wrongly.
    """

    path: Path
    name: str
    stamp: tuple[int, int]
    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None

    @property
    def subject(self) -> str:
        """Whose budget it may be: its name without folder and ending."""
        return self.name.rpartition("/")[2].partition(".")[0]

    @property
    def is_documents(self) -> bool:
        """Whether it is a document or a folder of documents, and no table."""
        return self.path.is_dir() or document_format(self.path, self.format) is not None


class Work(Protocol):
    """What was decided about a file that is no table of people."""

    @property
    def kind(self) -> str: ...
    @property
    def words(self) -> str: ...
    @property
    def decisions(self) -> Decisions: ...


@dataclass(frozen=True, kw_only=True)
class Protection:
    """The settings of a release: what the sliders say.

    Parameters
    ----------
    k, l, t
        As in :func:`sfumato.table.protect`; ``l`` and ``t`` are off if None.
    suppression : float
    recoding : {"global", "local"}
    """

    k: int = 5
    l: int | None = None  # noqa: E741 the name of the parameter in the field
    t: float | None = None
    suppression: float = 0.02
    recoding: Literal["global", "local"] = "global"

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of :func:`sfumato.table.protect` that these settings stand for."""
        found: dict[str, Any] = {"recoding": self.recoding, "k": self.k}
        found |= {} if self.l is None else {"l": self.l}
        found |= {} if self.t is None else {"t": self.t}
        if self.recoding == "global":
            found["suppression"] = self.suppression
        return found

    @property
    def words(self) -> str:
        """The settings in a few words."""
        parts = [f"k = {self.k}"]
        parts += [] if self.l is None else [f"l = {self.l}"]
        parts += [] if self.t is None else [f"t = {self.t:g}"]
        if self.recoding == "local":
            return ", ".join([*parts, "local recoding"])
        return ", ".join([*parts, f"at most {100 * self.suppression:g} % suppressed"])


@dataclass(frozen=True, kw_only=True)
class Pin:
    """A candidate that was put aside to be compared, with what was seen of it."""

    protection: Protection
    weights: Mapping[str, float]
    worst: float
    average: float
    information_loss: float
    suppressed: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Project:
    """Everything that was decided about one file. Nothing in it is computed from the data but the proposal.

    A table of people has a schema and a protection, every other kind of data its ``work``.
    """

    origin: Origin | None = None
    schema: Schema | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    protection: Protection = field(default_factory=Protection)
    pins: tuple[Pin, ...] = ()
    limits: Mapping[str, Threshold] = field(default_factory=lambda: {WORST: WORST_RECORD, MEAN: MEAN_RISK})
    source: Source = field(default_factory=Source)
    context: Context = field(default_factory=Context)
    work: Work | None = None

    @property
    def kind(self) -> str:
        """The kind of data."""
        return "table" if self.work is None else self.work.kind

    @property
    def words(self) -> str:
        """How it is protected, in a few words."""
        return self.protection.words if self.work is None else self.work.words

    @property
    def roles(self) -> Schema:
        """The schema with the weights of the sliders."""
        if self.schema is None:
            raise bad_input("table", None, "an open table", "open one first")
        weights = {name: weight for name, weight in self.weights.items() if name in self.schema.quasi}
        return replace(self.schema, weights=weights) if weights else self.schema

    def pinned(self, pin: Pin) -> Project:
        """The project with one more candidate to compare; of more than four the oldest goes."""
        others = [one for one in self.pins if (one.protection, one.weights) != (pin.protection, pin.weights)]
        return replace(self, pins=(*others, pin)[-MOST_PINS:])

    def decisions(self, schema: str = "") -> Decisions:
        """As ``decisions.toml`` holds it: :func:`sfumato.study.own.publishing.publish` repeats it."""
        if self.work is not None:
            return replace(self.work.decisions, source=self.source, context=self.context)
        roles = self.roles.roles
        return Decisions(
            kind="table",
            roles=tuple(
                RoleChoice(column=name, role=role, reason=self.reasons.get(name, "")) for name, role in roles.items()
            ),
            protect=self.protection.arguments,
            limits=dict(self.limits),
            source=self.source,
            context=self.context,
            schema=schema,
        )


class DecisionJournal:
    """All decisions in their order: each is the project that came of it, so that every one can be taken back.

    Examples
    --------
    >>> journal = DecisionJournal()
    >>> journal.decide("k = 7", Project(protection=Protection(k=7)))
    >>> journal.undo()
    >>> journal.project.protection.k, journal.can_redo
    (5, True)
    """

    def __init__(self) -> None:
        self.entries: list[tuple[str, Project]] = [("an empty studio", Project())]
        self.place = 0

    @property
    def project(self) -> Project:
        """What is decided now."""
        return self.entries[self.place][1]

    def decide(self, words: str, project: Project, *, slider: bool = False) -> None:
        """Note a decision. What was taken back before it is forgotten.

        Parameters
        ----------
        slider : bool
            It only moves on what the entry before it moved: that entry is replaced. ``words`` begin alike then.
        """
        kept = self.entries[: self.place + 1]
        if slider and self.place > 0 and kept[-1][0].partition(":")[0] == words.partition(":")[0]:
            kept.pop()
        self.entries = [*kept, (words, project)]
        self.place = len(self.entries) - 1

    @property
    def here(self) -> range:
        """The places of the decisions about the file of now, those taken back among them."""
        paths = [None if one.origin is None else one.origin.path for _, one in self.entries]
        first = last = self.place
        while first > 0 and paths[first - 1] == paths[self.place]:
            first -= 1
        while last + 1 < len(paths) and paths[last + 1] == paths[self.place]:
            last += 1
        return range(first, last + 1)

    @property
    def elsewhere(self) -> list[int]:
        """The places of the decisions about other files."""
        return [
            place for place, (_, one) in enumerate(self.entries) if one.origin is not None and place not in self.here
        ]

    @property
    def can_undo(self) -> bool:
        """Whether a decision can be taken back."""
        return self.place > 0

    @property
    def can_redo(self) -> bool:
        """Whether a decision was taken back that can be made again."""
        return self.place < len(self.entries) - 1

    def undo(self) -> None:
        """Take the last decision back."""
        self.place = max(self.place - 1, 0)

    def redo(self) -> None:
        """Make it again."""
        self.place = min(self.place + 1, len(self.entries) - 1)

    def go_to(self, place: int) -> None:
        """Go back, or forth, to one of the entries."""
        if not 0 <= place < len(self.entries):
            raise bad_input("place", place, f"0 to {len(self.entries) - 1}")
        self.place = place
