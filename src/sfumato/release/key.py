"""The private file of a release: what its owner needs to attack and measure it, and nobody else may see."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import atomic_path, reading

__all__ = ["Key"]

_NAME = b"sfumato key"


@dataclass(frozen=True, kw_only=True, eq=False)
class Key:
    """The input row of each released row, and the secrets of the mechanism.

    Parameters
    ----------
    release : str
        The ``id`` of the release's card.
    rows : ndarray of int, optional
        For each released row, which row of the input it comes from; −1 for a made-up one.
    secrets : mapping
        What else only the owner may know: a pseudonym secret, the times that were hidden. Plain values.
    """

    release: str
    rows: NDArray[np.int64] | None = None
    secrets: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Key(release={self.release!r}, private)"

    def write(self, path: str | Path) -> None:
        """Write the key so that only its owner can read it (mode 0600)."""
        import pyarrow as pa
        from pyarrow import parquet

        about = {"release": self.release, "lineage": self.rows is not None, "secrets": dict(self.secrets)}
        rows = np.zeros(0, np.int64) if self.rows is None else self.rows
        table = pa.table({"row": pa.array(rows, pa.int64())}).replace_schema_metadata({_NAME: json.dumps(about)})
        with atomic_path(path) as beside:
            os.chmod(beside, 0o600)
            parquet.write_table(table, beside, compression="zstd")
            if Path(path).exists():  # the mode of the file that is replaced would be kept
                os.chmod(path, 0o600)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The key in a file."""
        import pyarrow as pa
        from pyarrow import parquet

        with reading(path):
            content = Path(path).read_bytes()
        try:
            table = parquet.read_table(pa.BufferReader(content))
            about = json.loads((table.schema.metadata or {})[_NAME])
            rows = table["row"].to_numpy() if about["lineage"] else None
            return cls(release=str(about["release"]), rows=rows, secrets=dict(about["secrets"]))
        except (pa.ArrowException, OSError, KeyError, ValueError, TypeError) as error:
            raise InputError(f"{path} is not a key: expected the file that protect --key wrote") from error

    def belongs_to(self, release: str, rows: int | None = None) -> None:
        """Refuse a key of another release."""
        if self.release != release:
            raise bad_input("key", f"of release {self.release}", f"the key of release {release}")
        if rows is not None and self.rows is not None and len(self.rows) != rows:
            raise bad_input("key", f"{len(self.rows)} rows", f"{rows}, as in the release", "was the release edited?")
