"""The same kind of container out as in."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sfumato.errors import InputError
from sfumato.mechanism import Exponential, Gaussian, Laplace, PlanarLaplace, RandomizedResponse

LAPLACE = Laplace(epsilon=1.0, sensitivity=1.0)


def test_scalars_and_arrays():
    assert isinstance(LAPLACE.release(3), float)
    assert isinstance(LAPLACE.release(np.float32(3.0)), float)
    for shape in ((0,), (4,), (2, 3), (2, 0, 3), ()):
        released = LAPLACE.release(np.zeros(shape))
        assert released.shape == shape
        assert released.dtype == np.float64
    assert LAPLACE.release([1, 2, 3]).shape == (3,)
    assert LAPLACE.release(np.arange(6)[::2]).shape == (3,)


def test_pandas_keeps_name_and_index():
    column = pd.Series([1.0, 2.0], index=[7, 9], name="age")
    released = LAPLACE.release(column)
    assert isinstance(released, pd.Series)
    assert released.name == "age"
    assert list(released.index) == [7, 9]
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0]}, index=["a", "b"])
    moved = PlanarLaplace(epsilon=1.0).release(frame)
    assert isinstance(moved, pd.DataFrame)
    assert list(moved.columns) == ["x", "y"]
    assert list(moved.index) == ["a", "b"]


def test_polars_and_arrow():
    column = pl.Series("age", [1, 2, 3])
    released = LAPLACE.release(column)
    assert isinstance(released, pl.Series)
    assert released.name == "age"
    assert released.dtype == pl.Float64
    assert isinstance(PlanarLaplace(epsilon=1.0).release(pl.DataFrame({"x": [1.0], "y": [2.0]})), pl.DataFrame)
    assert isinstance(LAPLACE.release(pa.chunked_array([[1.0, 2.0]])), pa.ChunkedArray)
    answers = RandomizedResponse(epsilon=1.0, categories=["no", "yes"]).release(pl.Series("q", ["no", "yes"]))
    assert isinstance(answers, pl.Series)
    assert answers.dtype == pl.String


@pytest.mark.parametrize("data", [pl.Series([1.0, None]), pd.Series([1.0, None]), pd.DataFrame({"x": [None, 1.0]})])
def test_missing_values_are_refused(data):
    with pytest.raises(InputError, match="missing"):
        LAPLACE.release(data)


@pytest.mark.parametrize("data", [{"a": 1}, object(), None, pl.Series(["a"])])
def test_other_things_are_refused(data):
    with pytest.raises(InputError):
        LAPLACE.release(data)


@pytest.mark.parametrize(
    "mechanism",
    [
        LAPLACE,
        Gaussian(epsilon=1.0, delta=1e-5, sensitivity=1.0),
        Gaussian(sigma=1.0, sensitivity=1.0),
        PlanarLaplace(epsilon=1.0),
        Exponential(epsilon=1.0, sensitivity=1.0, candidates=("a", "b")),
        RandomizedResponse(epsilon=1.0, categories=3),
    ],
)
def test_parameters_round_trip(mechanism):
    clone = type(mechanism)(**mechanism.get_params())
    assert clone.get_params() == mechanism.get_params()
    assert pickle.loads(pickle.dumps(mechanism)).guarantee == mechanism.guarantee
    assert eval(repr(mechanism)).get_params() == mechanism.get_params()


def test_names_of_the_packages():
    import sfumato.mechanism
    import sfumato.noise

    for package in (sfumato.mechanism, sfumato.noise):
        assert sorted(package.__all__) == package.__all__ == dir(package)
        for name in package.__all__:
            assert getattr(package, name) is not None
        with pytest.raises(AttributeError):
            package.nothing
