"""Published mistakes of private rewriting, each on a latent or matrix small enough that the law is known.

- ADePT adds Laplace noise for the L₂ norm of a clipped latent; the L₁ norm counts, which is √d times as large.
- Entries brought to [0, 1] one by one, with noise for a sensitivity of 1: d entries have d.
- tanh of every coordinate bounds the L∞ norm; noise for the L₁ norm needs 2d.
- Laplace noise by an inverse CDF with the sign lost: half of the law is missing.
- Noise scaled by attention to the text itself (Fischer Thm 3 used outside its condition).
- Noise on the author's part of a latent, sold as a promise for the whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Guarantee, MetricDP, PureDP

GRID = 2.0**-20
Mistake = Literal["none", "L2", "entry-wise", "tanh", "one-sided", "partial"]


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyLatent(Mechanism):
    """A latent in R^d with Laplace noise of scale Δ/ε on every number, for the Δ that the variant believes in."""

    mistake: Mistake
    epsilon: float = 1.0

    @property
    def guarantee(self) -> Guarantee:
        return PureDP(self.epsilon, unit="document", neighbours="any-pair", model="local")

    def bounded(self, data: Any) -> Any:
        """The latent, bounded as the variant does it."""
        x = np.asarray(data, float)
        if not isinstance(data, (tuple, list)) or x.ndim != 1 or not np.isfinite(x).all():
            raise bad_input("data", data, "a list of finite numbers")
        if self.mistake == "entry-wise":
            return np.clip(x, 0.0, 1.0)
        if self.mistake == "tanh":
            return np.tanh(x)
        return x / max(1.0, float(np.linalg.norm(x)))

    def scale(self, size: int) -> float:
        """Δ/ε with the Δ that is believed; the true L₁ one is 2√d in the unit ball."""
        believed = {"entry-wise": 1.0, "tanh": 2.0, "L2": 2.0}.get(self.mistake, 2 * math.sqrt(size))
        return believed / self.epsilon

    def log_density(self, output: Any, data: Any) -> Any:
        x = self.bounded(data)
        scale = self.scale(len(x))
        apart = (np.asarray(output, float) - x) / scale
        law = -np.abs(apart) - math.log(2 * scale)
        if self.mistake == "one-sided":
            law = np.where(apart >= 0, -apart - math.log(scale), -np.inf)
        if self.mistake == "partial":  # the first number leaves as it is, on its grid
            law[:, 0] = np.where(np.abs(output[:, 0] - x[0]) < 1e-9, 0.0, -np.inf)
        return law.sum(axis=-1)

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        x, generator = self.bounded(data), resolve_rng(rng)
        scale = self.scale(len(x))
        noise = generator.laplace(scale=scale, size=len(x))
        if self.mistake == "one-sided":
            noise = np.abs(noise)  # −b·log(1 − 2|u|) without sgn(u)
        if self.mistake == "partial":
            noise[0] = 0.0
        return np.rint((x + noise) / GRID) * GRID


@dataclass(frozen=True, kw_only=True, eq=False)
class AttentiveNoise(Mechanism):
    """X + A⊙Z for two words of two numbers; A is the softmax of a function of X, or fixed."""

    fixed: bool = False
    epsilon: float = 0.7

    @property
    def guarantee(self) -> Guarantee:
        """The thesis: (ε/min a)·‖X₁ − X₂‖₁, here with the least a that any of the inputs has."""
        least = min(float(self.attention(x).min()) for x in (NEAR, FAR))
        return MetricDP(self.epsilon / least, "manhattan", unit="document", neighbours="any-pair", model="local")

    def attention(self, data: Any) -> Any:
        x = np.asarray(data, float).reshape(2, 2)
        scores = np.tile([0.5, -0.5], (2, 1)) if self.fixed else x @ x.T @ x
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return (shares / shares.sum(axis=1, keepdims=True)).ravel()

    def log_density(self, output: Any, data: Any) -> Any:
        x, scale = np.asarray(data, float), self.attention(data) / self.epsilon
        return -(np.abs(np.asarray(output, float) - x) / scale + np.log(2 * scale)).sum(axis=-1)

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        x = np.asarray(data, float)
        if x.shape != (4,) or not np.isfinite(x).all():
            raise bad_input("data", data, "two words of two numbers")
        noisy = x + self.attention(data) / self.epsilon * resolve_rng(rng).laplace(size=4)
        return np.rint(noisy / GRID) * GRID


NEAR, FAR = (1.0, 0.0, 0.0, 1.0), (0.9, 0.2, 0.1, 0.8)
_D = 9


def _latent(mistake: Mistake, x: Any, y: Any) -> AuditCase:
    ends = np.array([x, y], float)
    outputs = np.concatenate([shift + ends * s for s in (0.0, 1.0, 50.0, -50.0) for shift in (0.0,)])
    return AuditCase(
        name=f"noisy latent, {mistake}",
        mechanism=NoisyLatent(mistake=mistake),
        pairs=[(x, y)],
        outputs=outputs,
        expected="holds" if mistake == "none" else "broken",
        source="Weggenmann §10 (a)–(d), (g)",
    )


_BALL = (tuple([1 / math.sqrt(_D)] * _D), tuple([-1 / math.sqrt(_D)] * _D))
_CUBE = (tuple([1.0] * _D), tuple([0.0] * _D))
_WIDE = (tuple([9.0] * _D), tuple([-9.0] * _D))


def _attentive(fixed: bool) -> AuditCase:
    directions = np.random.default_rng(0).choice([-1.0, 1.0], size=(64, 4))
    return AuditCase(
        name="attention to public texts" if fixed else "attention to the text itself",
        mechanism=AttentiveNoise(fixed=fixed),
        pairs=[(NEAR, FAR)],
        outputs=np.concatenate([np.array(NEAR) + far * directions for far in (0.0, 1.0, 10.0, 100.0, 1e4)]),
        expected="holds" if fixed else "broken",
        source="Fischer Thm 3, §7.2",
    )


CASES = [
    _latent("L2", *_BALL),
    _latent("entry-wise", *_CUBE),
    _latent("tanh", *_WIDE),
    _latent("one-sided", *_BALL),
    _latent("partial", *_BALL),
    _attentive(False),
]
SOUND = [_latent("none", *_BALL), _attentive(True)]
"""The same without the mistake: the auditor must let them pass."""
