"""``sfumato survey protect | attack | measure``."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from sfumato.cli.options import Input, Out, Seed, Settings, mechanism_help, shared_options
from sfumato.errors import InputError, bad_input
from sfumato.io.files import check_table_output, read_table, write_table
from sfumato.io.frames import column, numbers
from sfumato.mechanism import RandomizedResponse
from sfumato.study.console import command_rng, notes, print_scores
from sfumato.study.settings import build, read_settings
from sfumato.survey.core.groups import Groups
from sfumato.survey.core.linked import linked_order
from sfumato.survey.data.survey import Survey
from sfumato.survey.mechanisms.collection import Collection
from sfumato.survey.mechanisms.shuffler import Shuffler
from sfumato.survey.room import ROOM
from sfumato.validate import choice

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.noise import Rng

__all__ = ["attack", "measure", "protect"]

KINDS = ROOM.mechanisms()

MechanismName = Annotated[str, typer.Option("--mechanism", help=mechanism_help(KINDS))]
Group = Annotated[
    str | None, typer.Option(help="Columns with the public place, e.g. lat,lon or x,y or age.", show_default=False)
]
Alpha = Annotated[
    float | None, typer.Option(help="Promise on who sent which report; 0 is uniform.", show_default=False)
]
Radius = Annotated[
    float | None,
    typer.Option(help="Hide among all within this distance (km on the globe).", show_default=False),
]
Nearest = Annotated[int | None, typer.Option(help="Hide among this many nearest instead.", show_default=False)]
Answer = Annotated[str, typer.Option(help="The column with the answers.")]
Epsilon = Annotated[
    float | None,
    typer.Option(help="Randomise each answer first; without it they are shuffled as they are.", show_default=False),
]
Category = Annotated[
    list[str] | None,
    typer.Option(help="A possible answer; repeat it. Needed with --epsilon.", show_default=False),
]
Geometry = Annotated[
    str | None, typer.Option(help="plane or globe; by default globe for lat,lon columns.", show_default=False)
]
Order = Annotated[str, typer.Option(help="Reference order: linked, cuthill-mckee or bfs.")]
Metric = Annotated[str, typer.Option(help="kendall (near places) or hamming (anywhere).")]
Privileged = Annotated[
    str | None,
    typer.Option(help="Columns that the attacker knows, numbers or words, e.g. age,status.", show_default=False),
]
Near = Annotated[
    float | None, typer.Option(help="How near is near for the measure; by default the radius.", show_default=False)
]

_GLOBE = ({"lat", "lon"}, {"lat", "lng"}, {"latitude", "longitude"})
_MOST_WORDS = 100
_ORDERS = ("linked", "cuthill-mckee", "bfs")


@dataclass(frozen=True)
class Asked:
    """What the shared options ask for.

    The order of a file may tell the answers (it may be sorted by them) and would break ties in the reference order, so
    that the survey takes the rows of the table in a random one.
    """

    table: pa.Table
    rows: NDArray[np.int64]
    survey: Survey
    answer: str
    mechanism: Any
    radius: float | None
    rng: Rng

    @property
    def collection(self) -> Collection:
        """The mechanism, where it collects answers under a shuffler."""
        if not isinstance(self.mechanism, Collection):
            raise bad_input("--mechanism", type(self.mechanism).__name__, "collection or shuffler for this command")
        return self.mechanism


def _asked(
    input: Input,
    group: Group = None,
    alpha: Alpha = None,
    mechanism: MechanismName = "collection",
    radius: Radius = None,
    nearest: Nearest = None,
    answer: Answer = "answer",
    epsilon: Epsilon = None,
    category: Category = None,
    geometry: Geometry = None,
    order: Order = "linked",
    metric: Metric = "kendall",
    setting: Settings = None,
    seed: Seed = None,
) -> Asked:
    kind = KINDS[choice("mechanism", mechanism, list(KINDS))]
    settings = read_settings(setting)
    encodes = not issubclass(kind, (Collection, Shuffler))
    if issubclass(kind, Shuffler) and epsilon is not None:
        raise bad_input("--epsilon", epsilon, "none for shuffler", "--mechanism collection randomises and shuffles")
    if (epsilon is not None or encodes) and not category:
        raise bad_input(
            "--category",
            category,
            f"every possible answer with {'--mechanism ' + mechanism if encodes else '--epsilon'}",
            "categories read from the answers would themselves tell about them",
        )
    choice("order", order, _ORDERS)
    rng = command_rng(seed)
    table = read_table(input)
    read = _survey(table, _names("group", group), answer, category, geometry)
    rows = rng.permutation(read.n)
    survey = replace(read, answers=read.answers[rows], where=read.where[rows])
    if encodes:
        if epsilon is not None:
            settings = {"epsilon": epsilon} | settings
        made = build(KINDS, mechanism, settings, categories=survey.k)
        return Asked(table, rows, survey, answer, made, radius, rng)
    if alpha is None and "alpha" not in settings:
        raise bad_input("--alpha", None, f"the promise on who sent which report for {mechanism}", "e.g. --alpha 4")
    if group is None:
        raise bad_input("--group", None, f"the columns with the public place for {mechanism}", "e.g. --group lat,lon")
    front = None if epsilon is None else RandomizedResponse(epsilon=epsilon, categories=survey.k)
    groups = Groups.from_places(survey.where, radius=radius, nearest=nearest, geometry=survey.geometry)
    reference: Any = linked_order(groups, survey.where, geometry=survey.geometry) if order == "linked" else order
    if alpha is not None:
        settings = {"alpha": alpha} | settings
    shuffles = kind if issubclass(kind, Shuffler) else Shuffler
    collects = kind if issubclass(kind, Collection) else Collection
    shuffler = build({mechanism: shuffles}, mechanism, settings, groups=groups, order=reference, metric=metric)
    return Asked(table, rows, survey, answer, collects(front=front, shuffler=shuffler), radius, rng)


@shared_options(_asked)
def protect(
    asked: Asked,
    *,
    keep: Annotated[
        str | None, typer.Option(help="Further columns that are released unchanged, e.g. id,age.", show_default=False)
    ] = None,
    out: Out = "-",
) -> None:
    """Shuffle the answers of a survey so that each is lost among its owner's neighbours.

    A row becomes a slot, not a person: its place stays, its answer comes from somewhere near. Only the places, the
    answer and the columns named by --keep are written, the rows in random order. --epsilon randomises the answers
    first. unary-encoding and hadamard-response encode each answer and shuffle nothing; they need no places.

    Example: sfumato survey protect answers.csv --group lat,lon --radius 5 --alpha 4
    """
    check_table_output(out)
    survey, promise = asked.survey, asked.mechanism.guarantee
    unchanged = list(dict.fromkeys([*survey.names, *_names("keep", keep)]))
    if asked.answer in unchanged:
        raise bad_input("--keep", asked.answer, "other columns than the answer", "the answer is written, shuffled")
    for name in unchanged:
        column(asked.table, name, missing=True)
    if promise.vacuous:
        raise InputError(f"{promise}; nothing is written: a larger radius, a finite alpha or --epsilon would protect")
    given = asked.table.take(asked.rows)
    names = [name for name in given.column_names if name in {*unchanged, asked.answer}]
    written = given.select(names)
    reports = _reports(asked)
    place = names.index(asked.answer)
    written = written.remove_column(place)
    for name, values in reversed(reports.items()):
        written = written.add_column(place, name, values)
    write_table(written, out, format="csv" if out == "-" else None)
    _note(f"promise: {promise}")
    _note("not protected: " + ", ".join([*unchanged, "and how many owners there are" if unchanged else "their number"]))
    if isinstance(asked.mechanism, Collection):
        _note_movement(asked.mechanism, survey.n)


def _reports(asked: Asked) -> dict[str, Any]:
    """The released columns in place of the answer."""
    import pyarrow as pa

    survey = asked.survey
    if isinstance(asked.mechanism, Collection):
        values = _values(survey.categories, asked.table.schema.field(asked.answer).type)
        return {asked.answer: values.take(asked.mechanism.release(survey, rng=asked.rng).answers)}
    released = asked.mechanism.release(survey.answers, rng=asked.rng)
    if released.ndim == 1:
        return {asked.answer: pa.array(released)}
    return {f"{asked.answer}={word}": pa.array(released[:, k]) for k, word in enumerate(survey.categories)}


def _note_movement(collection: Collection, owners: int) -> None:
    """Say how far the reports were moved, and warn of what protects nobody or keeps nothing."""
    shuffler = collection.shuffler
    assert shuffler is not None
    places = math.inf if shuffler.theta == 0 else 1 / shuffler.theta
    moved = f"about {places:.0f} places" if places < owners else "anywhere"
    _note(f"{owners} reports, each moved {moved} along the order (width {shuffler.width}, Δ = {shuffler.sensitivity})")
    alone = int(np.count_nonzero(shuffler.groups.sizes == 1))
    if alone:
        _warn(f"{alone} of {owners} owners are alone in their group and hide among nobody: a larger radius helps.")
    if collection.front is None:
        _warn(
            "the answers are shuffled as they are: unless they were randomised before, what a group answered as a "
            "whole is told. --epsilon randomises them."
        )
    if places >= owners and shuffler.alpha > 0:
        _warn(
            "groups this large make the shuffle practically uniform; "
            "a smaller radius or a larger alpha keeps more of the map."
        )


@shared_options(_asked)
def attack(asked: Asked, *, privileged: Privileged = None, near: Near = None) -> None:
    """Attack the answers as protect would shuffle them: who said what? For the owner's eyes: uses the raw answers.

    Example: sfumato survey attack answers.csv --group lat,lon --radius 5 --alpha 4 --privileged age
    """
    collection = asked.collection
    attacks = _with_radius(ROOM.attacks(), _near(near, asked.radius))
    known = [_side_knowledge(asked.table, name)[asked.rows] for name in _names("privileged", privileged)]
    survey = replace(asked.survey, privileged=np.concatenate(known, axis=1) if known else None)
    release = collection.release(survey, rng=asked.rng)
    scores = [(one.name, one.attack(survey, release, mechanism=collection, rng=asked.rng)) for one in attacks]
    print_scores(scores, title=str(collection.guarantee), reference="without the release")


@shared_options(_asked)
def measure(asked: Asked, *, near: Near = None) -> None:
    """Measure what a collection leaves to learn. For the owner's eyes: uses the raw answers.

    Example: sfumato survey measure answers.csv --group lat,lon --radius 5 --alpha 4
    """
    collection = asked.collection
    utilities = _with_radius(ROOM.utilities(), _near(near, asked.radius))
    release = collection.release(asked.survey, rng=asked.rng)
    scores = [
        (f"{one.name} ({one.better} is better)", one.measure(asked.survey, release, rng=asked.rng)) for one in utilities
    ]
    print_scores(scores, title=str(collection.guarantee), reference="")


def _with_radius(examples: Iterable[tuple[Any, ...]], radius: float) -> list[Any]:
    """One of every kind among the examples, with its defaults and this radius where it takes one."""
    kinds = dict.fromkeys(type(example[0]) for example in examples)
    return [
        kind(radius=radius) if any(one.name == "radius" for one in dataclasses.fields(kind)) else kind()
        for kind in kinds
    ]


def _names(option: str, given: str | None) -> list[str]:
    names = [name.strip() for name in given.split(",")] if given is not None else []
    if "" in names or len(set(names)) < len(names):
        raise bad_input(f"--{option}", given, "different columns, separated by commas")
    return names


def _survey(table: pa.Table, group: list[str], answer: str, category: list[str] | None, geometry: str | None) -> Survey:
    if answer in group:
        raise bad_input("--group", ",".join(group), f"public columns, not the answer {answer!r}", "places are released")
    words = np.array([str(value) for value in column(table, answer)], dtype=object)
    categories = list(category) if category else sorted(set(words))
    codes = {word: code for code, word in enumerate(categories)}
    if len(codes) < len(categories):
        raise bad_input("--category", categories, "every possible answer once")
    strange = next((row for row, word in enumerate(words) if word not in codes), None)
    if strange is not None:
        raise bad_input(
            f"{answer} in row {strange + 1}",
            "not a category",
            "one of " + ", ".join(map(repr, categories)),
            "name every possible answer with --category",
        )
    chosen: Any = geometry or ("globe" if {name.lower() for name in group} in _GLOBE else "plane")
    if not group:  # nothing is said about places, and nothing asks for them
        return Survey(np.array([codes[word] for word in words], np.int64), np.zeros((len(words), 1)), categories)
    where = [numbers(table, name) for name in group]
    if chosen == "globe" and group[0].lower().startswith("lon"):
        where = where[::-1]
    coded = np.array([codes[word] for word in words], np.int64)
    return Survey(coded, np.stack(where, axis=1), categories, None, chosen, names=group)


def _side_knowledge(table: pa.Table, name: str) -> NDArray[np.float64]:
    """Numbers as they are, words as one column of 0 and 1 for each: two words are alike or they are not."""
    values = column(table, name)
    if values.dtype.kind in "iuf":
        return numbers(table, name)[:, None]
    words, code = np.unique(values.astype(str), return_inverse=True)
    if words.size > _MOST_WORDS:
        raise bad_input(f"column {name!r}", f"{words.size} different words", f"numbers, or at most {_MOST_WORDS} words")
    return np.eye(words.size)[code]


def _near(near: float | None, radius: float | None) -> float:
    if near is None and radius is None:
        raise bad_input("--near", near, "how near is near", "with --nearest the measure needs --near as well")
    return float(radius if near is None else near)  # type: ignore[arg-type]


def _values(categories: Sequence[str], kind: pa.DataType) -> pa.Array:
    """All categories in the type of the answers, whether or not one of them is drawn."""
    import pyarrow as pa

    try:
        return pa.array(list(categories), pa.string()).cast(kind)
    except pa.ArrowException as error:
        raise bad_input("--category", list(categories), f"answers of the column's type, {kind}") from error


def _note(text: str) -> None:
    notes.print(text, markup=False, soft_wrap=True)


def _warn(text: str) -> None:
    notes.print(f"[yellow]note:[/] {text}", soft_wrap=True)
