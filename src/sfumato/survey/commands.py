"""``sfumato survey protect | attack | measure``."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, cast

import numpy as np
import typer
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.files import check_table_output, read_table, write_table
from sfumato.io.frames import column, numbers
from sfumato.promise import NoGuarantee
from sfumato.study.console import command_rng, notes, print_scores
from sfumato.validate import choice

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.noise import Rng
    from sfumato.survey.data.survey import Survey
    from sfumato.survey.mechanisms.collection import Collection
    from sfumato.survey.mechanisms.shuffler import Shuffler

__all__ = ["attack", "measure", "protect"]

Input = Annotated[str, typer.Argument(help="CSV, Parquet or JSON Lines; - for standard input.", show_default=False)]
Group = Annotated[
    str, typer.Option(help="Columns with the public place, e.g. lat,lon or x,y or age.", show_default=False)
]
Alpha = Annotated[float, typer.Option(help="Promise on who sent which report; 0 is uniform.", show_default=False)]
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
Seed = Annotated[int | None, typer.Option(help="For experiments only: makes the noise repeatable.", show_default=False)]
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
    collection: Collection
    shuffler: Shuffler
    radius: float | None
    rng: Rng


def _collects(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of :func:`_asked`; it receives what they ask for in their place."""
    shared = inspect.signature(_asked, eval_str=True).parameters
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]

    def run(**given: Any) -> None:
        asked = _asked(**{name: given.pop(name) for name in shared})
        command(asked, **given)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    parameters = [*shared.values(), *own]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _asked(
    input: Input,
    group: Group,
    alpha: Alpha,
    radius: Radius = None,
    nearest: Nearest = None,
    answer: Answer = "answer",
    epsilon: Epsilon = None,
    category: Category = None,
    geometry: Geometry = None,
    order: Order = "linked",
    metric: Metric = "kendall",
    seed: Seed = None,
) -> Asked:
    from sfumato.mechanism import RandomizedResponse
    from sfumato.survey import Collection, Groups, Shuffler, linked_order

    if epsilon is not None and not category:
        raise bad_input(
            "--category",
            category,
            "every possible answer with --epsilon",
            "categories read from the answers would themselves tell about them",
        )
    choice("order", order, _ORDERS)
    rng = command_rng(seed)
    table = read_table(input)
    read = _survey(table, _names("group", group), answer, category, geometry)
    rows = rng.permutation(read.n)
    survey = replace(read, answers=read.answers[rows], where=read.where[rows])
    front = None if epsilon is None else RandomizedResponse(epsilon=epsilon, categories=survey.k)
    groups = Groups.from_places(survey.where, radius=radius, nearest=nearest, geometry=survey.geometry)
    reference: Any = linked_order(groups, survey.where, geometry=survey.geometry) if order == "linked" else order
    shuffler = Shuffler(alpha=alpha, groups=groups, order=reference, metric=cast("Any", metric))
    return Asked(table, rows, survey, answer, Collection(front=front, shuffler=shuffler), shuffler, radius, rng)


