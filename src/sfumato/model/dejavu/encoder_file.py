"""Encoders and galleries from files: TorchScript, exported programs, ONNX, and archives of arrays."""

from __future__ import annotations

import io
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import reading
from sfumato.model.core.learning import require_torch
from sfumato.model.dejavu.gallery import PARTS, EmbeddedGallery, Embeddings, Encode, Gallery, GalleryLabels, check_apart
from sfumato.validate import extra

__all__ = ["GalleryFile", "load_encoder", "read_embeddings", "read_gallery"]

_BATCH = 256
_IMAGES = ("crops_a", "crops_b", "public", "fresh", "fresh_crops")
_LABELS = tuple(f"labels_{part}" for part in PARTS)
_CONTROL = ("public", "crops_a", "crops_b")


def load_encoder(path: str | Path) -> Encode:
    """An encoder from a file: ``.onnx``, TorchScript (``.pt``, ``.pth``, ``.ts``) or an exported program (``.pt2``).

    It takes images (count, …) of 32-bit numbers as they are stored and gives one row each, or an array that is
    flattened to one. Networks that were pickled are refused: loading them would run whatever program they hold.
    """
    where = Path(path)
    with reading(where):
        content = where.read_bytes()
    suffix = where.suffix.lower()
    if suffix == ".onnx":
        return _onnx(where, content)
    if suffix not in (".pt", ".pth", ".ts", ".pt2"):
        raise bad_input(str(path), suffix or "no ending", ".onnx, .pt, .pth, .ts or .pt2")
    return _torch(where, content, exported=suffix == ".pt2")


def _onnx(path: Path, content: bytes) -> Encode:
    runtime = extra("onnxruntime", "model")
    try:
        session = runtime.InferenceSession(content, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime has a class of its own for every kind of failure
        raise InputError(f"{path} is no ONNX network that can be run: {error}") from error
    inputs, outputs = session.get_inputs(), session.get_outputs()
    if len(inputs) != 1:
        raise bad_input(str(path), f"{len(inputs)} inputs", "a network with one input, the images")

    def run(part: NDArray[np.float32]) -> NDArray[np.float64]:
        return np.asarray(session.run([outputs[0].name], {inputs[0].name: part})[0], float)

    return _in_batches(path, run)


def _torch(path: Path, content: bytes, *, exported: bool) -> Encode:
    torch = require_torch()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            opened = io.BytesIO(content)
            network = (
                torch.export.load(opened).module() if exported else torch.jit.load(opened, map_location="cpu").eval()
            )
    except (RuntimeError, ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        raise InputError(
            f"{path} is no {'exported program' if exported else 'TorchScript'}: save the network in evaluation mode "
            "with torch.jit.trace(network, images).save(…), torch.export.save(…) or as ONNX; a pickled network is not "
            "loaded, because it could run any program"
        ) from error

    def run(part: NDArray[np.float32]) -> NDArray[np.float64]:
        with torch.no_grad():
            found: NDArray[np.float64] = network(torch.from_numpy(part)).double().numpy()
        return found

    return _in_batches(path, run)


def _in_batches(path: Path, run: Any) -> Encode:
    def encode(images: Any) -> NDArray[np.float64]:
        shown = np.asarray(images)
        out = []
        for start in range(0, len(shown), _BATCH):
            part = np.ascontiguousarray(shown[start : start + _BATCH], np.float32)
            try:
                rows = run(part)
            except Exception as error:  # whatever the network raises, the user meets the shape it was given
                raise InputError(
                    f"{path} fails on images of shape {part.shape}: {str(error).splitlines()[0]}"
                ) from error
            if len(rows) != len(part):
                raise bad_input(str(path), f"{rows.shape} for {len(part)} images", "one embedding for each image")
            out.append(rows.reshape(len(rows), -1))
        return np.concatenate(out)

    return encode


class GalleryFile:
    """The arrays of an ``.npz`` file."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        with reading(self.path):
            content = self.path.read_bytes()
        try:
            loaded = np.load(io.BytesIO(content), allow_pickle=False)
            if not hasattr(loaded, "files"):
                raise bad_input(str(path), "one array", "an .npz file with named arrays", "save it by numpy.savez")
            self.arrays: dict[str, NDArray[Any]] = {name: loaded[name] for name in loaded.files}
        except (ValueError, EOFError, OSError, zipfile.BadZipFile) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path} is no archive of arrays: save it by numpy.savez, without objects") from error

    def take(self, names: tuple[str, ...]) -> dict[str, NDArray[Any]]:
        """The arrays of these names."""
        missing = [name for name in names if name not in self.arrays]
        if missing:
            raise bad_input(str(self.path), f"no array {missing[0]}", f"the arrays {', '.join(names)}")
        return {name: self.arrays[name] for name in names}

    def names(self) -> dict[str, NDArray[Any]]:
        """The names of the images, where the file has them (``names_a``, …)."""
        return {part: self.arrays[f"names_{part}"] for part in PARTS if f"names_{part}" in self.arrays}

    @property
    def labels(self) -> GalleryLabels:
        """``labels_a``, ``labels_b``, ``labels_public`` and ``labels_fresh``."""
        return GalleryLabels(**{name.removeprefix("labels_"): kinds for name, kinds in self.take(_LABELS).items()})


def read_gallery(file: GalleryFile) -> Gallery:
    """A gallery of images, as (count, …) arrays that the encoders take.

    The arrays are ``crops_a``, ``crops_b``, ``public``, ``fresh``, ``fresh_crops``, ``labels_a``, ``labels_b``,
    ``labels_public``, ``labels_fresh``, and where they are known ``names_a``, ``names_b``, ``names_public`` and
    ``names_fresh``.
    """
    images, labels = file.take(_IMAGES), file.labels
    for name, values in images.items():
        if values.dtype.kind not in "iufb" or values.ndim < 2 or not np.isfinite(values).all():
            raise bad_input(
                name, f"{values.dtype} of shape {values.shape}", "finite numbers, images along the first axis"
            )
    return Gallery(
        **images,
        labels_a=labels.a,
        labels_b=labels.b,
        public_labels=labels.public,
        fresh_labels=labels.fresh,
        names=file.names(),
    )


def read_embeddings(file: GalleryFile) -> tuple[EmbeddedGallery, EmbeddedGallery | None]:
    """Embeddings by both models, and those of the positive control if there is one.

    The arrays are those of :func:`read_gallery` with ``_by_a`` and ``_by_b`` behind the names of images
    (``crops_a_by_b``: crops of A's images by model B). The control has ``control_public_by_a``,
    ``control_crops_a_by_a``, and so on.
    """
    labels = file.labels
    check_apart(file.names(), {part: len(getattr(labels, part)) for part in PARTS})
    models = []
    for model in "ab":
        found = file.take(tuple(f"{part}_by_{model}" for part in Embeddings._fields))
        models.append(Embeddings(*(np.asarray(rows, float) for rows in found.values())))
    embedded = EmbeddedGallery(a=models[0], b=models[1], labels=labels)
    if not any(name.startswith("control_") for name in file.arrays):
        return embedded, None
    controls = []
    for model in "ab":
        found = file.take(tuple(f"control_{part}_by_{model}" for part in _CONTROL))
        controls.append(Embeddings(*(np.asarray(rows, float) for rows in found.values())))
    return embedded, EmbeddedGallery(a=controls[0], b=controls[1], labels=labels)
