"""The whole déjà vu test of two encoders, with the gate that says when it is blind."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from sfumato.errors import bad_input
from sfumato.model.dejavu.dejavu_report import DejaVuReport, Role, compare_models
from sfumato.model.dejavu.gallery import EmbeddedGallery, Embeddings, Encode, Gallery, embed_gallery
from sfumato.model.dejavu.label_inference import LabelInference, infer_labels
from sfumato.noise import Rng

__all__ = ["DejaVuVerdict", "Gate", "GateStep", "audit_dejavu", "audit_embeddings", "compare_embeddings"]

CONTROL = 0.25
"""What the positive control must reach in both roles; below, a score of 0 means nothing."""


class GateStep(NamedTuple):
    """One condition of the gate: its name, what was found for both models or roles, and what is needed."""

    name: str
    found: tuple[float, float] | None
    needed: str
    passed: bool
    reason: str
    """Why the test is blind if it did not pass."""


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
    def chance(self) -> float:
        """How often a guess is right."""
        return 1 / self.classes

    @property
    def whole_needed(self) -> float:
        """Five times chance and, where that is too much to ask, halfway from chance to certainty."""
        return min(5 * self.chance, (1 + self.chance) / 2)

    @property
    def steps(self) -> list[GateStep]:
        """What was looked at, one after the other."""
        low, rate = min(self.whole), (self.fresh[0] + self.fresh[1]) / 2
        sd = math.sqrt(2 * rate * (1 - rate) / self.count)
        spread = math.sqrt(self.chance * (1 - self.chance) / self.count)
        needed = f"at least {self.whole_needed:.0%}"
        found = [
            GateStep(
                "whole fresh images recognised",
                self.whole,
                needed,
                low >= self.whole_needed,
                f"{low:.0%} of whole fresh images are recognised, and {self.whole_needed:.0%} are needed",
            )
        ]
        if self.control is None:
            reason, passed = "no positive control was run", False
        else:
            passed = min(self.control) >= CONTROL
            reason = f"the positive control scores {min(self.control):.2f}, and {CONTROL} is needed"
        found.append(GateStep("positive control, score by role", self.control, f"at least {CONTROL}", passed, reason))
        found.append(
            GateStep(
                "fresh backgrounds, right by model",
                self.fresh,
                f"a difference of at most {3 * sd:.3f}",
                abs(self.fresh[0] - self.fresh[1]) <= 3 * sd,
                "the two models differ on fresh backgrounds, which neither saw",
            )
        )
        if not self.correlated:
            low_end, high_end = max(0.0, self.chance - 3 * spread), self.chance + 3 * spread
            found.append(
                GateStep(
                    "fresh backgrounds, against chance",
                    self.fresh,
                    f"between {low_end:.3f} and {high_end:.3f}",
                    all(abs(one - self.chance) <= 3 * spread for one in self.fresh),
                    f"fresh backgrounds tell the class ({max(self.fresh):.0%} right, chance {self.chance:.0%})",
                )
            )
        return found

    @property
    def reasons(self) -> list[str]:
        """Why the test is blind; empty if it is not."""
        return [step.reason for step in self.steps if not step.passed]

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

    models = tuple(embed_gallery(encode, gallery) for encode in (encode_a, encode_b))
    return audit_embeddings(
        EmbeddedGallery(a=models[0], b=models[1], labels=gallery.labels),
        control=control,
        correlated=correlated,
        neighbours=neighbours,
        rng=rng,
    )


def audit_embeddings(
    embedded: EmbeddedGallery,
    *,
    control: tuple[float, float] | None = None,
    correlated: bool = False,
    neighbours: int = 100,
    rng: Rng | None = None,
) -> DejaVuVerdict:
    """:func:`audit_dejavu` of embeddings that were computed elsewhere; parameters as there."""
    labels = embedded.labels
    if any(part is None for model in embedded.models for part in model):
        raise bad_input("fresh", None, "embeddings of fresh images and crops", "without them nobody knows what 0 means")

    def right(part: str) -> list[float]:
        found = []
        for model in embedded.models:
            shown = getattr(model, part)
            votes = infer_labels(model.public, labels.public, shown, neighbours=neighbours, classes=labels.classes)
            found.append(votes.accuracy(labels.fresh))
        return found

    whole, fresh = right("fresh"), right("fresh_crops")
    gate = Gate(
        whole=(whole[0], whole[1]),
        control=control,
        fresh=(fresh[0], fresh[1]),
        count=len(labels.fresh),
        classes=labels.classes,
        correlated=correlated,
    )
    return DejaVuVerdict(measured=compare_embeddings(embedded, neighbours=neighbours, rng=rng), gate=gate)


def compare_embeddings(embedded: EmbeddedGallery, *, neighbours: int = 100, rng: Rng | None = None) -> DejaVuReport:
    """The score in both roles, without the gate: what a positive control is made with."""
    labels = embedded.labels

    def votes(model: Embeddings, shown: Any) -> LabelInference:
        return infer_labels(model.public, labels.public, shown, neighbours=neighbours, classes=labels.classes)

    a, b = embedded.models
    first = Role(target=votes(a, a.crops_a), reference=votes(b, b.crops_a), labels=labels.a)
    second = Role(target=votes(b, b.crops_b), reference=votes(a, a.crops_b), labels=labels.b)
    return compare_models(first, second, rng=rng)
