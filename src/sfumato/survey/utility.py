"""What is left to learn about places once the reports are collected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.noise.entropy import resolve_rng
from sfumato.study import Score
from sfumato.survey.core.local_view import local_shares, sample_owners, unbias
from sfumato.survey.data.survey import Survey
from sfumato.validate import integer, positive

__all__ = ["GroupEstimates", "Learnability", "MapError", "Prediction"]


@dataclass(frozen=True, kw_only=True)
class Learnability:
    """λ(r): how far a model trained on the reports is from the answers around each place (Meehan 2023, §4.5).

    Gradient-boosted trees with Platt scaling learn place → distribution of the report. λ is the mean total-variation
    distance to the true shares within ``radius``, divided by that of a uniform guess: 0 is perfect, 1 is useless.

    Parameters
    ----------
    radius : float
        r*, in the unit of the places.
    owners : int
        At how many owners' places the model is judged.
    trees : int
        Rounds of boosting.
    unbiased : bool
        Undo the public randomisation in the model's shares; the dissertation does not.
    """

    radius: float
    owners: int = 2000
    trees: int = 40
    unbiased: bool = True
    name: str = "learnability λ"
    better: Literal["lower"] = "lower"

    def __post_init__(self) -> None:
        positive("radius", self.radius, zero=True)
        integer("owners", self.owners)
        integer("trees", self.trees)

    def measure(self, data: Survey, release: Survey, *, rng: Rng | None = None) -> Score:
        rng = resolve_rng(rng)
        _check(data, release)
        chosen = sample_owners(data, self.owners, rng)
        truth = local_shares(data, chosen, self.radius)
        learned = _model(release, self.trees, rng)(data.where[chosen])
        if self.unbiased:
            learned = unbias(learned, release.channel)
        blind = _variation(truth, np.full_like(truth, 1 / data.k)).mean()
        return Score(float(_variation(truth, learned).mean() / blind) if blind > 0 else 0.0)


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Accuracy of a model trained on the reports and asked for the true answers, or for coarser ones.

    Parameters
    ----------
    merge : int
        Answers a and b count as equal if a//merge = b//merge. On the colour map 1 asks for the eight colours, 2 for
        the four crescents, 4 for the two clusters.
    """

    merge: int = 1
    owners: int = 2000
    trees: int = 40
    name: str = "accuracy"
    better: Literal["higher"] = "higher"

    def __post_init__(self) -> None:
        for field in ("merge", "owners", "trees"):
            integer(field, getattr(self, field))

    def measure(self, data: Survey, release: Survey, *, rng: Rng | None = None) -> Score:
        rng = resolve_rng(rng)
        _check(data, release)
        coarse = release.with_answers(release.answers // self.merge)
        chosen = sample_owners(data, self.owners, rng)
        guess = np.argmax(_model(coarse, self.trees, rng, calibrated=False)(data.where[chosen]), axis=1)
        return Score(float((guess == data.answers[chosen] // self.merge).mean()))


@dataclass(frozen=True, kw_only=True)
class GroupEstimates:
    """Mean total-variation distance between the true and the estimated shares of answers within ``radius``.

    The estimates are the unbiased ones of the front end, brought back to the simplex.
    """

    radius: float
    owners: int = 2000
    name: str = "group estimates"
    better: Literal["lower"] = "lower"

    def __post_init__(self) -> None:
        positive("radius", self.radius, zero=True)
        integer("owners", self.owners)

    def measure(self, data: Survey, release: Survey, *, rng: Rng | None = None) -> Score:
        _check(data, release)
        chosen = sample_owners(data, self.owners, resolve_rng(rng))
        estimate = unbias(local_shares(release, chosen, self.radius), release.channel)
        return _mean_score(_variation(local_shares(data, chosen, self.radius), estimate))


@dataclass(frozen=True, kw_only=True)
class MapError:
    """The same on a map of square cells, weighted by the number of owners in each.

    Parameters
    ----------
    cells : int
        Cells along each of the first two coordinates.
    """

    cells: int = 12
    name: str = "map error"
    better: Literal["lower"] = "lower"

    def __post_init__(self) -> None:
        integer("cells", self.cells)

    def measure(self, data: Survey, release: Survey, *, rng: Rng | None = None) -> Score:
        _check(data, release)
        cell = cells_of(data.where, self.cells)
        size = np.bincount(cell)
        used = size > 0
        truth = _cell_shares(data, cell)[used]
        estimate = unbias(_cell_shares(release, cell)[used], release.channel)
        return Score(float(np.average(_variation(truth, estimate), weights=size[used])))


def cells_of(where: NDArray[np.float64], cells: int) -> NDArray[np.int64]:
    """The number of the map cell that each place lies in."""
    number = np.zeros(len(where), np.int64)
    for column in where[:, :2].T:
        low, high = column.min(), column.max()
        width = (high - low) / cells or 1.0
        number = number * cells + np.minimum((column - low) // width, cells - 1).astype(np.int64)
    return number


def _cell_shares(survey: Survey, cell: NDArray[np.int64]) -> NDArray[np.float64]:
    counts = np.zeros((int(cell.max()) + 1, survey.k))
    np.add.at(counts, (cell, survey.answers), 1.0)
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


def _model(release: Survey, trees: int, rng: Rng, *, calibrated: bool = True) -> Any:
    """A function place → shares of all K reports, learned from the release; Platt scaling by cross-validation."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.ensemble import HistGradientBoostingClassifier

    seed = int(rng.integers(2**31))
    classes, counts = np.unique(release.answers, return_counts=True)
    if classes.size == 1 or counts.min() < 2:
        shares = np.bincount(release.answers, minlength=release.k) / release.n
        return lambda places: np.tile(shares, (len(places), 1))
    model: Any = HistGradientBoostingClassifier(max_iter=trees, max_leaf_nodes=15, random_state=seed)
    if calibrated:
        model = CalibratedClassifierCV(model, method="sigmoid", cv=2, ensemble=False)
    model.fit(release.where, release.answers)

    def shares_at(places: NDArray[np.float64]) -> NDArray[np.float64]:
        shares = np.zeros((len(places), release.k))
        shares[:, model.classes_] = model.predict_proba(places)
        return shares

    return shares_at


def _variation(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.abs(first - second).sum(axis=1) / 2


def _mean_score(values: NDArray[np.float64]) -> Score:
    return Score(float(values.mean()))


def _check(data: Survey, release: Survey) -> None:
    if not isinstance(data, Survey) or not isinstance(release, Survey) or data.n != release.n:
        raise bad_input("release", type(release).__name__, "a Survey of the same owners")
