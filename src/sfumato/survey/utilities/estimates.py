"""Models and distances that the utilities of surveys share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.study.run.one_thread import one_thread
from sfumato.survey.data.survey import Survey

__all__ = ["check_survey", "fitted_model", "total_variation"]


def fitted_model(release: Survey, trees: int, rng: Rng, *, calibrated: bool = True) -> Any:
    """A function place → shares of all K reports, learned from the release; Platt scaling by cross-validation."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import StratifiedKFold

    seed = int(rng.integers(2**31))
    classes, counts = np.unique(release.answers, return_counts=True)
    if classes.size == 1 or counts.min() < 2:
        shares = np.bincount(release.answers, minlength=release.k) / release.n
        return lambda places: np.tile(shares, (len(places), 1))
    # Few owners make small leaves: with scikit-learn's 20 a fold of fewer than 40 has no split at all.
    leaf = max(2, min(20, release.n // 16))
    model: Any = HistGradientBoostingClassifier(
        max_iter=trees, max_leaf_nodes=15, min_samples_leaf=leaf, random_state=seed
    )
    if calibrated:
        # Owners may come sorted by place: folds in their order would ask for places that no model has seen.
        folds = StratifiedKFold(2, shuffle=True, random_state=seed)
        model = CalibratedClassifierCV(model, method="sigmoid", cv=folds, ensemble=False)
    with one_thread():
        model.fit(release.where, release.answers)

    def shares_at(places: NDArray[np.float64]) -> NDArray[np.float64]:
        shares = np.zeros((len(places), release.k))
        with one_thread():
            shares[:, model.classes_] = model.predict_proba(places)
        return shares

    return shares_at


def total_variation(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.abs(first - second).sum(axis=1) / 2


def check_survey(data: Survey, release: Survey) -> None:
    if not isinstance(data, Survey) or not isinstance(release, Survey) or data.n != release.n:
        raise bad_input("release", type(release).__name__, "a Survey of the same owners")
