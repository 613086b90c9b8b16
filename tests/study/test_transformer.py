"""Mechanisms in scikit-learn pipelines."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from sfumato.errors import InputError
from sfumato.mechanism import Gaussian, Laplace
from sfumato.study import ProtectTransformer

X = np.linspace(0, 1, 40).reshape(20, 2)
Y = X[:, 0]


def step(**options: Any) -> ProtectTransformer:
    return ProtectTransformer(Laplace(epsilon=1.0, sensitivity=1.0), **options)


def test_every_call_is_a_release_of_its_own() -> None:
    fitted = step().fit(X)
    first, second = fitted.transform(X), fitted.transform(X)
    assert first.shape == X.shape
    assert not np.array_equal(first, second)
    assert not np.array_equal(first, X)
    assert fitted.guarantee == Laplace(epsilon=1.0, sensitivity=1.0).guarantee


def test_only_what_is_learned_from() -> None:
    fitted = step(when="fit")
    assert not np.array_equal(fitted.fit_transform(X), X)
    assert np.array_equal(fitted.transform(X), X)


def test_a_seed_repeats() -> None:
    assert np.array_equal(step(seed=3).fit_transform(X), step(seed=3).fit_transform(X))


def test_parameters_go_through_a_pipeline() -> None:
    pipe = Pipeline([("protect", step(seed=0)), ("learn", LinearRegression())])
    pipe.set_params(protect__mechanism__epsilon=5.0, protect__when="fit")
    assert pipe["protect"].mechanism.epsilon == 5.0
    assert pipe["protect"].when == "fit"
    copy = clone(pipe)
    assert copy["protect"].mechanism.epsilon == 5.0
    assert copy["protect"] is not pipe["protect"]
    assert pickle.loads(pickle.dumps(copy)).fit(X, Y).predict(X).shape == (20,)
    assert pipe["protect"].get_params()["mechanism__epsilon"] == 5.0


def test_a_grid_over_epsilon() -> None:
    pipe = Pipeline([("protect", step(seed=0, when="fit")), ("learn", LinearRegression())])
    grid = GridSearchCV(pipe, {"protect__mechanism__epsilon": [0.01, 1e6]}, cv=2).fit(X, Y)
    assert grid.best_params_ == {"protect__mechanism__epsilon": 1e6}


def test_frames_keep_their_names() -> None:
    frame = pd.DataFrame(X, columns=["a", "b"])
    fitted = step().set_output(transform="pandas").fit(frame)
    assert list(fitted.transform(frame).columns) == ["a", "b"]


def test_what_does_not_fit() -> None:
    with pytest.raises(InputError, match="mechanism = 'laplace'"):
        ProtectTransformer("laplace").fit(X)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="when = 'never'"):
        step(when="never").fit(X)
    with pytest.raises(InputError, match="2 features"):
        step().fit(X).transform(X[:, :1])
    with pytest.raises(InputError, match="parameter = 'scale'"):
        step().set_params(mechanism__scale=1.0)


def test_set_params_makes_another_mechanism() -> None:
    before = Gaussian(epsilon=1.0, delta=1e-6, sensitivity=1.0)
    after = before.set_params(epsilon=2.0)
    assert (before.epsilon, after.epsilon, after.delta) == (1.0, 2.0, 1e-6)
    with pytest.raises(InputError, match="epsilon = -1"):
        before.set_params(epsilon=-1.0)
    with pytest.raises(InputError, match="parameter = 'epsilon__x'"):
        before.set_params(epsilon__x=1.0)


def test_a_mechanism_inside_another() -> None:
    from sfumato.direction import ProtectedSurvey, Purkayastha

    outer = ProtectedSurvey(noise=Purkayastha(pure=1.0, kind="hour"))
    assert outer.set_params(noise__pure=3.0).noise.pure == 3.0
    assert outer.noise.pure == 1.0
