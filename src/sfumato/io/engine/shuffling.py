"""Rows of a stream in random order, without holding them in memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.io.private_folder import PrivateFolder
from sfumato.noise import Rng, secure_rng
from sfumato.validate import integer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["BESIDE", "Shuffler"]

BESIDE = ".sfumato-"
"""How the names of private folders beside an output begin."""

MOST_FILES = 512


@dataclass(frozen=True, kw_only=True)
class Shuffler:
    """Puts the rows of a stream of batches in random order, every order equally likely.

    Each row goes to a file that is drawn for it; then the files are read one after the other, each shuffled in memory.
    Rows in different files stand in the order of their files, rows in one file in a random order: together that is a
    uniform permutation (Rao 1961, Sandelius 1962). Only what is released is on the disk.

    Parameters
    ----------
    folder : path
        Where the files are, as large together as the release; they are removed afterwards.
    rows : int
        About how many rows there are.
    rng : numpy Generator
        A cryptographic one by default.
    at_once : int
        About how many rows are in memory at once.
    by : str, optional
        A column with a random number for each person: the rows of a person stay together and in their order, the people
        stand in the order of their numbers, and the numbers become 1, 2, …

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> batches = [pa.record_batch({"n": [1, 2]}), pa.record_batch({"n": [3, 4, 5]})]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shuffled = Shuffler(folder=Path(folder), rows=5, at_once=2)(batches, batches[0].schema)
    ...     sorted(n for batch in shuffled for n in batch["n"].to_pylist())
    [1, 2, 3, 4, 5]
    """

    folder: Path
    rows: int
    rng: Rng = field(default_factory=secure_rng, repr=False)
    at_once: int = 1 << 18
    by: str | None = None

    def __post_init__(self) -> None:
        integer("rows", self.rows, least=0)
        integer("at_once", self.at_once)

    def __call__(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The rows of all batches in random order; nothing comes out before everything is in."""
        import pyarrow as pa

        number = min(max(-(-self.rows // self.at_once), 1), MOST_FILES)
        with PrivateFolder(self.folder, prefix=BESIDE) as place:
            files = [place.folder / f"{i}.arrow" for i in range(number)]
            with contextlib.ExitStack() as closing:
                options = pa.ipc.IpcWriteOptions(compression="lz4")
                writers = [
                    closing.enter_context(pa.ipc.new_stream(str(file), schema, options=options)) for file in files
                ]
                for batch in batches:
                    self._deal(batch, writers)
            seen = [0]
            for file in files:
                with pa.memory_map(str(file)) as source, pa.ipc.open_stream(source) as reader:
                    table = reader.read_all()
                if self.by is None:
                    yield from table.combine_chunks().take(self.rng.permutation(table.num_rows)).to_batches()
                else:
                    yield from self._numbered(table.combine_chunks(), seen)
                file.unlink()

    def _deal(self, batch: pa.RecordBatch, writers: list[Any]) -> None:
        """Write each row of a batch to a file that is drawn for it."""
        if len(writers) == 1:
            writers[0].write_batch(batch)
            return
        if self.by is None:
            drawn = self.rng.integers(0, len(writers), batch.num_rows)
        else:
            drawn = batch.column(self.by).to_numpy() % len(writers)
        dealt = batch.take(np.argsort(drawn, kind="stable"))
        ends = np.cumsum(np.bincount(drawn, minlength=len(writers))).tolist()
        for writer, start, end in zip(writers, [0, *ends], ends, strict=False):
            if end > start:
                writer.write_batch(dealt.slice(start, end - start))

    def _numbered(self, table: pa.Table, seen: list[int]) -> Iterator[pa.RecordBatch]:
        """The people of a file in the order of their random numbers, numbered after those that were seen before."""
        import pyarrow as pa

        numbers = table[self.by].to_numpy()
        order = np.argsort(numbers, kind="stable")
        ranks = np.unique(numbers[order], return_inverse=True)[1]
        made = pa.array(ranks + seen[0] + 1, pa.int64())
        seen[0] += int(ranks[-1]) + 1 if len(ranks) else 0
        shown = table.take(order)
        yield from shown.set_column(table.column_names.index(str(self.by)), str(self.by), made).to_batches()
