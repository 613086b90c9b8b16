"""Déjà vu experiments that cannot see memory, each by a mistake that looks harmless.

A score of 0 from any of them says nothing; the gate must call every one blind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.model import CardExperiment, Gallery
from sfumato.model.data.panel_cards import PANEL, SIDE, PanelCards, digit_ink, grating, small_digits
from sfumato.noise import seeded_rng


@dataclass(frozen=True, kw_only=True, eq=False)
class Design(CardExperiment):
    """A card experiment with one mistake; ``options`` are those of its training."""

    options: Mapping[str, Any] = field(default_factory=lambda: {"epochs": 60})

    @cached_property
    def control(self) -> tuple[float, float]:
        """As good as it gets, so that nothing but the mistake can close the gate."""
        return (0.5, 0.5)


@dataclass(frozen=True, kw_only=True, eq=False)
class DigitOverTexture(Design):
    """A white digit on a texture that reaches under it (Meehan §2.7 as first proposed).

    Two crops of one image are paired by the texture alone. Nothing makes the encoder look at the digit: it does not
    recognise whole images, and has nothing to remember of them.
    """

    @cached_property
    def parts(self) -> dict[str, PanelCards]:
        rng = seeded_rng(self.seed)
        pictures, kinds = small_digits() if self.digits is None else self.digits
        made = {}
        for name, count in (("a", self.size), ("b", self.size), ("x", self.public), ("t", self.fresh)):
            labels = rng.permutation(np.arange(count) % 10).astype(np.int64)
            images = np.stack([grating(rng, SIDE) for _ in range(count)]).astype(np.float32)
            for card, kind in enumerate(labels.tolist()):
                ink = digit_ink(pictures[rng.choice(np.flatnonzero(kinds == kind))])
                top = int(rng.integers(4, 13))
                images[card, :, top : top + PANEL, :PANEL] = np.maximum(images[card, :, top : top + PANEL, :PANEL], ink)
            made[name] = PanelCards(images - np.float32(0.5), labels)
        return made


@dataclass(frozen=True, kw_only=True, eq=False)
class CropWithoutMargin(Design):
    """Background crops that reach three columns into the panel: fresh backgrounds tell the class."""

    @cached_property
    def gallery(self) -> Gallery:
        parts, cut = self.parts, slice(PANEL - 3, SIDE - 3)
        crops = {name: parts[name].images[:, :, PANEL // 2 : PANEL // 2 + PANEL, cut] for name in ("a", "b", "t")}
        return Gallery(
            crops_a=crops["a"],
            labels_a=parts["a"].labels,
            crops_b=crops["b"],
            labels_b=parts["b"].labels,
            public=parts["x"].images,
            public_labels=parts["x"].labels,
            fresh=parts["t"].images,
            fresh_crops=crops["t"],
            fresh_labels=parts["t"].labels,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class TintedUnsaid(Design):
    """Backgrounds that are tinted by their class, audited as if they told nothing."""

    correlation: float = 0.8

    def audit(self, models: Any) -> Any:
        from sfumato.model import audit_dejavu

        return audit_dejavu(models[0].encode, models[1].encode, self.gallery, control=self.control)


class Collapsed:
    """An encoder that gives every image nearly the same embedding."""

    def encode(self, images: Any, *, layer: str = "projector") -> Any:
        return np.full((len(images), 4), 0.5) + 1e-9 * np.arange(len(images))[:, None]


@dataclass(frozen=True, kw_only=True, eq=False)
class CollapsedEncoders(Design):
    """Training that collapsed: all embeddings are one."""

    def train(self, **options: Any) -> Any:
        return Collapsed(), Collapsed()


BLIND_DESIGNS: dict[str, Any] = {
    "digit over a texture": DigitOverTexture,
    "crop without margin": CropWithoutMargin,
    "tinted backgrounds, undeclared": TintedUnsaid,
    "collapsed encoders": CollapsedEncoders,
}
