"""A generative adversarial network with noise inside its discriminator: published as private, and not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.model.mechanisms.base import AdversarialGenerator
from sfumato.noise import Rng
from sfumato.promise import NoGuarantee
from sfumato.validate import positive

__all__ = ["NoiseLayerGan"]


@dataclass(frozen=True, kw_only=True, eq=False)
class NoiseLayerGan(AdversarialGenerator):
    """A GAN with a Gaussian noise layer before the discriminator's output (Fischer 2021, §2.4.3): heuristic.

    The input of the last layer is clipped to ``clip`` in the Euclidean norm and gets noise of ``noise``·``clip``. That
    makes the *output* of D private for one evaluation. The weights of D below the layer are moved by gradients that use
    the raw record all the same, and D's weights steer G: nothing is proved.

    Parameters
    ----------
    noise : float
        The standard deviation, in parts of the clipping bound.
    clip : float

    Examples
    --------
    >>> print(NoiseLayerGan().guarantee)
    no guarantee: the discriminator's weights below the noise layer learn from raw records, and they steer the generator
    """

    noise: float = 1.0
    clip: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("noise", self.noise, zero=True)
        positive("clip", self.clip)

    @property
    def guarantee(self) -> NoGuarantee:
        """None."""
        return NoGuarantee(
            "the discriminator's weights below the noise layer learn from raw records, and they steer the generator"
        )

    def _judge(self, torch: Any, width: int) -> Any:
        clip, spread = self.clip, self.noise * self.clip

        class NoiseLayer(torch.nn.Module):
            """Clip each row, then add noise."""

            def forward(self, rows: Any) -> Any:
                norm = rows.norm(dim=1, keepdim=True).clamp(min=1e-12)
                return rows * torch.clamp(clip / norm, max=1.0) + spread * torch.randn_like(rows)

        nn = torch.nn
        return nn.Sequential(nn.Linear(width, self.hidden), nn.LeakyReLU(0.2), NoiseLayer(), nn.Linear(self.hidden, 1))

    def _judge_gradient(self, torch: Any, judge: Any, real: Any, made: Any, rng: Rng) -> list[Any]:
        chosen = torch.from_numpy(rng.integers(len(real), size=min(self.batch, len(real))).astype(np.int64))
        soft = torch.nn.functional.softplus
        error = soft(-judge(real[chosen])).mean() + soft(judge(made)).mean()
        return list(torch.autograd.grad(error, list(judge.parameters())))
