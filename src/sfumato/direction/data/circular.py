"""Two small public sets on the circle: wind directions and bicycle hires by the hour."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.io.datasets.packed import read_packed_csv
from sfumato.io.datasets.source import data_file

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["load_bike_sharing", "load_wind"]


def load_wind() -> NDArray[np.float64]:
    """310 wind directions in radians at Col de la Roa (R package circular; Agostinelli 2007), in [0, 2π)."""
    path = data_file(
        "circular",
        "wind_col_de_la_roa.csv",
        origin="the data set 'wind' of the R package circular, https://cran.r-project.org/package=circular",
        size=5_747,
        sha256="e4288503c6bfa67d8fde2436edfd0f6f3cde7eab27e139ac06f1636c2d1b3916",
    )
    return np.mod(np.loadtxt(path, skiprows=1), 2 * np.pi)


def load_bike_sharing() -> pa.Table:
    """17 379 hours of bicycle hires 2011–2012 (UCI bike sharing; Fanaee-T and Gama 2014): ``hr``, ``cnt``, weather."""
    path = data_file(
        "circular",
        "bike_sharing_hour.csv.xz",
        origin="UCI Machine Learning Repository, https://archive.ics.uci.edu/dataset/275/bike+sharing+dataset",
        size=171_388,
        sha256="a4d225ea9ce5b2783f04301cae978a40c25f1022a31376c22ee438b139ef1aeb",
    )
    return read_packed_csv(path)
