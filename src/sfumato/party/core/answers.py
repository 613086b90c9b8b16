"""Answers of comparisons as an array of zeros and ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism.container import unpack_any

__all__ = ["answer_array"]


def answer_array(name: str, data: Any, *, least: int = 0) -> NDArray[np.int64]:
    """Zeros and ones (or booleans), none missing; anything else is refused.

    >>> answer_array("data", [True, False])
    array([1, 0])
    """
    array = np.asarray(unpack_any(data, name)[0])
    if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        raise bad_input(name, "other values", "answers: 0 or 1 each")
    if array.size < least:
        raise bad_input(name, array.shape, f"at least {least} answers")
    return array.astype(np.int64)
