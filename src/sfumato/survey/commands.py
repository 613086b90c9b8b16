"""``sfumato survey protect | attack | measure``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from sfumato.data.files import read_table, write_table
from sfumato.errors import bad_input
from sfumato.study.console import command_rng, notes, screen
from sfumato.study.shapes import Score

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.data.surveys import Survey
    from sfumato.survey.collection import Collection

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
    str | None, typer.Option(help="Columns that the attacker knows, e.g. age,income.", show_default=False)
]
Seed = Annotated[int | None, typer.Option(help="For experiments only: makes the noise repeatable.", show_default=False)]
Near = Annotated[
    float | None, typer.Option(help="How near is near for the measure; by default the radius.", show_default=False)
]

_GLOBE = ({"lat", "lon"}, {"lat", "lng"}, {"latitude", "longitude"})


def protect(
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
    out: Annotated[str, typer.Option("--out", "-o", help="Where the table goes; - for standard output.")] = "-",
    seed: Seed = None,
) -> None:
    """Shuffle the answers of a survey so that each is lost among its owner's neighbours.

    The other columns stay as they are: a row becomes a slot, not a person.

    Example: sfumato survey protect answers.csv --group lat,lon --radius 5 --alpha 4
    """
    table = read_table(input)
    survey = _survey(table, group, answer, category, geometry, None)
    collection = _collection(survey, alpha, radius, nearest, epsilon, category, order, metric)
    rng = command_rng(seed)
    released = collection.release(survey, rng=rng)
    words = np.array(survey.categories, dtype=object)[released.answers]
    write_table(_replace(table, answer, words), out, format="csv" if out == "-" else None)
    shuffler = collection.shuffler
    assert shuffler is not None
    notes.print(f"promise: {collection.guarantee}", markup=False, soft_wrap=True)
    places = math.inf if shuffler.theta == 0 else 1 / shuffler.theta
    moved = f"about {places:.0f} places" if places < survey.n else "anywhere"
    notes.print(
        f"{survey.n} reports, each moved {moved} along the order (width {shuffler.width}, Δ = {shuffler.sensitivity})",
        markup=False,
        soft_wrap=True,
    )
    if places >= survey.n and alpha > 0:
        notes.print(
            "[yellow]note:[/] groups this large make the shuffle practically uniform; "
            "a smaller radius or a larger alpha keeps more of the map.",
            soft_wrap=True,
        )


def attack(
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
    privileged: Privileged = None,
    near: Near = None,
    seed: Seed = None,
) -> None:
    """Attack the answers as protect would shuffle them: who said what? For the owner's eyes: uses the raw answers.

    Example: sfumato survey attack answers.csv --group lat,lon --radius 5 --alpha 4 --privileged age
    """
    from sfumato.survey import BayesianAttack, LearnedAttack, MajorityVote

    survey = _survey(read_table(input), group, answer, category, geometry, privileged)
    collection = _collection(survey, alpha, radius, nearest, epsilon, category, order, metric)
    reach = _near(near, radius)
    rng = command_rng(seed)
    release = collection.release(survey, rng=rng)
    attacks: list[Any] = [MajorityVote(radius=reach), BayesianAttack(radius=reach), LearnedAttack()]
    scores = [(one.name, one.attack(survey, release, mechanism=collection, rng=rng)) for one in attacks]
    _print_scores(str(collection.guarantee), scores, "without the release")


def measure(
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
    near: Near = None,
    seed: Seed = None,
) -> None:
    """Measure what a collection leaves to learn. For the owner's eyes: uses the raw answers.

    Example: sfumato survey measure answers.csv --group lat,lon --radius 5 --alpha 4
    """
    from sfumato.survey import GroupEstimates, Learnability, MapError

    survey = _survey(read_table(input), group, answer, category, geometry, None)
    collection = _collection(survey, alpha, radius, nearest, epsilon, category, order, metric)
    reach = _near(near, radius)
    rng = command_rng(seed)
    release = collection.release(survey, rng=rng)
    utilities: list[Any] = [Learnability(radius=reach), GroupEstimates(radius=reach), MapError()]
    scores = [(f"{one.name} ({one.better} is better)", one.measure(survey, release, rng=rng)) for one in utilities]
    _print_scores(str(collection.guarantee), scores, "")


def _survey(
    table: pa.Table,
    group: str,
    answer: str,
    category: list[str] | None,
    geometry: str | None,
    privileged: str | None,
) -> Survey:
    from sfumato.data.frames import column, numbers
    from sfumato.data.surveys import Survey

    names = [name.strip() for name in group.split(",")]
    words = np.array([str(value) for value in column(table, answer)], dtype=object)
    categories = list(category) if category else sorted(set(words))
    codes = {word: code for code, word in enumerate(categories)}
    strange = next((row for row, word in enumerate(words) if word not in codes), None)
    if strange is not None:
        raise bad_input(
            f"{answer} in row {strange + 1}",
            "not a category",
            "one of " + ", ".join(map(repr, categories)),
            "name every possible answer with --category",
        )
    chosen: Any = geometry or ("globe" if {name.lower() for name in names} in _GLOBE else "plane")
    where = [numbers(table, name) for name in names]
    if chosen == "globe" and names[0].lower().startswith("lon"):
        where = where[::-1]
    side = None
    if privileged:
        side = np.stack([numbers(table, name.strip()) for name in privileged.split(",")], axis=1)
    coded = np.array([codes[word] for word in words], np.int64)
    return Survey(coded, np.stack(where, axis=1), categories, side, chosen, names=names)


def _collection(
    survey: Survey,
    alpha: float,
    radius: float | None,
    nearest: int | None,
    epsilon: float | None,
    category: list[str] | None,
    order: str,
    metric: Any,
) -> Collection:
    from sfumato.survey import Collection, Groups, RandomizedResponse, Shuffler, linked_order

    front = None
    if epsilon is not None:
        if not category:
            raise bad_input(
                "--category",
                category,
                "every possible answer with --epsilon",
                "categories read from the answers would themselves tell about them",
            )
        front = RandomizedResponse(epsilon=epsilon, categories=survey.k)
    groups = Groups.from_places(survey.where, radius=radius, nearest=nearest, geometry=survey.geometry)
    reference: Any = linked_order(groups, survey.where, geometry=survey.geometry) if order == "linked" else order
    return Collection(front=front, shuffler=Shuffler(alpha=alpha, groups=groups, order=reference, metric=metric))


def _near(near: float | None, radius: float | None) -> float:
    if near is None and radius is None:
        raise bad_input("--near", near, "how near is near", "with --nearest the measure needs --near as well")
    return float(radius if near is None else near)  # type: ignore[arg-type]


def _replace(table: pa.Table, name: str, words: np.ndarray) -> pa.Table:
    import pyarrow as pa

    kind = table.schema.field(name).type
    column = pa.array(words.tolist(), pa.string()).cast(kind)
    return table.set_column(table.column_names.index(name), name, column)


def _print_scores(title: str, scores: list[tuple[str, Score]], reference: str) -> None:
    from rich.table import Table

    table = Table("measure", "value", "95 % interval", reference, title=title, box=None, title_justify="left")
    for name, score in scores:
        interval = "" if math.isnan(score.low) else f"{score.low:.4g} to {score.high:.4g}"
        known = "" if math.isnan(score.reference) else f"{score.reference:.4g}"
        table.add_row(name, f"{score.value:.4g}", interval, known)
    screen.print(table)
