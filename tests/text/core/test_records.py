"""Records with a text from whatever holds them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from sfumato.io import write_table
from sfumato.text.core.records import stream_records


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet", "feather"])
def test_tables(tmp_path: Path, ending: str) -> None:
    write_table(pa.table({"author": ["a"], "text": ["one, two"]}), tmp_path / f"t.{ending}")
    assert list(stream_records(str(tmp_path / f"t.{ending}"))) == [{"author": "a", "text": "one, two"}]


def test_documents_and_folders(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one, two")
    (tmp_path / "b.html").write_text("<p>three")
    both = [{"file": "a.txt", "text": "one, two"}, {"file": "b.html", "text": "three"}]
    assert list(stream_records(str(tmp_path))) == both
    assert list(stream_records(str(tmp_path / "a.txt"))) == both[:1]
