"""Two small public sets on the circle: wind directions and bicycle hires by the hour."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.io.datasets.catalogue import data_file, load_packed_csv

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["load_bike_sharing", "load_wind"]


def load_wind() -> NDArray[np.float64]:
    """310 wind directions in radians at Col de la Roa (R package circular; Agostinelli 2007), in [0, 2π)."""
    path = data_file("circular/wind_col_de_la_roa.csv")
    return np.mod(np.loadtxt(path, skiprows=1), 2 * np.pi)


def load_bike_sharing() -> pa.Table:
    """17 379 hours of bicycle hires 2011–2012 (UCI bike sharing; Fanaee-T and Gama 2014): ``hr``, ``cnt``, weather."""
    return load_packed_csv("circular/bike_sharing_hour.csv.xz")
