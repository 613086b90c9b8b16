"""What the auditor can do with an input or a release of any kind: numbers, or a thing to count."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["both_floats", "category_of", "floats_or_none"]


def floats_or_none(value: Any, kinds: str = "f") -> NDArray[Any] | None:
    """The value as an array of floats (or of other ``kinds`` of numbers); ``None`` for anything else.

    >>> floats_or_none([[0.0], [0.0, 1.0]]) is None
    True
    """
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        return None
    return array if array.dtype.kind in kinds else None


def both_floats(x: Any, y: Any) -> bool:
    """Whether two inputs are floats of one shape, so that there are inputs between and beyond them."""
    first, second = floats_or_none(x), floats_or_none(y)
    return first is not None and second is not None and first.shape == second.shape


def category_of(output: Any) -> Any:
    """A hashable stand-in, the same for equal outputs."""
    if isinstance(output, np.ndarray):
        return output.tobytes()
    return output if isinstance(output, (str, bytes, int, float, bool, np.generic)) else repr(output)
