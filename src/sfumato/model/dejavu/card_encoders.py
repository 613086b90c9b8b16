"""Encoders of panel cards as something that is handed out, attacked and measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from sfumato.mechanism.base import Mechanism
from sfumato.model.dejavu.card_experiment import CardExperiment
from sfumato.model.dejavu.criteria import CRITERIA
from sfumato.model.dejavu.label_inference import infer_labels
from sfumato.noise import Rng
from sfumato.promise import NoGuarantee
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.validate import choice, integer

__all__ = ["BackgroundAttack", "CardEncoders", "WholeImages"]


@dataclass(frozen=True, kw_only=True, eq=False)
class CardEncoders(Mechanism):
    """Two encoders, trained on the two training sets of a :class:`~sfumato.model.CardExperiment` and handed out."""

    epochs: int = 400
    criterion: str = "simclr"

    def __post_init__(self) -> None:
        integer("epochs", self.epochs, least=0)
        choice("criterion", self.criterion, CRITERIA)

    @property
    def guarantee(self) -> NoGuarantee:
        """None."""
        return NoGuarantee("an encoder that was trained without noise can remember any image")

    def release(self, data: CardExperiment, *, rng: Rng | None = None) -> Any:
        """Encoders of A and of B; their randomness is that of the experiment's seed."""
        return data.train(epochs=self.epochs, criterion=self.criterion)


@dataclass(frozen=True, kw_only=True)
class BackgroundAttack:
    """Names what was in front of a training image from its background: déjà vu over all images, 0 without memory."""

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = "the background of an image that was trained on, and labelled public images"

    name: str = "déjà vu"

    def attack(
        self, data: CardExperiment, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        """The score with its bootstrap interval; the images themselves would tell all."""
        if release is data:
            return Score(1.0, reference=0.0)
        return data.score(release).interval


@dataclass(frozen=True, kw_only=True)
class WholeImages:
    """How often public neighbours name a whole fresh image: what the encoder is good for."""

    name: str = "whole images recognised"
    better: Literal["higher", "lower"] = "higher"

    def measure(self, data: CardExperiment, release: Any, *, rng: Rng | None = None) -> Score:
        """The mean of both encoders, or of the pixels themselves for the raw data."""
        shown = data.gallery
        models = [_pixels] if release is data else [model.encode for model in release]
        right = [
            infer_labels(encode(shown.public), shown.public_labels, encode(shown.fresh)).accuracy(shown.fresh_labels)
            for encode in models
        ]
        return Score(sum(right) / len(right), reference=1 / shown.labels.classes)


def _pixels(images: Any) -> Any:
    return images.reshape(len(images), -1).astype(float)
