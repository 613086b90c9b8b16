"""What a learner trained on the release keeps of its F score."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.study import Score
from sfumato.table.core.label_column import LabelColumn, label_columns
from sfumato.table.core.lineage import Lineage, arrow_of, lineage_of
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import labels_of
from sfumato.validate import choice, integer, probability

__all__ = ["FRatio"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class FRatio:
    """F-measure of a learner trained on the release over that of the same learner trained on the raw data [S5].

    A share of the people is held out: the learner never sees them, raw or released, and is tested on their raw
    records, generalised as the training records are. F = 2PR/(P + R), 0 where undefined. Generalised labels become
    expected shares of the values they cover.

    Parameters
    ----------
    schema : Schema
    column : str
        What is predicted: a sensitive column.
    positive : str
        Its value that counts as positive.
    learner : {"logistic", "tree", "forest", "svm"} or scikit-learn classifier
        A classifier is cloned for each fit.
    test : float
        Share of the people held out.
    people : int
        Of a larger table, so many people are drawn, and learned from or tested on.
    """

    schema: Schema
    column: str
    positive: str
    learner: Any = "logistic"
    test: float = 0.25
    people: int = 100_000
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        probability("test", self.test)
        integer("people", self.people, least=2)
        if isinstance(self.learner, str):
            choice("learner", self.learner, tuple(_LEARNERS), "or give a scikit-learn classifier")
        if self.column not in self.schema.secrets:
            raise bad_input("column", self.column, "a sensitive column of the schema")

    @property
    def name(self) -> str:
        return f"F-ratio predicting {self.column}"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        rng = resolve_rng(rng)
        if arrow_of(data).num_rows > self.people:
            data, release = self._some(data, release, rng)
        held = self.split(data, rng)
        reference = self.f(data, data, held)
        if reference == 0:
            raise InputError(
                f"F = 0 on the raw data: nothing predicts {self.column} = {self.positive!r}; try another learner"
            )
        return Score(self.f(data, release, held) / reference, reference=1.0)

    def _some(self, data: Any, release: Any, rng: Rng) -> tuple[Any, Lineage]:
        """Some people, and what was released of them."""
        before, (after, rows) = arrow_of(data), lineage_of(data, release)
        drawn = np.sort(rng.choice(before.num_rows, self.people, replace=False))
        place = np.full(before.num_rows, -1)
        place[drawn] = np.arange(self.people)
        there = np.flatnonzero((rows < 0) | (place[rows] >= 0))
        return before.take(drawn), Lineage(after.take(there), np.where(rows < 0, -1, place[rows])[there])

    def split(self, data: Any, rng: Rng | None = None) -> NDArray[np.bool_]:
        """Which people are held out."""
        rows = arrow_of(data).num_rows
        held = resolve_rng(rng).random(rows) < self.test
        if held.all() or not held.any():
            raise InputError(f"test = {self.test}: expected some people on both sides of {rows} rows")
        return held

    def f(self, data: Any, release: Any, held: NDArray[np.bool_]) -> float:
        """F on the people in ``held``, learned from the released records of the others."""
        before, (after, rows) = arrow_of(data), lineage_of(data, release)
        raw, released = label_columns(before, self.schema), label_columns(after, self.schema)
        seen = (rows < 0) | ~held[rows]  # a made-up record is nobody's
        asked = [_as_released(column, released[name], rows, seen)[held] for name, column in raw.items()]
        known = [column.features[seen] for column in released.values()]
        return self._learn(
            np.concatenate(known, axis=1),
            self._labels(after)[seen],
            np.concatenate(asked, axis=1),
            self._labels(before)[held],
        )

    def _labels(self, table: Any) -> NDArray[np.bool_]:
        if self.column not in table.column_names:
            raise bad_input("column", self.column, "a column of the release")
        codes, labels = labels_of(table[self.column], self.schema.missing_values)
        if self.positive not in labels:
            raise bad_input("positive", self.positive, f"a value of {self.column}")
        return np.array([label == self.positive for label in labels])[codes]

    def _learn(self, x: Floats, y: NDArray[np.bool_], test_x: Floats, test_y: NDArray[np.bool_]) -> float:
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        if len(y) == 0 or y.all() or not y.any():
            guess = np.full(len(test_y), bool(len(y) and y.all()))
        else:
            guess = np.asarray(
                make_pipeline(StandardScaler(), _learner(self.learner)).fit(x, y).predict(test_x), np.bool_
            )
        hits = float((guess & test_y).sum())
        return 2 * hits / float(guess.sum() + test_y.sum()) if hits else 0.0


_LEARNERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "logistic": ("sklearn.linear_model", "LogisticRegression", {"max_iter": 500}),
    "tree": ("sklearn.tree", "DecisionTreeClassifier", {"random_state": 0}),
    "forest": ("sklearn.ensemble", "RandomForestClassifier", {"random_state": 0}),
    "svm": ("sklearn.svm", "SVC", {"kernel": "rbf"}),
}


def _learner(learner: Any) -> Any:
    from sklearn.base import clone

    if not isinstance(learner, str):
        return clone(learner)
    module, name, parameters = _LEARNERS[learner]
    return getattr(importlib.import_module(module), name)(**parameters)


def _as_released(before: LabelColumn, after: LabelColumn, rows: NDArray[np.int64], seen: NDArray[np.bool_]) -> Floats:
    """Raw records as the release writes them, one column.

    Where labels cover the values they came from (generalisation), each value is written as the mean of what it became
    among the training people: who learns from generalised records asks with generalised records. Where they do not
    (noise), and for values that nobody in training had, records stay raw.
    """
    if (rows < 0).any():
        return before.features
    codes, released = before.codes, after.features[seen]
    truth = np.asarray(before.weights.argmax(axis=1)).reshape(-1)[codes]
    if not (np.asarray(after.weights[after.codes, truth[rows]]) > 0).all():
        return before.features
    size = int(codes.max()) + 1
    mine = codes[rows[seen]]
    count = np.bincount(mine, minlength=size)
    total = np.stack([np.bincount(mine, feature, size) for feature in released.T], axis=1)
    mean = total / np.maximum(count, 1)[:, None]
    return np.where((count > 0)[codes][:, None], mean[codes], before.features)
