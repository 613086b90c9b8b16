"""A student that learns from generated records alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.errors import InputError, bad_input
from sfumato.io.frames import is_frame, missing_columns, to_arrow
from sfumato.model.attacks.base import cohort_of
from sfumato.model.core.cohort import trained_on
from sfumato.model.core.samples import as_points
from sfumato.noise import Rng, resolve_rng
from sfumato.study.score import Score

__all__ = ["StudentAccuracy"]

_LEVELS = 50
"""A column of numbers with more values than that is no label."""


@dataclass(frozen=True, kw_only=True)
class StudentAccuracy:
    """How often a classifier that was trained on generated records labels fresh real ones rightly.

    The generator is the teacher (Fischer 2021, §2.4.3): the student sees nothing but what it made. The reference is the
    same student trained on the training records themselves.

    Parameters
    ----------
    label : str, optional
        The column to be told from the others; by default the last one with categories.
    """

    label: str | None = None
    name: str = "student's accuracy"
    better: Literal["higher", "lower"] = "higher"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        """The share of fresh records, with its interval."""
        group, made = cohort_of(data), trained_on(release)
        if not is_frame(group.train):
            raise bad_input("data", type(group.train).__name__, "tables: an array has no column to be a label")
        tables = [to_arrow(part) for part in (group.train, group.test, made)]
        label = self._label(tables[0])
        for table, what in zip(tables, ("the training set", "the fresh records", "the release"), strict=True):
            missing_columns([label], table.column_names, what)
        seed = int(resolve_rng(rng).integers(2**31))
        known = [np.array([str(value) for value in table[label].to_pylist()]) for table in tables]
        features = as_points(*(table.drop_columns([label]) for table in tables))
        right = _taught(features[2], known[2], features[1], known[1], seed)
        ideal = _taught(features[0], known[0], features[1], known[1], seed)
        score = Score.of_share(right)
        return Score(score.value, score.low, score.high, float(ideal.mean()))

    def _label(self, table: Any) -> str:
        if self.label is not None:
            missing_columns([self.label], table.column_names, "the training set")
            return self.label
        if len(table.column_names) < 2:
            raise InputError("a table of one column has nothing to tell a label from: bring another column")
        for name in reversed(table.column_names):
            if not np.issubdtype(np.asarray(table[name].to_pylist()).dtype, np.number):
                return str(name)
        for name in reversed(table.column_names):
            if len(table[name].unique()) <= _LEVELS:
                return str(name)
        raise bad_input("label", None, f"a column with at most {_LEVELS} values", "name one")


def _taught(rows: Any, labels: Any, asked: Any, true: Any, seed: int) -> Any:
    """Which labels of others a student names rightly; one that saw one label only names that."""
    from sklearn.ensemble import RandomForestClassifier

    if len(np.unique(labels)) < 2:
        return true == labels[0]
    learner = RandomForestClassifier(n_estimators=50, min_samples_leaf=2, n_jobs=1, random_state=seed)
    return learner.fit(rows, labels).predict(asked) == true
