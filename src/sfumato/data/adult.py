"""Adult, the census income set of 1994 (Becker and Kohavi 1996, UCI Machine Learning Repository, CC BY 4.0)."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from sfumato.data.source import data_file

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["load_adult"]

_ORIGIN = "UCI Machine Learning Repository, https://archive.ics.uci.edu/dataset/2/adult"


def load_adult() -> pa.Table:
    """48 842 people: the 15 columns of UCI with underscores, and ``split`` (train or test). ``?`` becomes missing."""
    import pyarrow as pa
    from pyarrow import csv

    path = data_file(
        "adult",
        "adult.csv.gz",
        origin=_ORIGIN,
        size=602_916,
        sha256="fbfd5774d1c107366c5fcb3f0317586726c37cc93abf13dff629000f0bc2d666",
    )
    options = csv.ConvertOptions(null_values=["?"], strings_can_be_null=True)
    return csv.read_csv(pa.BufferReader(gzip.decompress(path.read_bytes())), convert_options=options)
