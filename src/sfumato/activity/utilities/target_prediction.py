"""Can the release predict who uses an item? The multi-target F-ratio [D5]."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.activity.attacks.scoring import window_pairs
from sfumato.activity.core.activity import as_dense
from sfumato.errors import bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.study.score import Score
from sfumato.validate import choice, integer

__all__ = ["TargetPrediction", "f_measure"]

Labels = Literal["clean", "half", "nonzero"]


def f_measure(truth: NDArray[Any], guess: NDArray[Any]) -> float:
    """2PR/(P + R), 0 where it is not defined.

    >>> f_measure(np.array([1, 1, 0, 0]), np.array([1, 0, 1, 0]))
    0.5
    """
    hits = float(np.sum((truth > 0) & (guess > 0)))
    total = float(np.sum(truth > 0) + np.sum(guess > 0))
    return 2 * hits / total if hits else 0.0


@dataclass(frozen=True, kw_only=True)
class TargetPrediction:
    """Logistic regression of one item on all others, trained on the release: its F over that of the original, averaged.

    Each of the ``targets`` most used items is the target in turn. The model is trained on the first window of the
    release and tested on another window of the *original* (the last one; with a single window, half of the users). A
    target whose model fails on the original (F = 0) says nothing and is left out.

    Parameters
    ----------
    targets : int
    labels : {"clean", "half", "nonzero"}
        What the model learns to predict: the original 0/1 column, the released value above ½, or any released value
        other than 0. The dissertation does not say; only clean labels keep k-anonymised data as useful as its table.
    most_users, most_items : int
        Of larger logs so many users, at random, and the most used items.

    Examples
    --------
    >>> from sfumato.activity.data.stand_in import make_browsing
    >>> log = make_browsing(60, 80, hours=(8.0, 8.0))
    >>> TargetPrediction(targets=5).measure(log, log, rng=np.random.default_rng(0)).value
    1.0
    """

    targets: int = 50
    labels: Labels = "clean"
    most_users: int = 500
    most_items: int = 1_000
    name: str = "F of predicted items, share of raw"
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        integer("targets", self.targets)
        choice("labels", self.labels, ("clean", "half", "nonzero"))
        integer("most_users", self.most_users, least=4)
        integer("most_items", self.most_items, least=2)

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        """The mean ratio over the targets; 1 for the original itself."""
        generator = resolve_rng(rng)
        original, seen = window_pairs(data, release)
        users, items = original.shape
        if items < 2:
            raise bad_input("items", items, "at least two: one is predicted from the others")
        used = np.asarray(original.windows[0].sum(axis=0)).reshape(-1)
        columns = np.sort(np.argsort(-used, kind="stable")[: self.most_items])
        rows = np.sort(generator.permutation(users)[: self.most_users])
        original, seen = original.select(columns).take(rows), seen.select(columns).take(rows)
        clean, learned = as_dense(original.windows[0]), as_dense(seen.estimates()[0])
        test = as_dense(original.windows[-1])
        train_rows = test_rows = np.arange(len(rows))
        if original.count == 1:
            train_rows, test_rows = np.split(generator.permutation(len(rows)), 2)
        raw_side = _Side.of(clean[train_rows], test[test_rows])
        seen_side = _Side.of(learned[train_rows], test[test_rows])
        ratios = []
        for target in np.argsort(-used[columns], kind="stable")[: self.targets].tolist():
            truth, label = test[test_rows, target] > 0, clean[train_rows, target] > 0
            raw = raw_side.f_without(target, label, truth)
            if raw == 0:
                continue
            shown = learned[train_rows, target]
            seen_label = label if self.labels == "clean" else shown > 0.5 if self.labels == "half" else shown != 0
            ratios.append(seen_side.f_without(target, seen_label, truth) / raw)
        if not ratios:
            raise bad_input("targets", self.targets, "an item that the original can predict", "take more targets")
        return Score.of_mean(ratios, 1.0)


class _Side(NamedTuple):
    """Training and test rows with their inner products.

    The weights of a ridge-penalised model lie in the span of the training rows, so that it can be fitted in as many
    coordinates as there are rows. Leaving a column out changes the products by a rank of one.
    """

    train: NDArray[np.float64]
    test: NDArray[np.float64]
    inner: NDArray[np.float64]
    across: NDArray[np.float64]

    @classmethod
    def of(cls, train: NDArray[np.float64], test: NDArray[np.float64]) -> _Side:
        return cls(train, test, train @ train.T, test @ train.T)

    def f_without(self, target: int, label: NDArray[Any], truth: NDArray[Any]) -> float:
        """F on the test rows of scikit-learn's logistic regression with its defaults, on all columns but the target."""
        if label.all() or not label.any():
            return f_measure(truth, np.full(len(truth), bool(label[0])))
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        column = self.train[:, target]
        value, vector = np.linalg.eigh(self.inner - np.outer(column, column))
        kept = value > 1e-10 * max(float(value[-1]), 1e-300)
        root = np.sqrt(value[kept])
        known = vector[:, kept] * root
        asked = (self.across - np.outer(self.test[:, target], column)) @ (vector[:, kept] / root)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the library's defaults, as published
            model = LogisticRegression().fit(known, label)
        return f_measure(truth, model.predict(asked))
