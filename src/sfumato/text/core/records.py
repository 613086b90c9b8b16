"""Records with a text in files: JSON Lines, any other table, documents and folders of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import bad_input
from sfumato.io.files import read_table
from sfumato.io.streams import stream_json_lines
from sfumato.io.texts import document_format, read_texts
from sfumato.text.core.corpus import Corpus

__all__ = ["batches", "field_of", "labelled_corpora", "stream_records", "text_of"]

_BATCH = 1024
_LONGEST = 100_000_000


def stream_records(path: str, *, longest: int = _LONGEST) -> Iterator[dict[str, Any]]:
    """The records of a file one by one; JSON Lines and standard input are never held whole.

    ``longest`` refuses lines of JSON with more bytes.
    """
    if path == "-" or Path(path).name.lower().endswith((".jsonl", ".jsonl.gz", ".ndjson")):
        yield from stream_json_lines(path, longest=longest)
    else:
        documents = Path(path).is_dir() or document_format(path) is not None
        table = read_texts(path) if documents else read_table(path)
        for batch in table.to_batches(max_chunksize=_BATCH):
            yield from batch.to_pylist()


def batches(records: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The records, about a thousand at a time."""
    source = iter(records)
    while batch := list(islice(source, _BATCH)):
        yield batch


def text_of(record: dict[str, Any], column: str, number: int) -> str:
    """The text of a record; ``number`` says which one in errors."""
    if column not in record:
        raise bad_input("column", column, f"a field of record {number}: {', '.join(record)}", "--column names another")
    text = record[column]
    if not isinstance(text, str):
        raise bad_input(f"{column!r} of record {number}", type(text).__name__, "a text")
    return text


def field_of(record: dict[str, Any], name: str, number: int, option: str) -> str:
    """Another field of a record as a text, such as its author; ``option`` is what named the field."""
    if record.get(name) is None:
        raise bad_input(option, name, f"a field of record {number}: {', '.join(record)}")
    return str(record[name])


def labelled_corpora(raw: str, released: str, *, column: str, label: str, option: str) -> tuple[Corpus, Corpus]:
    """Raw and protected texts from two files in the same order, with a field of the raw file as author and topic.

    Every third text of a label is for testing, the others for training; labels with fewer than three texts are left
    out.
    """
    before, after = list(stream_records(raw)), list(stream_records(released))
    if len(before) != len(after):
        raise bad_input("release", len(after), f"one text for each of the {len(before)} raw ones")
    seen: dict[str, int] = {}
    labels, train = [], []
    for number, record in enumerate(before, 1):
        own = field_of(record, label, number, option)
        seen[own] = seen.get(own, 0) + 1
        labels.append(own)
        train.append(seen[own] % 3 != 0)
    usable = [seen[own] >= 3 for own in labels]  # one text cannot be both learned from and tested
    if len({own for own, good in zip(labels, usable, strict=True) if good}) < 2:
        raise bad_input(label, f"{len(seen)} values", "at least two with three texts or more")
    rows = np.flatnonzero(usable).tolist()
    data = Corpus(
        texts=[text_of(before[k], column, k + 1) for k in rows],
        authors=np.array(labels)[rows],
        topics=np.array(labels)[rows],
        train=np.array(train)[rows],
    )
    return data, data.with_texts([text_of(after[k], column, k + 1) for k in rows])
