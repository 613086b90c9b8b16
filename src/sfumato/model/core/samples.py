"""Samples from files: arrays, folders of images, tables; and all of them as points."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import reading
from sfumato.io.files import read_table
from sfumato.io.frames import is_frame
from sfumato.model.core.mixed_rows import code_together, embed
from sfumato.model.core.nearest import points
from sfumato.validate import extra

__all__ = ["Samples", "as_points", "read_samples"]

_PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".pgm", ".ppm", ".tif", ".tiff", ".webp")


@dataclass(frozen=True, kw_only=True, eq=False)
class Samples:
    """What a file or folder held.

    Parameters
    ----------
    values : ndarray or pyarrow.Table
        One sample a row or, for images, along the first axis.
    images : bool
        Whether they can be shown as pictures.
    """

    values: Any
    images: bool = False


def read_samples(path: str | Path) -> Samples:
    """Samples from ``.npy``, ``.npz`` (one array), a folder of images, or a table (CSV, Parquet, …).

    All images must have one size and can all be read; those that cannot are counted and the first ones named.
    """
    where = Path(path)
    if where.is_dir():
        return Samples(values=_read_folder(where), images=True)
    if where.suffix.lower() in (".npy", ".npz"):
        values = _read_array(where)
        shape = values.shape[1:]
        return Samples(values=values, images=len(shape) == 2 or (len(shape) == 3 and shape[2] in (1, 3)))
    return Samples(values=read_table(where))


def _read_array(path: Path) -> NDArray[Any]:
    with reading(path):
        content = path.read_bytes()
    try:
        loaded = np.load(io.BytesIO(content), allow_pickle=False)
        if path.suffix.lower() == ".npy":
            array = loaded
        elif len(loaded.files) == 1:
            array = loaded[loaded.files[0]]
        else:
            raise bad_input(str(path), loaded.files, "one array in the file", "save each set to a file of its own")
    except (ValueError, EOFError, OSError, zipfile.BadZipFile) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not a plain file of numpy: save arrays of numbers, no objects") from error
    if array.dtype.kind not in "iufb" or array.ndim < 2:
        raise bad_input(str(path), f"{array.dtype} of shape {array.shape}", "numbers, one sample along the first axis")
    return np.asarray(array, float)


def _read_folder(folder: Path) -> NDArray[np.float64]:
    image = extra("PIL.Image", "model")
    files = sorted(one for one in folder.rglob("*") if one.suffix.lower() in _PICTURES and one.is_file())
    if not files:
        raise InputError(f"{folder} has no images: expected files that end in {', '.join(_PICTURES)}")
    found, broken = [], []
    for file in files:
        try:
            with image.open(file) as opened:
                picture = opened if opened.mode in ("L", "RGB") else opened.convert("RGB")
                found.append(np.asarray(picture, np.uint8))
        except (OSError, ValueError, SyntaxError, image.DecompressionBombError):
            broken.append(file.name)
    if broken:
        shown = ", ".join(broken[:5]) + (", …" if len(broken) > 5 else "")
        raise InputError(
            f"{len(broken)} of {len(files)} images in {folder} cannot be read: {shown}; remove or mend them"
        )
    shapes = {array.shape for array in found}
    if len(shapes) > 1:
        shown = ", ".join(str(shape) for shape in sorted(shapes, key=str)[:4])
        raise InputError(f"the images in {folder} have different sizes ({shown}): expected one; resize them first")
    return np.stack(found).astype(float)


def as_points(train: Any, *others: Any) -> list[NDArray[np.float64]]:
    """Samples of one kind as rows of numbers in which Euclidean distance makes sense.

    Arrays are flattened. Columns of tables are divided by their standard deviation in the training set, and a category
    becomes an axis of its own: records with different categories are at squared distance 1 for each.
    """
    tables = [is_frame(one) for one in (train, *others)]
    if any(tables) and not all(tables):
        raise bad_input("samples", "tables and arrays", "one kind of samples", "save all sets in one format")
    if not tables[0]:
        first = points("train", train)
        shapes = {np.shape(one)[1:] for one in (train, *others)}
        if len(shapes) > 1:
            raise bad_input("samples", sorted(shapes, key=str), "the same shape in every set")
        return [first, *(points("samples", one, dimension=first.shape[1]) for one in others)]
    rows = code_together(train, *others)
    spread = rows[0].raw.std(axis=0)
    levels = [int(max(part.codes[:, c].max() for part in rows)) + 1 for c in range(rows[0].codes.shape[1])]
    return [embed(part, spread, levels) for part in rows]
