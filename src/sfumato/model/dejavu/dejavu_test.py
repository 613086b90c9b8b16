"""The whole déjà vu test of two encoders, with the gate that says when it is blind."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.model.dejavu.dejavu_report import DejaVuReport, Role, compare_models
from sfumato.model.dejavu.label_inference import infer_labels
from sfumato.noise import Rng

__all__ = ["DejaVuVerdict", "Gallery", "Gate", "audit_dejavu"]

Encode = Callable[[Any], NDArray[np.float64]]

WHOLE = 0.5
CONTROL = 0.25
"""What whole images and the positive control must reach; below, a score of 0 means nothing."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Gallery:
    """The images of a déjà vu test; labels are whole numbers from 0.

    Parameters
    ----------
    crops_a, labels_a, crops_b, labels_b
        Background crops of the images that only model A, and only model B, was trained on.
    public, public_labels
        Images that neither saw, whole.
    fresh, fresh_crops, fresh_labels
        More images that neither saw, whole and as background crops, for the gate.
    """

    crops_a: Any
    labels_a: NDArray[np.int64]
    crops_b: Any
    labels_b: NDArray[np.int64]
    public: Any
    public_labels: NDArray[np.int64]
    fresh: Any
    fresh_crops: Any
    fresh_labels: NDArray[np.int64]

    def __post_init__(self) -> None:
        for images, labels in (
            ("crops_a", "labels_a"),
            ("crops_b", "labels_b"),
            ("public", "public_labels"),
            ("fresh", "fresh_labels"),
            ("fresh_crops", "fresh_labels"),
        ):
            if len(getattr(self, images)) != len(getattr(self, labels)) or not len(getattr(self, labels)):
                raise bad_input(images, len(getattr(self, images)), f"as many as {labels}, and at least one")
        if len(self.crops_a) != len(self.crops_b):
            raise bad_input("crops_b", len(self.crops_b), f"{len(self.crops_a)}, as many as crops_a")
        seen = np.unique(self.public_labels)
        for name in ("labels_a", "labels_b", "fresh_labels"):
            missing = np.setdiff1d(getattr(self, name), seen)
            if len(missing):
                raise bad_input(name, f"class {missing[0]}", "classes that public images have")

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.public_labels.max()) + 1


@dataclass(frozen=True, kw_only=True)
class Gate:
    """Whether the test could have seen memory at all.

    Parameters
    ----------
    whole : tuple of float
        Accuracy of both models on fresh whole images.
    control : tuple of float or None
        The score of the positive control in both roles; None if none was run.
    fresh : tuple of float
        Accuracy of both models on fresh background crops: equal, and at chance if backgrounds tell nothing.
    count, classes : int
        Fresh images and classes.
    correlated : bool
        Whether backgrounds are known to tell something of the class.
    """

    whole: tuple[float, float]
    control: tuple[float, float] | None
    fresh: tuple[float, float]
    count: int
    classes: int
    correlated: bool = False

    @property
    def reasons(self) -> list[str]:
        """Why the test is blind; empty if it is not."""
        said = []
        if min(self.whole) < WHOLE:
            said.append(f"{min(self.whole):.0%} of whole fresh images are recognised, and {WHOLE:.0%} are needed")
        if self.control is None:
            said.append("no positive control was run")
        elif min(self.control) < CONTROL:
            said.append(f"the positive control scores {min(self.control):.2f}, and {CONTROL} is needed")
        rate = (self.fresh[0] + self.fresh[1]) / 2
        sd = math.sqrt(2 * rate * (1 - rate) / self.count)
        if abs(self.fresh[0] - self.fresh[1]) > 3 * sd:
            said.append("the two models differ on fresh backgrounds, which neither saw")
        chance = 1 / self.classes
        spread = math.sqrt(chance * (1 - chance) / self.count)
        if not self.correlated and any(abs(one - chance) > 3 * spread for one in self.fresh):
            said.append(f"fresh backgrounds tell the class ({max(self.fresh):.0%} right, chance {chance:.0%})")
        return said

    @property
    def blind(self) -> bool:
        """Whether the score must not be read."""
        return bool(self.reasons)


@dataclass(frozen=True, kw_only=True, eq=False)
class DejaVuVerdict:
    """What the test found, and whether it could find anything.

    Parameters
    ----------
    measured : DejaVuReport
        The scores; read them only if the gate is open.
    gate : Gate
    """

    measured: DejaVuReport
    gate: Gate

    @property
    def report(self) -> DejaVuReport | None:
        """The scores; None where the test is blind."""
        return None if self.gate.blind else self.measured

    @property
    def words(self) -> str:
        """The verdict in plain words."""
        if self.gate.blind:
            return f"The test is blind here: {'; '.join(self.gate.reasons)}. Nothing follows about memory."
        found, parts = self.measured, self.measured.partition
        score = (
            f"Déjà vu score {found.score():.3f} over all images (95 % interval {found.interval.low:.3f} to "
            f"{found.interval.high:.3f}), {found.score(0.2):.3f} over the most confident fifth; roles "
            f"{found.roles[0].score():.3f} and {found.roles[1].score():.3f}. Memorised {parts.memorised:.0%}, "
            f"misrepresented {parts.misrepresented:.0%}, correlated {parts.correlated:.0%}."
        )
        if found.memorises:
            return f"The encoders remember training images by their background. {score}"
        return f"No memory was found, though the test could have seen some. {score}"

    def __str__(self) -> str:
        return self.words


def audit_dejavu(
    encode_a: Encode,
    encode_b: Encode,
    gallery: Gallery,
    *,
    control: tuple[float, float] | None = None,
    correlated: bool = False,
    neighbours: int = 100,
    rng: Rng | None = None,
) -> DejaVuVerdict:
    """Test two encoders that were trained alike on different images for memory of single images.

    Each image is shown only by its background. The public images whose embeddings are nearest vote on what was in
    front; the model that saw the image is compared with the one that did not (Meehan et al. 2023).

    Parameters
    ----------
    encode_a, encode_b : callable
        Map images to embeddings, one a row, in evaluation mode.
    control : (float, float), optional
        The scores, in both roles, of a positive control: the same network on the same images, made to remember. Without
        one nobody knows whether the test can see memory here, and the verdict says so.
    correlated : bool
        Whether backgrounds are known to tell something of the class.

    Notes
    -----
    A verdict is “remembers”, “no memory was found”, or “the test is blind here”; the last is never read as the second.
    """

    def votes(encode: Encode, images: Any) -> Any:
        return infer_labels(
            encode(gallery.public),
            gallery.public_labels,
            encode(images),
            neighbours=neighbours,
            classes=gallery.classes,
        )

    def role(target: Encode, reference: Encode, crops: Any, labels: NDArray[np.int64]) -> Role:
        return Role(target=votes(target, crops), reference=votes(reference, crops), labels=labels)

    roles = (
        role(encode_a, encode_b, gallery.crops_a, gallery.labels_a),
        role(encode_b, encode_a, gallery.crops_b, gallery.labels_b),
    )
    both = (encode_a, encode_b)
    whole = [votes(encode, gallery.fresh).accuracy(gallery.fresh_labels) for encode in both]
    fresh = [votes(encode, gallery.fresh_crops).accuracy(gallery.fresh_labels) for encode in both]
    gate = Gate(
        whole=(whole[0], whole[1]),
        control=control,
        fresh=(fresh[0], fresh[1]),
        count=len(gallery.fresh_labels),
        classes=gallery.classes,
        correlated=correlated,
    )
    return DejaVuVerdict(measured=compare_models(*roles, rng=rng), gate=gate)