@_collects
def protect(
    asked: Asked,
    *,
    keep: Annotated[
        str | None, typer.Option(help="Further columns that are released unchanged, e.g. id,age.", show_default=False)
    ] = None,
    out: Annotated[str, typer.Option("--out", "-o", help="Where the table goes; - for standard output.")] = "-",
) -> None:
    """Shuffle the answers of a survey so that each is lost among its owner's neighbours.

    A row becomes a slot, not a person: its place stays, its answer comes from somewhere near. Only the places, the
    answer and the columns named by --keep are written, the rows in random order.

    Example: sfumato survey protect answers.csv --group lat,lon --radius 5 --alpha 4
    """
    check_table_output(out)
    survey, shuffler = asked.survey, asked.shuffler
    unchanged = list(dict.fromkeys([*survey.names, *_names("keep", keep)]))
    if asked.answer in unchanged:
        raise bad_input("--keep", asked.answer, "other columns than the answer", "the answer is written, shuffled")
    for name in unchanged:
        column(asked.table, name, missing=True)
    promise = asked.collection.guarantee
    if isinstance(promise, NoGuarantee):
        raise InputError(f"{promise}; nothing is written: a larger radius, a finite alpha or --epsilon would protect")
    values = _values(survey.categories, asked.table.schema.field(asked.answer).type)
    released = asked.collection.release(survey, rng=asked.rng)
    written = asked.table.take(asked.rows)
    written = written.set_column(written.column_names.index(asked.answer), asked.answer, values.take(released.answers))
    written = written.select([name for name in written.column_names if name in {*unchanged, asked.answer}])
    write_table(written, out, format="csv" if out == "-" else None)
    _note(f"promise: {promise}")
    _note(f"not protected: {', '.join(unchanged)}, and how many owners there are")
    places = math.inf if shuffler.theta == 0 else 1 / shuffler.theta
    moved = f"about {places:.0f} places" if places < survey.n else "anywhere"
    _note(
        f"{survey.n} reports, each moved {moved} along the order (width {shuffler.width}, Δ = {shuffler.sensitivity})"
    )
    alone = int(np.count_nonzero(shuffler.groups.sizes == 1))
    if alone:
        _warn(f"{alone} of {survey.n} owners are alone in their group and hide among nobody: a larger radius helps.")
    if asked.collection.front is None:
        _warn(
            "the answers are shuffled as they are: unless they were randomised before, what a group answered as a "
            "whole is told. --epsilon randomises them."
        )
    if places >= survey.n and shuffler.alpha > 0:
        _warn(
            "groups this large make the shuffle practically uniform; "
            "a smaller radius or a larger alpha keeps more of the map."
        )


@_collects
def attack(asked: Asked, *, privileged: Privileged = None, near: Near = None) -> None:
    """Attack the answers as protect would shuffle them: who said what? For the owner's eyes: uses the raw answers.

    Example: sfumato survey attack answers.csv --group lat,lon --radius 5 --alpha 4 --privileged age
    """
    from sfumato.survey import BayesianAttack, LearnedAttack, MajorityVoteAttack

    reach = _near(near, asked.radius)
    known = [_side_knowledge(asked.table, name)[asked.rows] for name in _names("privileged", privileged)]
    survey = replace(asked.survey, privileged=np.concatenate(known, axis=1) if known else None)
    release = asked.collection.release(survey, rng=asked.rng)
    attacks: list[Any] = [MajorityVoteAttack(radius=reach), BayesianAttack(radius=reach), LearnedAttack()]
    scores = [(one.name, one.attack(survey, release, mechanism=asked.collection, rng=asked.rng)) for one in attacks]
    print_scores(scores, title=str(asked.collection.guarantee), reference="without the release")


@_collects
def measure(asked: Asked, *, near: Near = None) -> None:
    """Measure what a collection leaves to learn. For the owner's eyes: uses the raw answers.

    Example: sfumato survey measure answers.csv --group lat,lon --radius 5 --alpha 4
    """
    from sfumato.survey import GroupEstimates, Learnability, MapError

    reach = _near(near, asked.radius)
    release = asked.collection.release(asked.survey, rng=asked.rng)
    utilities: list[Any] = [Learnability(radius=reach), GroupEstimates(radius=reach), MapError()]
    scores = [
        (f"{one.name} ({one.better} is better)", one.measure(asked.survey, release, rng=asked.rng)) for one in utilities
    ]
    print_scores(scores, title=str(asked.collection.guarantee), reference="")


def _names(option: str, given: str | None) -> list[str]:
    names = [name.strip() for name in given.split(",")] if given is not None else []
    if "" in names or len(set(names)) < len(names):
        raise bad_input(f"--{option}", given, "different columns, separated by commas")
    return names


def _survey(table: pa.Table, group: list[str], answer: str, category: list[str] | None, geometry: str | None) -> Survey:
    from sfumato.survey.data.survey import Survey

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
