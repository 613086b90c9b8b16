"""Encoders small enough to be trained on one core in seconds, for experiments with the déjà vu test."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.model.core.learning import batches, require_torch, seeded_torch
from sfumato.model.dejavu.criteria import CRITERIA, barlow_twins, simclr, vicreg
from sfumato.noise import Rng
from sfumato.validate import choice, integer, positive

__all__ = ["INPUT", "SmallEncoder", "Views", "random_crops", "train_encoder"]

INPUT = 16
"""Every view is resampled to so many pixels a side."""

Views = Callable[[Any, Any], tuple[Any, Any]]
"""``views(torch, images)``: two views of a batch, each (batch, 3, INPUT, INPUT)."""


def random_crops(torch: Any, images: Any, *, scale: tuple[float, float] = (0.08, 0.3), columns: Any = None) -> Any:
    """Random crops of a batch, resampled to the input size: area and aspect (3/4 to 4/3) are random.

    Parameters
    ----------
    scale : (float, float)
        The least and the largest share of the area.
    columns : (int, int), optional
        Crop only between these columns.
    """
    part = images if columns is None else images[..., columns[0] : columns[1]]
    count, _, height, width = part.shape
    area = torch.empty(count).uniform_(*scale) * height * width
    aspect = torch.exp(torch.empty(count).uniform_(float(np.log(3 / 4)), float(np.log(4 / 3))))
    across = torch.sqrt(area * aspect).clamp(max=width) / width
    down = torch.sqrt(area / aspect).clamp(max=height) / height
    # In grid coordinates the image reaches from −1 to 1: a crop of share s has its middle within ±(1 − s).
    x = (2 * torch.rand(count) - 1) * (1 - across)
    y = (2 * torch.rand(count) - 1) * (1 - down)
    zero = torch.zeros(count)
    move = torch.stack([torch.stack([across, zero, x], 1), torch.stack([zero, down, y], 1)], 1)
    grid = torch.nn.functional.affine_grid(move, (count, part.shape[1], INPUT, INPUT), align_corners=False)
    return torch.nn.functional.grid_sample(part, grid, align_corners=False, padding_mode="border")


def _two_crops(torch: Any, images: Any) -> tuple[Any, Any]:
    return random_crops(torch, images), random_crops(torch, images)


def _network(torch: Any, channels: tuple[int, ...], width: int, out: int, inner: int) -> tuple[Any, Any]:
    nn = torch.nn
    layers: list[Any] = []
    last, side = 3, INPUT
    for wide in channels:
        layers += [nn.Conv2d(last, wide, 3, stride=2, padding=1), nn.BatchNorm2d(wide), nn.ReLU()]
        last, side = wide, (side + 1) // 2
    layers += [nn.Flatten(), nn.Linear(last * side * side, width), nn.BatchNorm1d(width), nn.ReLU()]
    projector: list[Any] = []
    for _ in range(inner):
        projector += [nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU()]
    return nn.Sequential(*layers), nn.Sequential(*projector, nn.Linear(width, out))


@dataclass(frozen=True, kw_only=True, eq=False)
class SmallEncoder:
    """A trained encoder: three convolutions and a projector."""

    backbone: Any
    projector: Any

    def encode(self, images: NDArray[Any], *, layer: Literal["projector", "backbone"] = "projector") -> Any:
        """Embeddings of images (count, 3, h, w), resampled to the input size, in evaluation mode."""
        choice("layer", layer, ("projector", "backbone"))
        torch = require_torch()
        out = []
        with torch.no_grad():
            for start in range(0, len(images), 1000):
                part = torch.from_numpy(np.ascontiguousarray(images[start : start + 1000], np.float32))
                if part.shape[-1] != INPUT or part.shape[-2] != INPUT:
                    part = torch.nn.functional.interpolate(part, (INPUT, INPUT), mode="bilinear", align_corners=False)
                code = self.backbone(part)
                out.append((self.projector(code) if layer == "projector" else code).numpy().astype(float))
        return np.concatenate(out)


def train_encoder(
    images: NDArray[Any],
    *,
    labels: NDArray[np.int64] | None = None,
    criterion: str = "simclr",
    epochs: int = 400,
    views: Views | None = None,
    batch: int = 64,
    rate: float = 2e-3,
    temperature: float = 0.15,
    invariance: float = 25.0,
    channels: tuple[int, ...] = (16, 32, 64),
    width: int = 128,
    inner: int = 2,
    dimension: int = 16,
    jitter: float = 0.0,
    rng: Rng | None = None,
    seen: Callable[[int, SmallEncoder], None] | None = None,
) -> SmallEncoder:
    """Train a small encoder on images (count, 3, h, w), self-supervised or on labels. Needs PyTorch.

    Both views go through the network in one pass: with batch statistics of their own the effect under test nearly
    vanishes. AdamW with weight decay 1e-6, 50 steps of warm-up, batches that are not full are left out.

    Parameters
    ----------
    criterion : {"simclr", "vicreg", "barlow", "byol", "dino", "supervised"}
    views : callable, optional
        Makes two views of a batch; by default two random crops of 8 to 30 % of the area.
    inner : int
        Hidden layers of the projector.
    jitter : float
        Strength of random brightness and contrast.
    seen : callable, optional
        Called with the epoch and the encoder so far after every epoch, for checkpoints.
    """
    choice("criterion", criterion, CRITERIA)
    integer("epochs", epochs, least=0)
    positive("rate", rate)
    if images.ndim != 4 or images.shape[1] != 3 or len(images) < 2:
        raise bad_input("images", images.shape, "at least two images as (count, 3, height, width)")
    if (criterion == "supervised") != (labels is not None):
        raise bad_input("labels", None if labels is None else len(labels), "labels for 'supervised', and only for it")
    batch = min(integer("batch", batch, least=2), len(images))
    with seeded_torch(rng) as torch:
        out = int(labels.max()) + 1 if labels is not None else dimension
        backbone, projector = _network(torch, channels, width, out, inner)
        data = torch.from_numpy(np.ascontiguousarray(images, np.float32))
        kinds = None if labels is None else torch.from_numpy(labels)
        task = _Task(torch, criterion, backbone, projector, out, temperature, invariance)
        steps = torch.optim.AdamW(task.parameters(), lr=rate, weight_decay=1e-6)
        warm = torch.optim.lr_scheduler.LambdaLR(steps, lambda step: min(1.0, (step + 1) / 50))
        made = SmallEncoder(backbone=backbone, projector=projector)
        for epoch in range(1, epochs + 1):
            backbone.train()
            projector.train()
            for chosen in batches(torch, len(data), batch, whole=True):
                part = data[chosen]
                both = torch.cat((views or _two_crops)(torch, part))
                if jitter:
                    both = _jittered(torch, both, jitter)
                error = task(both, None if kinds is None else kinds[chosen])
                steps.zero_grad()
                error.backward()
                steps.step()
                warm.step()
                task.after()
            backbone.eval()
            projector.eval()
            if seen is not None:
                seen(epoch, made)
        backbone.eval()
        projector.eval()
    return made


def _jittered(torch: Any, images: Any, strength: float) -> Any:
    size = (len(images), 1, 1, 1)
    contrast = 1 + strength * (2 * torch.rand(size) - 1)
    return images * contrast + strength * (torch.rand(size) - 0.5)


class _Task:
    """One training step of a criterion; BYOL and DINO keep a slowly moving teacher."""

    def __init__(
        self, torch: Any, criterion: str, backbone: Any, projector: Any, out: int, temperature: float, invariance: float
    ) -> None:
        self.torch, self.criterion = torch, criterion
        self.backbone, self.projector = backbone, projector
        self.temperature, self.invariance = temperature, invariance
        self.teacher: Any = None
        self.predictor: Any = None
        self.centre = torch.zeros(out)
        if criterion in ("byol", "dino"):
            nn = torch.nn
            self.teacher = copy.deepcopy(nn.Sequential(backbone, projector))
            if criterion == "byol":
                self.predictor = nn.Sequential(nn.Linear(out, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, out))

    def parameters(self) -> list[Any]:
        own = [*self.backbone.parameters(), *self.projector.parameters()]
        return own + ([] if self.predictor is None else list(self.predictor.parameters()))

    def __call__(self, both: Any, kinds: Any) -> Any:
        torch = self.torch
        code = self.projector(self.backbone(both))
        first, second = code.chunk(2)
        if self.criterion == "supervised":
            return torch.nn.functional.cross_entropy(code, torch.cat([kinds, kinds]))
        if self.criterion == "simclr":
            return simclr(torch, first, second, temperature=self.temperature)
        if self.criterion == "vicreg":
            return vicreg(torch, first, second, invariance=self.invariance)
        if self.criterion == "barlow":
            return barlow_twins(torch, first, second)
        with torch.no_grad():
            aim = self.teacher(both)
        one, two = aim.chunk(2)
        if self.criterion == "byol":
            guess = torch.nn.functional.normalize(self.predictor(code), dim=1)
            want = torch.nn.functional.normalize(torch.cat([two, one]), dim=1)
            return (2 - 2 * (guess * want).sum(1)).mean()
        want = torch.softmax((torch.cat([two, one]) - self.centre) / 0.04, dim=1)
        self.centre = 0.9 * self.centre + 0.1 * aim.mean(0)
        return -(want * torch.log_softmax(code / 0.1, dim=1)).sum(1).mean()

    def after(self) -> None:
        """Move the teacher one hundredth of the way to the student."""
        if self.teacher is None:
            return
        student = [*self.backbone.parameters(), *self.projector.parameters()]
        with self.torch.no_grad():
            for slow, fast in zip(self.teacher.parameters(), student, strict=True):
                slow.lerp_(fast, 0.01)
