"""A déjà vu experiment on panel cards that runs on one core: cards, crops, positive control and main recipe."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.model.data.panel_cards import PANEL, SIDE, PanelCards, make_panel_cards
from sfumato.model.dejavu.dejavu_report import DejaVuReport
from sfumato.model.dejavu.dejavu_test import DejaVuVerdict, audit_dejavu, compare_embeddings
from sfumato.model.dejavu.gallery import EmbeddedGallery, Embeddings, Gallery
from sfumato.model.dejavu.periphery import largest_empty_rectangle
from sfumato.model.dejavu.small_encoder import INPUT, SmallEncoder, train_encoder
from sfumato.noise import seeded_rng
from sfumato.validate import integer, probability

__all__ = ["CardExperiment", "background_crops"]

_MARGIN = 1  # pixels: without it resampling leaks the panel into the crop


def background_crops(images: Any) -> Any:
    """The middle square of the largest background rectangle, one pixel smaller on every side."""
    free = largest_empty_rectangle(SIDE, SIDE, [(0, 0, PANEL, SIDE)])
    assert free is not None
    side = min(free.width, free.height) - 2 * _MARGIN
    left, top = (free.left + free.right - side) // 2, (free.top + free.bottom - side) // 2
    return images[:, :, top : top + side, left : left + side]


@dataclass(frozen=True, kw_only=True, eq=False)
class CardExperiment:
    """Panel cards split into two training sets, public and fresh cards.

    Parameters
    ----------
    size : int
        Cards in each training set.
    public, fresh : int
        Cards that nobody trains on.
    correlation : float
        How often a background is tinted by its class.
    digits, backgrounds
        As in :func:`~sfumato.model.make_panel_cards`.
    """

    size: int = 200
    public: int = 1_500
    fresh: int = 500
    correlation: float = 0.0
    digits: Any = None
    backgrounds: Any = None
    seed: int = 0

    def __post_init__(self) -> None:
        integer("size", self.size, least=2)
        integer("public", self.public, least=100)
        integer("fresh", self.fresh)
        probability("correlation", self.correlation, zero=True, one=True)

    @cached_property
    def parts(self) -> dict[str, PanelCards]:
        """The cards of A, B, X (public) and T (fresh)."""
        sizes = {"a": self.size, "b": self.size, "x": self.public, "t": self.fresh}
        rng = seeded_rng(self.seed)
        cards = make_panel_cards(
            sum(sizes.values()),
            correlation=self.correlation,
            digits=self.digits,
            backgrounds=self.backgrounds,
            rng=rng,
        )
        order = rng.permutation(len(cards.labels))
        out, start = {}, 0
        for name, size in sizes.items():
            chosen = order[start : start + size]
            out[name] = PanelCards(cards.images[chosen], cards.labels[chosen])
            start += size
        return out

    @cached_property
    def gallery(self) -> Gallery:
        """What the test looks at."""
        parts = self.parts
        return Gallery(
            crops_a=background_crops(parts["a"].images),
            labels_a=parts["a"].labels,
            crops_b=background_crops(parts["b"].images),
            labels_b=parts["b"].labels,
            public=parts["x"].images,
            public_labels=parts["x"].labels,
            fresh=parts["t"].images,
            fresh_crops=background_crops(parts["t"].images),
            fresh_labels=parts["t"].labels,
        )

    def train(self, **options: Any) -> tuple[SmallEncoder, SmallEncoder]:
        """Two encoders, one on A and one on B; options as in :func:`~sfumato.model.train_encoder`."""
        made = []
        for place, name in enumerate(("a", "b")):
            part = self.parts[name]
            labels = part.labels if options.get("criterion") == "supervised" else None
            rng = seeded_rng(1000 * (self.seed + 1) + place)
            made.append(train_encoder(part.images, labels=labels, rng=rng, **options))
        return made[0], made[1]

    @cached_property
    def control(self) -> tuple[float, float]:
        """The positive control: encoders trained to connect panel and background, asked for the panel."""

        def views(torch: Any, images: Any) -> tuple[Any, Any]:
            shown = images[:, :, :, :PANEL], background_crops(images)
            sized = [
                torch.nn.functional.interpolate(part, (INPUT, INPUT), mode="bilinear", align_corners=False)
                for part in shown
            ]
            return sized[0], sized[1]

        models = self.train(criterion="vicreg", epochs=50, views=views)
        found = self.score(models, public=self.parts["x"].images[:, :, :, :PANEL])
        return found.role_scores

    def score(
        self,
        models: tuple[SmallEncoder, SmallEncoder],
        *,
        layer: Literal["projector", "backbone"] = "projector",
        public: NDArray[np.float32] | None = None,
        neighbours: int = 100,
    ) -> DejaVuReport:
        """The déjà vu score of two models, without the gate."""
        shown = self.gallery.public if public is None else public
        made = [
            Embeddings(
                *(model.encode(part, layer=layer) for part in (shown, self.gallery.crops_a, self.gallery.crops_b))
            )
            for model in models
        ]
        embedded = EmbeddedGallery(a=made[0], b=made[1], labels=self.gallery.labels)
        return compare_embeddings(embedded, neighbours=neighbours)

    def audit(self, models: tuple[SmallEncoder, SmallEncoder]) -> DejaVuVerdict:
        """The whole test with its controls."""
        return audit_dejavu(
            models[0].encode,
            models[1].encode,
            self.gallery,
            control=self.control,
            correlated=self.correlation > 0,
        )
