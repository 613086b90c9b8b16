"""What can be said of the error of a release of directions before it is made and paid for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.direction.core.coordinates import CIRCLES, arc_words
from sfumato.direction.mechanisms.bayesian_remap import BayesianRemap
from sfumato.direction.mechanisms.elliptical import Elliptical
from sfumato.direction.protection import ask
from sfumato.direction.question import noises_in

__all__ = ["expected_error"]


def expected_error(
    frame: Any, columns: str | Sequence[str], *, mechanism: str = "purkayastha", **arguments: Any
) -> str:
    """How far directions would be moved, in words; empty where no law says it. No direction is looked at.

    Parameters
    ----------
    frame, columns, mechanism, arguments
        As in :func:`~sfumato.direction.protect`. Of the frame only the names of the columns are used.

    Examples
    --------
    >>> import pyarrow as pa
    >>> poll = pa.table({"wakes": [6.5, 23.25, 7.0], "lat": [48.1] * 3, "lon": [11.6] * 3})
    >>> expected_error(poll, "wakes", pure=1.0)
    'each is moved by 5.02 h in the mean'
    >>> expected_error(poll, ["lat", "lon"], kind="latlon", level=1.0, radius=200)
    'each is moved by 400 m in the mean'
    """
    question = ask(frame, columns, **{"noise": "purkayastha", **arguments, "mechanism": mechanism})
    made: Any = question.build()
    if isinstance(made, BayesianRemap):
        return ""  # what is released is drawn back to places that are known
    moved = []
    for name, noise in noises_in(made).items():
        if not hasattr(noise, "law") or isinstance(noise, Elliptical):
            return ""
        n = 2 if noise.kind in CIRCLES else 3 if noise.kind == "latlon" else len(question.columns)
        moved.append(f"by {arc_words(noise.kind, noise.law(n).mean_angle)}" + (f" in {name}" if name else ""))
    what = "each mean" if question.gives_means else "each"
    return f"{what} is moved {' and '.join(moved)} in the mean" + (
        ", by the noise alone" if question.gives_means else ""
    )
