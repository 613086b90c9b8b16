"""A study: data, mechanisms, attacks and utilities to run against each other."""

from __future__ import annotations

import itertools
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.notebook import definitions
from sfumato.promise import NoGuarantee
from sfumato.study.score import Attack, Utility
from sfumato.study.threshold import Threshold
from sfumato.study.wording import count
from sfumato.validate import integer

__all__ = ["RAW_LABEL", "Picture", "Raw", "Study", "sweep"]

_NAME = frozenset(string.ascii_letters + string.digits + "-_")


RAW_LABEL = "raw data"
"""The label of the unprotected reference that every study has."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Raw(Mechanism):
    """No protection: the reference line of every study."""

    @property
    def guarantee(self) -> NoGuarantee:
        return NoGuarantee("the raw data")

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        return data


def sweep(make: Callable[..., Mechanism], **parameters: Any) -> list[Mechanism]:
    """One mechanism for each combination of the parameters given as lists; the others are held.

    >>> from sfumato.mechanism import Laplace
    >>> [m.epsilon for m in sweep(Laplace, epsilon=[0.1, 1.0], sensitivity=1.0)]
    [0.1, 1.0]
    """
    axes = {name: value for name, value in parameters.items() if isinstance(value, list)}
    fixed = {name: value for name, value in parameters.items() if name not in axes}
    return [make(**fixed, **dict(zip(axes, values, strict=True))) for values in itertools.product(*axes.values())]


@dataclass(frozen=True)
class Picture:
    """A figure of a room's own in the report: a plotly figure with a title and one sentence on what to see.

    ``public`` says that it shows no value and no count of the input, so that it may stand in the edition to publish.
    """

    title: str
    figure: Any
    caption: str = ""
    public: bool = False


@dataclass(frozen=True, kw_only=True)
class Study:
    """Data × mechanisms × attacks × utilities × seeds.

    Parameters
    ----------
    name, title, summary : str
        A short identifier, a headline and two sentences for the reader of the report.
    data
        What is protected. Must pickle, or be a function without arguments that makes it (then each process calls it).
    mechanisms : mapping of str to sequence of Mechanism
        One line of the frontier for each label; :func:`sweep` makes the sequence.
    attacks, utilities
        The first of each spans the frontier plot; the others are shown beside it.
    seeds : int
        How many times each cell is repeated, with seeds 0 … seeds − 1.
    varied : str
        The parameter that the sweep runs over, for axis labels.
    pictures
        Functions of the outcome that draw a room's own figures.
    customary : mapping of str to Threshold
        Published limits on some of the attacks, by name. They are shown with their sources, and nothing is recommended
        by them unless the reader asks for it (``limits="default"``).
    contains : mapping of str to mapping of str to int
        How many units of a promise the largest document or person holds, so that each ε is shown with its total:
        ``{"word": {"document": 150, "person": 900}}``.
    records : int, optional
        How many records the data have. The edition to publish hides counts below eleven of them.
    """

    name: str
    title: str
    summary: str = ""
    data: Any = field(repr=False)  # records are nobody's to print
    mechanisms: Mapping[str, Sequence[Mechanism]]
    attacks: Sequence[Attack]
    utilities: Sequence[Utility]
    seeds: int = 3
    varied: str = "epsilon"
    pictures: Sequence[Callable[[Any], Picture]] = field(default=())
    customary: Mapping[str, Threshold] = field(default_factory=dict)
    contains: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    records: int | None = None

    def __post_init__(self) -> None:
        integer("seeds", self.seeds)
        if not self.name or not set(self.name) <= _NAME:
            raise bad_input("name", self.name, "letters, digits, - and _", "it names the study's folder")
        if not self.mechanisms or not all(self.mechanisms.values()):
            raise bad_input("mechanisms", dict(self.mechanisms), "at least one mechanism under each label")
        if RAW_LABEL in self.mechanisms:
            raise bad_input("label", RAW_LABEL, "another name", "every study has the raw data as its reference already")
        for kind, measures in (("attacks", self.attacks), ("utilities", self.utilities)):
            names = [measure.name for measure in measures]
            if not names or len(set(names)) < len(names):
                raise bad_input(f"names of {kind}", names, "at least one, each different")
        for name in self.customary:
            if name not in [attack.name for attack in self.attacks]:
                raise bad_input("customary", name, "the name of an attack of the study")
        for unit, holders in self.contains.items():
            for holder, size in holders.items():
                integer(f"contains[{unit!r}][{holder!r}]", size)
        if self.records is not None:
            integer("records", self.records)

    @classmethod
    def of_file(cls, data: str | Path, *, room: str, schema: str | Path | None = None, **options: Any) -> Study:
        """The study of a file of one's own.

        Parameters
        ----------
        data : path
            The file to protect.
        room : str
            Its kind of data: ``"table"``, ``"text"``, …
        schema : path, optional
            What its columns are, where the kind of data needs it: for a table the ``table.toml`` that
            ``sfumato table init`` proposes.
        options
            What else the kind of data asks for; ``sfumato study --help`` and docs/study.md list it.
        """
        from sfumato.study.own.own_file import own_study
        from sfumato.study.rooms import find_room

        given = options if schema is None else {"schema": schema, **options}
        made: Study = own_study(find_room(room), data, given)
        return made

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        settings = sum(map(len, self.mechanisms.values()))
        return definitions(
            self.title,
            {
                "Mechanisms": ", ".join(f"{label} ({len(line)})" for label, line in self.mechanisms.items()),
                "Attacks": ", ".join(attack.name for attack in self.attacks),
                "Utilities": ", ".join(utility.name for utility in self.utilities),
                "To run": f"{count(settings, 'setting')} and the raw data, {count(self.seeds, 'seed')} each",
            },
        )
