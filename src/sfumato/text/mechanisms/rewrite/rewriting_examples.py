"""Small cases of the mechanisms that write texts anew, with networks of a few random weights."""

from __future__ import annotations

import importlib.util
import itertools
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.auditor import AuditCase
from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.text.core.corpus import check_texts
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.mechanisms.rewrite.code_response import CodeResponse
from sfumato.text.mechanisms.rewrite.code_vae import CodeVae
from sfumato.text.mechanisms.rewrite.dp_vae import DpVae
from sfumato.text.mechanisms.rewrite.plain_vae import PlainVae
from sfumato.text.mechanisms.rewrite.private_training import PrivateTraining
from sfumato.text.mechanisms.rewrite.rewriting_design import Latent, RewritingDesign
from sfumato.text.mechanisms.rewrite.rewriting_model import RewritingModel
from sfumato.text.mechanisms.rewrite.split_latents import AverageAae, DpAae
from sfumato.text.mechanisms.rewrite.tokeniser import Tokeniser
from sfumato.validate import finite_array

__all__ = ["BAD_TEXTS", "REVIEWS", "ReleasedCode", "ReleasedLatent", "TrainingStep", "random_model", "rewriting_cases"]

BAD_TEXTS: tuple[Any, ...] = (3, None, b"tea", ["tea", 3], "tea \udc80")
REVIEWS = PublicPool.of(
    ["a fine old film", "a fine warm play", "a dull old film", "a dull cold play", "warm and fine", "cold and dull"],
    topics=["good", "good", "bad", "bad", "good", "bad"],
    source="made up",
)
"""Six public reviews, good and bad."""


