"""What is asked of a table of answers: from options, or from a card, to a survey and its mechanism."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.frames import column as frame_column
from sfumato.io.frames import numbers
from sfumato.mechanism import RandomizedResponse
from sfumato.promise import Assumption, Guarantee
from sfumato.study.settings import build
from sfumato.survey.core.chosen import PARTS as _PARTS
from sfumato.survey.core.chosen import ChosenOrder, chosen_order, halfway
from sfumato.survey.core.friendships import Friendships
from sfumato.survey.core.groups import Groups
from sfumato.survey.core.linked import linked_order
from sfumato.survey.data.survey import Survey
from sfumato.survey.mechanisms.collection import Collection
from sfumato.survey.mechanisms.shuffler import Shuffler
from sfumato.validate import choice

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.noise import Rng

__all__ = ["Question", "kinds", "side_knowledge"]

_GLOBE = ({"lat", "lon"}, {"lat", "lng"}, {"latitude", "longitude"})
_MOST_WORDS = 100
_ORDERS = ("best", "linked", "cuthill-mckee", "bfs")


@functools.cache
def kinds() -> dict[str, type]:
    """Every mechanism of this kind of data by its name on the command line."""
    from sfumato.survey.room import ROOM

    return ROOM.mechanisms()


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked, as ``protect`` takes it and as the card keeps it.

    Parameters
    ----------
    mechanism : str
        Its name on the command line.
    column : str
        The column with the answers.
    group : sequence of str
        The columns with the public place, or the one with the public names of ``friends``.
    friends : sequence of str, optional
        Who is a friend of whom, as :class:`Friendships` keeps it: groups are made of them instead of places.
    hops : int
        How many steps along them.
    radius, radii, nearest, alpha, epsilon, categories, geometry, order, metric
        As in :func:`~sfumato.survey.protect`.
    settings : mapping
        Parameters of the mechanism that have no option of their own; they win over the options.
    """

    mechanism: str
    column: str = "answer"
    group: Sequence[str] = ()
    radius: float | None = None
    radii: str | None = None
    nearest: int | None = None
    friends: Sequence[str] | None = None
    hops: int = 1
    alpha: float | None = None
    epsilon: float | None = None
    categories: Sequence[str] = ()
    geometry: str | None = None
    order: str = "best"
    metric: str = "kendall"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        choice("mechanism", self.mechanism, list(kinds()))
        choice("order", self.order, _ORDERS)
        for option, names in (("--group", self.group), ("--category", self.categories)):
            if len(set(names)) < len(names):
                raise bad_input(option, list(names), "every one once")
        if self.column in self.group:
            raise bad_input("--group", self.column, "public columns, not the answer", "places are released")
        if issubclass(self.kind, Shuffler) and self.epsilon is not None:
            raise bad_input(
                "--epsilon", self.epsilon, "none for shuffler", "--mechanism collection randomises and shuffles"
            )
        if (self.epsilon is not None or self.encodes) and not self.categories:
            asked = f"--mechanism {self.mechanism}" if self.encodes else "--epsilon"
            raise bad_input(
                "--category",
                None,
                f"every possible answer with {asked}",
                "categories read from the answers would themselves tell about them",
            )
        if not self.encodes:
            self._check_places()
        if self.geometry is None:
            on_globe = {name.lower() for name in self.group} in _GLOBE
            object.__setattr__(self, "geometry", "globe" if on_globe else "plane")
        choice("geometry", self.geometry, ("plane", "globe"))

    def _check_places(self) -> None:
        if self.alpha is None and "alpha" not in self.settings:
            raise bad_input(
                "--alpha", None, f"the promise on who sent which report for {self.mechanism}", "e.g. --alpha 4"
            )
        alpha = self.settings.get("alpha", self.alpha)
        if not isinstance(alpha, int | float) or not alpha >= 0:
            raise bad_input("--alpha", alpha, "a number ≥ 0; 0 is uniform, inf shuffles nothing")
        if self.radii is not None and (self.radius is not None or self.nearest is not None):
            raise bad_input("--radii", self.radii, "no --radius and no --nearest with it")
        if self.radii is not None and self.radii in (self.column, *self.group):
            raise bad_input("--radii", self.radii, "a column of its own, which is public")
        if not self.group:
            raise bad_input(
                "--group", None, f"the columns with the public place for {self.mechanism}", "e.g. --group lat"
            )
        if self.friends is None and self.hops != 1:
            raise bad_input("--hops", self.hops, "a list of --friends with it")
        if self.friends is not None:
            if (self.radius, self.radii, self.nearest) != (None, None, None):
                raise bad_input("--friends", "a list", "no --radius, --radii or --nearest with it")
            if len(self.group) > 1:
                raise bad_input("--group", list(self.group), "one column with the names that --friends has")

    @property
    def kind(self) -> type:
        """The class of the mechanism."""
        return kinds()[self.mechanism]

    @property
    def encodes(self) -> bool:
        """Whether every answer is encoded on its own, and nothing is shuffled."""
        return not issubclass(self.kind, (Collection, Shuffler))

    @property
    def friendships(self) -> Friendships | None:
        """The list of friends, if groups are made of one."""
        return None if self.friends is None or self.encodes else Friendships(self.friends, self.hops)

    @property
    def crowd(self) -> str:
        """Whom each owner hides among, in words that name the groups."""
        places = ", ".join(self.group)
        if self.friendships is not None:
            return f"{self.friendships} by {places}"
        unit = " km" if self.geometry == "globe" else ""
        if self.radii is not None:
            return f"within their own {self.radii}{unit and ' in'}{unit} by {places}"
        if self.radius is None:
            return f"among the {self.nearest} nearest by {places}"
        reach = repr(float(self.radius)).removesuffix(".0")  # in full: the name stands for the groups
        return f"within {reach}{unit} by {places}"

    # ── data ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def survey(self, table: Any) -> Survey:
        """The answers and the public places, in the order of the rows."""
        words = np.array([str(value) for value in frame_column(table, self.column)], dtype=object)
        categories = list(self.categories) or sorted(set(words))
        codes = {word: code for code, word in enumerate(categories)}
        strange = next((row for row, word in enumerate(words) if word not in codes), None)
        if strange is not None:
            raise bad_input(
                f"{self.column} in row {strange + 1}",
                "not a category",
                "one of " + ", ".join(map(repr, categories)),
                "name every possible answer with --category",
            )
        coded = np.array([codes[word] for word in words], np.int64)
        if self.encodes:
            return Survey(coded, np.zeros((len(coded), 1)), categories)
        return replace(self.placed(table), answers=coded, categories=categories)

    def placed(self, table: Any) -> Survey:
        """The owners at their public places; no answer is looked at, and all are the first one."""
        where = self.places(table)
        public: dict[str, Any] = {"names": self.group, "radii": self.reaches(table), "owners": self.owners(table)}
        public["geometry"] = self.geometry
        return Survey(np.zeros(len(where), np.int64), where, list(self.categories) or [""], **public)

    @property
    def public_columns(self) -> list[str]:
        """The columns that say who hides among whom, released as they are."""
        return [*self.group, *([self.radii] if self.radii is not None else [])]

    def reaches(self, table: Any) -> NDArray[np.float64] | None:
        """Each owner's own radius, if there is a column of them."""
        return None if self.radii is None else numbers(table, self.radii)

    def owners(self, table: Any) -> NDArray[Any] | None:
        """The public names of the owners, if groups are made of friends."""
        return None if self.friends is None else np.array([str(one) for one in frame_column(table, self.group[0])])

    def places(self, table: Any) -> NDArray[np.float64]:
        """The public places, latitude first on the globe; of friends a line on which they are near each other."""
        owners = self.owners(table)
        if self.friendships is not None and owners is not None:
            return self.friendships.places(owners)[:, None]
        where = [numbers(table, name) for name in self.group]
        if self.geometry == "globe" and self.group[0].lower().startswith("lon"):
            where = where[::-1]
        return np.stack(where, axis=1)

    def arrangement(self, survey: Survey, rng: Rng) -> NDArray[np.int64]:
        """The rows by place, those at one place in random order.

        The order of a file may tell the answers (it may be sorted by them) and would break ties in the reference order.
        This order depends on the public places alone, so that whoever holds the release finds the same groups and Δ.
        """
        own = () if survey.radii is None else (survey.radii,)
        return np.lexsort((rng.permutation(survey.n), *own, *survey.where.T[::-1]))

    # ── mechanism ─────────────────────────────────────────────────────────────────────────────────────────────────

    def build(self, survey: Survey, *, best: ChosenOrder | None = None) -> Any:
        """The mechanism for the owners of ``survey``, which stand in the order of :meth:`arrangement`.

        Parameters
        ----------
        best : ChosenOrder, optional
            What :meth:`chosen` found, if it was asked before.
        """
        if self.encodes:
            return self.encoding(survey.k)
        settings = dict(self.settings)
        front = None if self.epsilon is None else RandomizedResponse(epsilon=self.epsilon, categories=survey.k)
        groups = self.groups(survey)
        if self.alpha is not None:
            settings = {"alpha": self.alpha} | settings
        order: Any = self.order
        if self.order == "linked":
            order = linked_order(groups, survey.where, geometry=survey.geometry)
        elif self.order == "best":
            order = (best or self.chosen(survey)).order
        shuffles = self.kind if issubclass(self.kind, Shuffler) else Shuffler
        collects: Any = self.kind if issubclass(self.kind, Collection) else Collection
        shuffler = build(
            {self.mechanism: shuffles}, self.mechanism, settings, groups=groups, order=order, metric=self.metric
        )
        return collects(front=front, shuffler=shuffler)

    def encoding(self, categories: int) -> Any:
        """The mechanism that encodes each answer on its own."""
        given = {} if self.epsilon is None else {"epsilon": self.epsilon}
        return build(kinds(), self.mechanism, given | dict(self.settings), categories=categories)

    def groups(self, survey: Survey) -> Groups:
        """Whom each owner hides among."""
        if self.friendships is not None and survey.owners is not None:
            return self.friendships.groups(survey.owners)
        radius = self.radius if survey.radii is None else survey.radii
        return Groups.from_places(survey.where, radius=radius, nearest=self.nearest, geometry=survey.geometry)

    def chosen(self, survey: Survey) -> ChosenOrder:
        """The order that keeps most of the map: of the public places, the groups and α alone."""
        alpha, metric = float(self.settings.get("alpha", self.alpha)), self.settings.get("metric", self.metric)
        return chosen_order(self.groups(survey), survey.where, alpha=alpha, geometry=survey.geometry, metric=metric)

    def map_kept(self, survey: Survey, best: ChosenOrder) -> dict[str, Any]:
        """What stays of the map and, where it is less than half, which radius or α would leave half of it."""
        alpha = float(self.settings.get("alpha", self.alpha))
        half: dict[str, float] = {}
        if not best.keeps_half and 0 < alpha < math.inf and self.metric == "kendall":
            half = halfway(best, survey.where, alpha=alpha, radius=self.radius, geometry=survey.geometry)
        return {"order": best.name, "stay": round(best.kept.get(_PARTS, 1.0), 2), "half": half}

    def promise(self, mechanism: Any) -> Guarantee:
        """What the mechanism promises, its groups called by their public rule, and what that takes as public."""
        promise: Guarantee = mechanism.guarantee
        if promise.vacuous:
            raise InputError(
                f"{promise}; nothing is written: a larger radius, a finite alpha or --epsilon would protect"
            )
        named: dict[str, Any] = {"groups": self.crowd}
        if "groups" in {part.name for part in dataclasses.fields(promise)}:
            # groups are made of places or friendships, so that these are what must be public
            rest = tuple(one for one in promise.assumptions if one.what != "groups")
            own = [Assumption("radii")] if self.radii is not None else []
            whose = Assumption("places" if self.friends is None else "friendships")
            promise = replace(promise, **named, assumptions=rest).assuming(whose, *own)
        return promise.assuming(Assumption("categories")) if self.categories else promise

    # ── release ───────────────────────────────────────────────────────────────────────────────────────────────────

    def report_columns(self, reports: Any, survey: Survey, kind: pa.DataType) -> dict[str, pa.Array]:
        """The released columns in place of the answer: the same words, K bits, or a number."""
        import pyarrow as pa

        if not self.encodes:
            return {self.column: _values(survey.categories, kind).take(pa.array(reports.answers))}
        if reports.ndim == 1:
            return {self.column: pa.array(reports)}
        return {name: pa.array(reports[:, k]) for k, name in enumerate(self.bit_names)}

    @property
    def bit_names(self) -> list[str]:
        """The columns of a report of K bits."""
        return [f"{self.column}={word}" for word in self.categories]

    def reports(self, released: pa.Table, survey: Survey, channel: Any) -> Any:
        """What was released, as attacks and utilities take it: a survey of the same owners, or encoded reports."""
        if self.encodes:
            return self.encoded(released)
        codes = {word: code for code, word in enumerate(survey.categories)}
        words = [str(value) for value in frame_column(released, self.column)]
        strange = sum(word not in codes for word in words)
        if strange:
            raise bad_input(f"column {self.column!r}", f"{strange} other answers", "the categories of the original")
        return survey.with_answers(np.array([codes[word] for word in words], np.int64), channel)

    def encoded(self, released: pa.Table) -> NDArray[np.int64]:
        """Encoded reports: one number an owner, or a row of bits."""
        if self.column in released.column_names:
            return frame_column(released, self.column).astype(np.int64)
        return np.stack([frame_column(released, name).astype(np.int64) for name in self.bit_names], axis=1)

    def public(self) -> dict[str, Any]:
        """The options as plain values; with the name of the mechanism they make the question again."""
        values = {one.name: getattr(self, one.name) for one in dataclasses.fields(self) if one.name != "mechanism"}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def side_knowledge(table: Any, name: str) -> NDArray[np.float64]:
    """Numbers as they are, words as one column of 0 and 1 for each: two words are alike or they are not."""
    values = frame_column(table, name)
    if values.dtype.kind in "iuf":
        return numbers(table, name)[:, None]
    words, code = np.unique(values.astype(str), return_inverse=True)
    if words.size > _MOST_WORDS:
        raise bad_input(f"column {name!r}", f"{words.size} different words", f"numbers, or at most {_MOST_WORDS} words")
    return np.eye(words.size)[code]


def _values(categories: Sequence[str], kind: pa.DataType) -> pa.Array:
    """All categories in the type of the answers, whether or not one of them is drawn."""
    import pyarrow as pa

    try:
        return pa.array(list(categories), pa.string()).cast(kind)
    except pa.ArrowException as error:
        raise bad_input("--category", list(categories), f"answers of the column's type, {kind}") from error
