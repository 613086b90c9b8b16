"""Generated samples from a variational auto-encoder."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import is_frame, to_native_like
from sfumato.mechanism.base import Mechanism
from sfumato.model.core.cohort import trained_on
from sfumato.model.core.image_networks import image_decoder, image_encoder, image_shape
from sfumato.model.core.learning import batches, require_torch, seeded_torch
from sfumato.model.core.nearest import points
from sfumato.model.core.vector_coding import VectorCoding
from sfumato.model.mechanisms.noisy_marginals import check_domains
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.promise import NoGuarantee
from sfumato.validate import choice, integer, positive

__all__ = ["TrainedAutoencoder", "VariationalAutoencoder"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainedAutoencoder:
    """A trained variational auto-encoder of vectors between −1 and 1."""

    encoder: Any
    decoder: Any
    latent: int

    def sample(self, count: int, *, truncation: float | None = None, rng: Rng | None = None) -> Floats:
        """Samples; with ``truncation`` every latent number is drawn again until it is at most that far from 0."""
        with seeded_torch(rng) as torch, torch.no_grad():
            start = torch.randn(integer("count", count), self.latent)
            while truncation is not None and bool((far := start.abs() > truncation).any()):
                start[far] = torch.randn(int(far.sum()))
            made: Floats = torch.sigmoid(self.decoder(start)).double().numpy()
        return 2 * made - 1

    def bound(self, rows: ArrayLike, *, rng: Rng | None = None) -> float:
        """The mean evidence lower bound of vectors, in nats (one draw of the code for each)."""
        shown = points("rows", rows)
        with seeded_torch(rng) as torch, torch.no_grad():
            data = torch.from_numpy(np.ascontiguousarray((shown + 1) / 2, np.float32))
            parts = [_negative_bound(torch, self.encoder, self.decoder, data[s : s + 4096]) * len(data[s : s + 4096])
                     for s in range(0, len(data), 4096)]  # fmt: skip
            return -float(sum(parts)) / len(data)


@dataclass(frozen=True, kw_only=True, eq=False)
class VariationalAutoencoder(Mechanism):
    """A variational auto-encoder, fitted to the records: copies more, the larger its code is (Meehan 2023, §2.4).

    The encoder has layers of 8d, 4d and 2d for a code of d numbers, and the decoder the same the other way round; for
    images both can be convolutional. Trained on binary cross-entropy plus the divergence of the codes. Nothing bounds
    what it keeps of a record.

    Parameters
    ----------
    latent : int
        d.
    truncation : float, optional
        Draw only latent numbers at most that far from 0: samples are more typical, less varied, and closer to training
        records. It stands in for the truncation of large GANs.
    network : {"dense", "convolutional"}
    domains : mapping of str to list, optional
        As in :class:`~sfumato.model.NoisyMarginals`; without it, data are arrays of numbers in [−1, 1].
    count : int, optional
        How many samples; by default as many as came in.
    epochs, batch : int
    learning_rate : float

    Examples
    --------
    >>> print(VariationalAutoencoder().guarantee)
    no guarantee: a network that was trained without noise can keep any record, and some it copies
    """

    latent: int = 20
    truncation: float | None = None
    network: Literal["dense", "convolutional"] = "dense"
    domains: Mapping[str, Sequence[Any]] | None = None
    count: int | None = None
    epochs: int = 20
    batch: int = 128
    learning_rate: float = 1e-3

    def __post_init__(self) -> None:
        for name in ("latent", "epochs", "batch"):
            integer(name, getattr(self, name))
        if self.truncation is not None and positive("truncation", self.truncation) < 0.01:
            raise bad_input("truncation", self.truncation, "at least 0.01", "all samples would be one")
        if self.count is not None:
            integer("count", self.count)
        if self.domains is not None:
            check_domains(self.domains)
        positive("learning_rate", self.learning_rate)
        choice("network", self.network, ("dense", "convolutional"))
        require_torch()

    @property
    def guarantee(self) -> NoGuarantee:
        """None."""
        return NoGuarantee("a network that was trained without noise can keep any record, and some it copies")

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """Samples of the kind that came in."""
        generator, data = resolve_rng(rng), trained_on(data)
        coding = VectorCoding(self.domains)
        rows = coding.vectors(data)
        shape = None if is_frame(data) else image_shape(np.shape(data)[1:])
        model = self.train(rows, shape=shape, rng=generator)
        count = len(rows) if self.count is None else self.count
        made = coding.records(model.sample(count, truncation=self.truncation, rng=generator), data)
        return to_native_like(made, data) if is_frame(data) else made

    def train(
        self, rows: ArrayLike, *, shape: tuple[int, int, int] | None = None, rng: Rng | None = None
    ) -> TrainedAutoencoder:
        """Fit it to vectors between −1 and 1; images of a ``shape`` (rows, columns, colours) come flat."""
        shown = points("rows", rows)
        if self.network == "convolutional" and shape is None:
            raise bad_input("network", "convolutional", "images: (count, rows, columns), or with colours last")
        with seeded_torch(rng) as torch:
            data = torch.from_numpy(np.ascontiguousarray((shown + 1) / 2, np.float32))
            encoder, decoder = self._networks(torch, shown.shape[1], shape)
            steps = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=self.learning_rate)
            for _ in range(self.epochs):
                for chosen in batches(torch, len(data), min(self.batch, len(data)), whole=True):
                    error = _negative_bound(torch, encoder, decoder, data[chosen])
                    steps.zero_grad()
                    error.backward()
                    steps.step()
            return TrainedAutoencoder(encoder=encoder.eval(), decoder=decoder.eval(), latent=self.latent)

    def _networks(self, torch: Any, width: int, shape: tuple[int, int, int] | None) -> tuple[Any, Any]:
        if self.network == "convolutional" and shape is not None:
            return image_encoder(torch, shape, 2 * self.latent), image_decoder(torch, shape, self.latent)
        wide = [8 * self.latent, 4 * self.latent, 2 * self.latent]
        nn = torch.nn

        def stack(*sizes: int) -> Any:
            layers: list[Any] = []
            for first, second in itertools.pairwise(sizes):
                layers += [nn.Linear(first, second), nn.ReLU()]
            return nn.Sequential(*layers[:-1])

        return stack(width, *wide, 2 * self.latent), stack(self.latent, *wide[::-1], width)


def _negative_bound(torch: Any, encoder: Any, decoder: Any, part: Any) -> Any:
    mean, log_variance = encoder(part).chunk(2, dim=1)
    log_variance = log_variance.clamp(-12, 6)
    code = mean + torch.randn_like(mean) * torch.exp(log_variance / 2)
    rebuilt = torch.nn.functional.binary_cross_entropy_with_logits(decoder(code), part, reduction="none").sum(1)
    away = 0.5 * (mean**2 + torch.exp(log_variance) - 1 - log_variance).sum(1)
    return (rebuilt + away).mean()
