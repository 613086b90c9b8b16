"""An auto-encoder for windows of motion sensors that keeps the activity and loses the person."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism.base import Mechanism
from sfumato.model.anonymisers.adversarial_encoder import class_labels, entropy_of
from sfumato.model.core.learning import batches, seeded_torch
from sfumato.model.data.motion import MotionSplit
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.promise import NoGuarantee
from sfumato.validate import finite_array, integer, positive

__all__ = ["AnonymisedWindows", "MotionAutoencoder", "train_window_network", "window_network"]

Floats = NDArray[np.float64]

_REASON = "a learned anonymiser hides only on average, and only from adversaries like those it was tried against"


def window_network(nn: Any, channels: int, length: int, classes: int, *, filters: int = 32, hidden: int = 64) -> Any:
    """A classifier of windows (channels, length): three convolutions with pooling, two dense layers."""
    layers: list[Any] = []
    last, left = channels, length
    for _ in range(3):
        layers += [nn.Conv1d(last, filters, 5, padding=2), nn.BatchNorm1d(filters), nn.ReLU(), nn.MaxPool1d(2)]
        last, left = filters, left // 2
    layers += [nn.Flatten(), nn.Linear(last * left, hidden), nn.ReLU(), nn.Dropout(0.25), nn.Linear(hidden, classes)]
    return nn.Sequential(*layers)


def train_window_network(
    windows: Floats, labels: NDArray[np.int64], *, epochs: int, rng: Rng | None = None, batch: int = 128
) -> Any:
    """A classifier trained from nothing; gives the log-probabilities of windows."""
    with seeded_torch(rng) as torch:
        net = window_network(torch.nn, windows.shape[1], windows.shape[2], int(labels.max()) + 1)
        x = torch.from_numpy(np.ascontiguousarray(windows, np.float32))
        y = torch.from_numpy(labels)
        steps = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-4)
        falling = torch.optim.lr_scheduler.CosineAnnealingLR(steps, epochs)
        for _ in range(epochs):
            for chosen in batches(torch, len(x), batch, whole=True):
                error = torch.nn.functional.cross_entropy(net(x[chosen]), y[chosen])
                steps.zero_grad()
                error.backward()
                steps.step()
            falling.step()
        net.eval()

    def told(shown: Floats) -> Floats:
        with torch.no_grad():
            parts = [
                torch.log_softmax(
                    net(torch.from_numpy(np.ascontiguousarray(shown[start : start + 4096], np.float32))), 1
                )
                for start in range(0, len(shown), 4096)
            ]
        return torch.cat(parts).double().numpy()

    return told


@dataclass(frozen=True, kw_only=True, eq=False)
class AnonymisedWindows:
    """A trained auto-encoder of windows; what it makes promises nothing."""

    encoder: Any
    decoder: Any
    centre: Floats
    spread: Floats
    information: float
    """The mean divergence of a code from pure noise, in nats: no adversary learns more than that from a window."""

    @property
    def guarantee(self) -> NoGuarantee:
        """None: the bound on information is a mean over the windows that were seen."""
        return NoGuarantee(_REASON)

    def release(self, windows: ArrayLike, *, rng: Rng | None = None) -> Floats:
        """The windows as they leave: coded with noise, and decoded."""
        shown = _windows("windows", windows)
        if shown.shape[1:] != (len(self.centre), self.encoder.length):
            raise bad_input("windows", shown.shape, f"windows of {len(self.centre)} × {self.encoder.length}")
        out = []
        with seeded_torch(rng) as torch, torch.no_grad():
            for start in range(0, len(shown), 4096):
                part = (shown[start : start + 4096] - self.centre[:, None]) / self.spread[:, None]
                mean, log_variance = self.encoder(torch.from_numpy(part.astype(np.float32)))
                code = mean + torch.randn_like(mean) * torch.exp(log_variance / 2)
                out.append(self.decoder(code).double().numpy())
        return np.concatenate(out) * self.spread[:, None] + self.centre[:, None]


@dataclass(frozen=True, kw_only=True, eq=False)
class MotionAutoencoder(Mechanism):
    """Windows rebuilt from a noisy code that was trained to tell the activity and not the person.

    The loss is CE(activity | output) + λ·[max(0, H − CE(person | code)) + max(0, H − CE(person | output))] +
    β·KL(code ‖ noise) + ``distortion``·MSE: the three terms of Malekzadeh et al. 2019 (Fischer 2021, §2.4.4) with the
    clamped surrogate of the adversary, convolutions throughout, and a bottleneck. The mean KL bounds what any adversary
    can learn from a window, also one that was not trained against; it is a mean and no promise.

    Parameters
    ----------
    weight : float
        λ.
    bottleneck : float
        β.
    distortion : float
        How much the released window should look like the raw one.
    dimension : int
        Numbers in a code.
    epochs : int
        Of each of the three stages: auto-encoder and activity; adversaries; all in turn.
    filters : int
        Of each convolution.
    """

    weight: float = 1.0
    bottleneck: float = 0.05
    distortion: float = 0.01
    dimension: int = 16
    epochs: int = 10
    filters: int = 32

    def __post_init__(self) -> None:
        for name in ("weight", "bottleneck", "distortion"):
            positive(name, getattr(self, name), zero=True)
        for name in ("dimension", "epochs", "filters"):
            integer(name, getattr(self, name))

    @property
    def guarantee(self) -> NoGuarantee:
        """None."""
        return NoGuarantee(_REASON)

    def release(self, data: MotionSplit, *, rng: Rng | None = None) -> MotionSplit:
        """Both parts of the windows, by an auto-encoder that was trained on the first."""
        generator = resolve_rng(rng)
        model = self.train(data.train.windows, data.train.activity, data.train.person, rng=generator)
        parts = [part._replace(windows=model.release(part.windows, rng=generator)) for part in (data.train, data.test)]
        return dataclasses.replace(data, train=parts[0], test=parts[1])

    def train(
        self, windows: ArrayLike, activity: ArrayLike, person: ArrayLike, *, rng: Rng | None = None
    ) -> AnonymisedWindows:
        """The auto-encoder of labelled windows (count, channels, length). Needs PyTorch."""
        shown = _windows("windows", windows)
        wanted, secret = (
            class_labels(name, labels, len(shown)) for name, labels in (("activity", activity), ("person", person))
        )
        centre, spread = shown.mean(axis=(0, 2)), shown.std(axis=(0, 2))
        spread = np.where(spread > 0, spread, 1.0)
        with seeded_torch(rng) as torch:
            job = _Training(torch, self, shown.shape[1:], wanted, secret)
            data = torch.from_numpy(((shown - centre[:, None]) / spread[:, None]).astype(np.float32))
            for stage in ("keep", "hunt", "both"):
                for _ in range(self.epochs):
                    for chosen in batches(torch, len(data), 128, whole=True):
                        job.step(stage, data[chosen], chosen)
            job.encoder.eval()
            job.decoder.eval()
            with torch.no_grad():
                pieces = [job.divergence(*job.encoder(data[s : s + 4096])) for s in range(0, len(data), 4096)]
                information = float(torch.cat(pieces).mean())
        return AnonymisedWindows(
            encoder=job.encoder, decoder=job.decoder, centre=centre, spread=spread, information=information
        )


def _windows(name: str, value: ArrayLike) -> Floats:
    array = finite_array(name, value)
    if array.ndim != 3 or not len(array) or array.shape[2] % 8:
        raise bad_input(name, array.shape, "windows as (count, channels, length), the length a multiple of 8")
    return array


class _Training:
    """The networks, and one step of each stage."""

    def __init__(self, torch: Any, options: MotionAutoencoder, shape: Any, wanted: Any, secret: Any) -> None:
        nn = torch.nn
        channels, length = shape
        self.torch, self.options = torch, options
        self.encoder = _encoder(torch, channels, length, options.filters, options.dimension)
        self.decoder = _decoder(nn, channels, length, options.filters, options.dimension)
        people = int(secret.max()) + 1
        self.keeper = window_network(nn, channels, length, int(wanted.max()) + 1)
        self.on_output = window_network(nn, channels, length, people)
        self.on_code = nn.Sequential(
            nn.Linear(options.dimension, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, people)
        )
        self.y, self.z = torch.from_numpy(wanted), torch.from_numpy(secret)
        self.entropy = entropy_of(secret)
        own = [*self.encoder.parameters(), *self.decoder.parameters(), *self.keeper.parameters()]
        self.kept = torch.optim.Adam(own, lr=1e-3)
        self.hunted = torch.optim.Adam([*self.on_output.parameters(), *self.on_code.parameters()], lr=1e-3)

    def divergence(self, mean: Any, log_variance: Any) -> Any:
        """KL(N(mean, variance) ‖ N(0, 1)) of each code."""
        return 0.5 * (mean**2 + self.torch.exp(log_variance) - 1 - log_variance).sum(1)

    def step(self, stage: str, part: Any, chosen: Any) -> None:
        torch, options = self.torch, self.options
        cross = torch.nn.functional.cross_entropy
        mean, log_variance = self.encoder(part)
        code = mean + torch.randn_like(mean) * torch.exp(log_variance / 2)
        out = self.decoder(code)
        if stage != "keep":
            hunt = cross(self.on_code(code.detach()), self.z[chosen])
            hunt = hunt + cross(self.on_output(out.detach()), self.z[chosen])
            self.hunted.zero_grad()
            hunt.backward()
            self.hunted.step()
        if stage == "hunt":
            return
        error = cross(self.keeper(out), self.y[chosen]) + options.distortion * ((out - part) ** 2).mean()
        error = error + options.bottleneck * self.divergence(mean, log_variance).mean()
        if stage == "both":
            for told in (self.on_code(code), self.on_output(out)):
                error = error + options.weight * torch.relu(self.entropy - cross(told, self.z[chosen]))
        self.kept.zero_grad()
        error.backward()
        self.kept.step()


def _encoder(torch: Any, channels: int, length: int, filters: int, dimension: int) -> Any:
    nn = torch.nn

    class Encoder(torch.nn.Module):
        """Mean and log-variance of the code of a window."""

        def __init__(self) -> None:
            super().__init__()
            self.length = length
            layers: list[Any] = []
            last = channels
            for place in range(4):
                layers += [nn.Conv1d(last, filters, 5, padding=2), nn.BatchNorm1d(filters), nn.SELU()]
                layers += [nn.MaxPool1d(2)] * (place > 0)
                last = filters
            self.body = nn.Sequential(*layers, nn.Flatten(), nn.Linear(filters * length // 8, 2 * dimension))

        def forward(self, windows: Any) -> Any:
            mean, log_variance = self.body(windows).chunk(2, dim=1)
            return mean, log_variance.clamp(-10, 4)

    return Encoder()


def _decoder(nn: Any, channels: int, length: int, filters: int, dimension: int) -> Any:
    layers: list[Any] = [
        nn.Linear(dimension, filters * length // 8),
        nn.SELU(),
        nn.Unflatten(1, (filters, length // 8)),
    ]
    for _ in range(3):
        layers += [nn.ConvTranspose1d(filters, filters, 4, stride=2, padding=1), nn.BatchNorm1d(filters), nn.SELU()]
    return nn.Sequential(*layers, nn.Conv1d(filters, channels, 3, padding=1))
