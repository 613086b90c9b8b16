"""Public sets are kept as xz-packed CSV files; this reads them into Arrow tables."""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["read_packed_csv"]


def read_packed_csv(path: Path, types: Mapping[str, Any] | None = None) -> pa.Table:
    """The table in an xz-packed CSV file.

    Parameters
    ----------
    types : mapping of str to str, optional
        Arrow types of columns that must not be guessed, such as identifiers with leading zeros.
    """
    import pyarrow as pa
    from pyarrow import csv

    with lzma.open(path, "rb") as stream:
        content = stream.read()
    wanted = {name: pa.type_for_alias(kind) for name, kind in (types or {}).items()}
    return csv.read_csv(pa.BufferReader(content), convert_options=csv.ConvertOptions(column_types=wanted))
