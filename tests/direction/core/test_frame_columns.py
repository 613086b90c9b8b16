"""Directions in the columns of data frames of every kind."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sfumato.direction import Purkayastha, release_columns
from sfumato.errors import InputError
from sfumato.noise import seeded_rng


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_every_kind(library):
    table = pa.table({"name": ["a", "b"], "lat": [48.0, -33.0], "lon": [11.0, 151.0]})
    frame = {"pandas": table.to_pandas, "pyarrow": lambda: table, "polars": lambda: _polars(table)}[library]()
    released = release_columns(frame, ["lat", "lon"], Purkayastha(epsilon=1e6, kind="latlon"), rng=seeded_rng(0))
    assert type(released) is type(frame)
    np.testing.assert_allclose(np.asarray(released["lat"]), [48.0, -33.0], atol=1e-2)
    with pytest.raises(InputError):
        release_columns(frame, ["lat"], Purkayastha(epsilon=1.0, kind="latlon"))


def _polars(table):
    import polars

    return polars.from_arrow(table)
