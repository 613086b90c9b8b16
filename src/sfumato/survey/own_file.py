"""The study of a survey of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from sfumato.errors import bad_input
from sfumato.study.study import Study
from sfumato.study.wording import count
from sfumato.validate import choice, positive

__all__ = ["own_study"]

_GLOBE = ({"lat", "lon"}, {"lat", "lng"}, {"latitude", "longitude"})


def own_study(
    data: Path,
    *,
    categories: Sequence[str],
    group: Sequence[str],
    radius: float,
    answer: str = "answer",
    epsilon: float = 2.5,
    alphas: Iterable[float] = (1.0, 4.0, 16.0),
    geometry: str | None = None,
) -> Study:
    """One answer per person, randomised and shuffled among neighbours.

    Parameters
    ----------
    data : path
    categories : sequence of str
        Every possible answer; never taken from the data.
    group : sequence of str
        The columns with the public place: ``["lat", "lon"]``, ``["age"]``.
    radius : float
        Each hides among all within this distance (km on the globe).
    answer : str
        The column with the answers.
    epsilon : float
        Of the randomised answers.
    alphas : iterable of float
        The promises on who sent which report to try.
    geometry : {"plane", "globe"}, optional
        By default the globe for latitude and longitude.
    """
    from sfumato.survey import (
        BayesianAttack,
        GroupEstimates,
        Groups,
        Learnability,
        LearnedAttack,
        MajorityVoteAttack,
        chosen_order,
    )
    from sfumato.survey.room import collections

    survey = _read(data, answer, list(categories), list(group), geometry)
    near = positive("radius", radius)
    groups = Groups.from_places(survey.where, radius=near, geometry=survey.geometry)
    label = f"shuffled within {near:g}"
    alphas = list(alphas)
    order = chosen_order(groups, survey.where, alpha=max(alphas), geometry=survey.geometry).order
    return Study(
        name="own-survey",
        title=f"One answer of {count(survey.n, 'person', 'people')}",
        summary=f"Each person gives one of {survey.k} answers under local privacy, and a shuffler hides who sent which "
        f"report within a distance of {near:g}. The analyst wants the map; the attacker wants each person's answer.",
        data=survey,
        mechanisms=collections(survey, epsilon, alphas, {label: groups}, {label: order}),
        attacks=[BayesianAttack(radius=near), LearnedAttack(), MajorityVoteAttack(radius=near)],
        utilities=[GroupEstimates(radius=near), Learnability(radius=near)],
        seeds=2,
        varied="alpha",
        contains={"answer": {"person": 1}},
        records=survey.n,
    )


def _read(path: Path, answer: str, categories: list[str], group: list[str], geometry: str | None) -> Any:
    """The survey in a table, its rows in random order: that of a file may tell the answers."""
    import numpy as np

    from sfumato.io.files import read_table
    from sfumato.io.frames import column, numbers
    from sfumato.noise import seeded_rng
    from sfumato.survey.data.survey import Survey

    if not group or answer in group:
        raise bad_input("group", group, f"the columns of the public place, without {answer!r}")
    codes = {word: code for code, word in enumerate(categories)}
    if len(codes) < 2 or len(codes) < len(categories):
        raise bad_input("categories", categories, "every possible answer once, at least two")
    table = read_table(path)
    words = [str(value) for value in column(table, answer)]
    strange = sum(word not in codes for word in words)
    if strange:
        raise bad_input(f"column {answer!r}", f"{strange} other answers", "one of the categories", "list all of them")
    lower = {name.lower() for name in group}
    shape: Literal["plane", "globe"] = "globe" if lower in _GLOBE else "plane"
    if geometry is not None:
        shape = choice("geometry", geometry, ("plane", "globe"))  # type: ignore[arg-type]
    where = [numbers(table, name) for name in group]
    if shape == "globe" and group[0].lower().startswith("lon"):
        where, group = where[::-1], group[::-1]
    rows = seeded_rng(0).permutation(len(words))
    coded = np.array([codes[word] for word in words], np.int64)
    return Survey(coded[rows], np.stack(where, axis=1)[rows], categories, None, shape, names=group)
