"""Adult, the census income set of 1994 (Becker and Kohavi 1996, UCI Machine Learning Repository, CC BY 4.0)."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.io.datasets.catalogue import data_file

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ADULT_BENCHMARK", "adult_benchmark_file", "adult_hierarchy", "load_adult", "load_adult_benchmark"]


def load_adult() -> pa.Table:
    """48 842 people: the 15 columns of UCI with underscores, and ``split`` (train or test). ``?`` becomes missing."""
    import pyarrow as pa
    from pyarrow import csv

    path = data_file("adult/adult.csv.gz")
    options = csv.ConvertOptions(null_values=["?"], strings_can_be_null=True)
    return csv.read_csv(pa.BufferReader(gzip.decompress(path.read_bytes())), convert_options=options)


ADULT_BENCHMARK = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
"""The nine columns of the extract that anonymisation benchmarks use."""


def adult_benchmark_file() -> Path:
    """The file of the 30 162 complete records, separated by semicolons."""
    return data_file("adult/adult_complete_30162.csv.gz")


def load_adult_benchmark() -> pa.Table:
    """The 30 162 complete records over the columns of :data:`ADULT_BENCHMARK`, all as text but ``age``."""
    import pyarrow as pa
    from pyarrow import csv

    content = pa.BufferReader(gzip.decompress(adult_benchmark_file().read_bytes()))
    return csv.read_csv(content, parse_options=csv.ParseOptions(delimiter=";"))


def adult_hierarchy(column: str) -> Path:
    """The file of a column's generalisation hierarchy, in ARX's format (from the ARX project, Apache-2.0)."""
    return data_file(f"adult/hierarchies/adult_hierarchy_{column}.csv")