@lru_cache(maxsize=8)
def random_model(latent: Latent, *, size: int = 1, hidden: int = 4) -> RewritingModel:
    """A network of a few random weights that tells some texts apart."""
    words = Tokeniser(words=("a", "fine", "dull", "film", "play", "."), longest=6, source="made up")
    design = RewritingDesign(
        latent=latent,
        size=size,
        author_size=1,
        embedding=4,
        hidden=hidden,
        labels=("bad", "good"),
        topics=2,
        authors=("ann", "bob"),
    )
    return RewritingModel.untrained(words, design, seed=3)


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleasedLatent(DpVae):
    """The noisy latents of one text, shape (sentences, size): N(R·tanh*(μ), σ²·I) each."""

    def release(self, data: Any, *, rng: Rng | None = None, keep: Any = ()) -> Any:
        return self.draw(data, 1, resolve_rng(rng))[0]

    def centre(self, data: Any) -> NDArray[np.float64]:
        """The means, which are all that the text adds."""
        return self.bounded_means(self.sentence_ids(check_texts([data]))[0])

    def draw(self, data: Any, count: int, rng: Rng) -> NDArray[np.float64]:
        """``count`` independent releases."""
        ids, _ = self.sentence_ids(check_texts([data]))
        drawn = self.draw_latents(np.tile(ids, (count, 1)), rng)
        return drawn.reshape(count, len(ids), -1)

    def log_density(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """The log-density at each output (first axis)."""
        apart = (np.asarray(output, float) - self.centre(data)) / self.sigma
        size = apart[0].size
        return np.asarray(
            -0.5 * (apart**2).reshape(len(apart), -1).sum(axis=1)
            - size * (0.5 * math.log(2 * math.pi) + math.log(self.sigma))
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleasedCode(CodeVae):
    """The code of one text after randomised response."""

    def release(self, data: Any, *, rng: Rng | None = None, keep: Any = ()) -> Any:
        return int(self.draw(data, 1, resolve_rng(rng))[0])

    def draw(self, data: Any, count: int, rng: Rng) -> NDArray[np.int64]:
        """``count`` independent releases."""
        code = self.model.codes(check_texts([data]))
        return np.asarray(self.response.release(np.repeat(code, count), rng=rng), np.int64)

    def log_prob(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """The log-probability of each code."""
        return self.response.log_prob(output, int(self.model.codes(check_texts([data]))[0]))


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainingStep(PrivateTraining, Mechanism):
    """One step of private training over all texts, each of which is given by its gradient (a row of ``data``).

    It releases N(Σ clip(g)/n, (σC/n)²·I) with n = ``expected_texts``; the rest of the training repeats this step,
    samples texts for it, and post-processes.
    """

    steps: int = 1
    rate: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, needed in (("steps", 1), ("rate", 1.0)):
            if getattr(self, name) != needed:
                raise bad_input(name, getattr(self, name), str(needed))

    @property
    def deviation(self) -> float:
        """The standard deviation of each released number."""
        return self.noisy_steps.deviation / self.expected_texts

    def mean(self, data: Any) -> NDArray[np.float64]:
        """What is released without noise."""
        gradients = finite_array("data", data, ndim=2)
        return self.clipped_sum(gradients, gradients.shape[1]) / self.expected_texts

    def release(self, data: Any, *, rng: Rng | None = None) -> NDArray[np.float64]:
        """What the step follows."""
        gradients = finite_array("data", data, ndim=2)
        return self.noisy_mean(gradients, gradients.shape[1], resolve_rng(rng))

    def log_density(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """The log-density at each output (first axis)."""
        apart = (np.asarray(output, float) - self.mean(data)) / self.deviation
        size = apart.shape[1]
        return np.asarray(
            -0.5 * (apart**2).sum(axis=1) - size * (0.5 * math.log(2 * math.pi) + math.log(self.deviation))
        )

    def draw(self, data: Any, count: int, rng: Rng) -> NDArray[np.float64]:
        """``count`` independent releases, with the noise of all at once."""
        total = np.tile(self.mean(data) * self.expected_texts, (count, 1))
        return self.noisy_steps.noisy(total, rng) / self.expected_texts


def rewriting_cases() -> list[AuditCase]:
    """Every mechanism that writes a text anew: the latent or code with its exact law, and the texts themselves."""
    texts = ["a fine film", "dull dull play", "", "neither of them"]
    pairs = list(itertools.combinations(texts, 2))
    response = CodeResponse(epsilon=2.0, pool=REVIEWS, topics=2)
    cases = [
        AuditCase(
            name="CodeResponse",
            mechanism=response,
            pairs=pairs,
            outputs=list(REVIEWS.texts),
            bad=BAD_TEXTS,
            sampler=response.draw,
            source="randomised response of a public code",
        )
    ]
    cases.append(_training_step())
    if importlib.util.find_spec("torch") is None:
        return cases
    latent = ReleasedLatent(epsilon=1.0, delta=1e-4, model=random_model("bounded"))
    code = ReleasedCode(epsilon=2.0, model=random_model("code", size=2))
    cases += [
        AuditCase(
            name="DpVae, its latent",
            mechanism=latent,
            pairs=pairs,
            bad=BAD_TEXTS,
            sampler=latent.draw,
            source="Weggenmann V2, §6.3",
            part_of=DpVae,
            same_kind=False,
        ),
        AuditCase(
            name="CodeVae, its code",
            mechanism=code,
            pairs=pairs,
            outputs=np.arange(code.model.design.codes),
            bad=BAD_TEXTS,
            sampler=code.draw,
            source="randomised response of a quantised latent",
            part_of=CodeVae,
            same_kind=False,
        ),
    ]
    whole: list[tuple[Any, str]] = [
        (DpVae(epsilon=1.0, delta=1e-4, model=latent.model, unit="sentence", sentences=2), "Weggenmann V2"),
        (CodeVae(epsilon=2.0, model=code.model, sentences=1), "a quantised latent"),
        (PlainVae(model=random_model("plain")), "Weggenmann V1"),
        (AverageAae(model=random_model("split")), "Weggenmann V3"),
        (DpAae(model=random_model("split")), "Weggenmann V4"),
    ]
    return cases + [
        AuditCase(
            name=f"{type(mechanism).__name__}, its texts",
            mechanism=mechanism,
            pairs=pairs[:1],
            bad=BAD_TEXTS,
            sampler=mechanism.draw,
            samples=1000,
            source=source,
        )
        for mechanism, source in whole
    ]


def _training_step() -> AuditCase:
    """A text more: one whose gradient is clipped, and one whose is not."""
    step = TrainingStep(epsilon=1.0, delta=1e-4, expected_texts=2)
    few = np.array([[0.5], [-0.25]])
    return AuditCase(
        name="PrivateTraining, one step",
        mechanism=step,
        pairs=[(few, np.append(few, [[30.0]], axis=0)), (few[:1], few)],
        bad=[np.array([[np.nan]]), np.zeros(3), "seven", [["tea"]]],
        sampler=step.draw,
        source="Abadi et al. 2016",
        part_of=PrivateTraining,
    )
