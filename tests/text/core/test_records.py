"""Texts in a column, and labels from others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import InputError
from sfumato.text.core.records import labels_of, texts_by_person, texts_of, usable_rows

TABLE = pa.table({"text": ["one, two", "three", "four"], "author": [7, 8, 7], "when": ["x", None, "y"]})


def test_texts_and_labels() -> None:
    assert texts_of(TABLE, "text") == ["one, two", "three", "four"]
    assert labels_of(TABLE, "author").tolist() == ["7", "8", "7"]
    assert texts_by_person(TABLE, "text", "author") == {"7": ["one, two", "four"], "8": ["three"]}
    assert usable_rows(np.array(["a", "b", "a", "b", "a"])).tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("column", "longest", "says"),
    [
        ("author", None, "expected a text"),
        ("when", None, "no value in row 2"),
        ("body", None, "no column 'body'"),
        ("text", 7, "row 1, has more than 7 characters"),
    ],
)
def test_what_is_no_text_is_refused(column: str, longest: int | None, says: str) -> None:
    with pytest.raises(InputError, match=says):
        texts_of(TABLE, column, longest=longest)
