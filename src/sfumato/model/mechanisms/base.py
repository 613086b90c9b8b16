"""Generators that are trained against a discriminator."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import is_frame, to_native_like
from sfumato.mechanism.base import Mechanism
from sfumato.model.core.cohort import trained_on
from sfumato.model.core.learning import require_torch, seeded_torch
from sfumato.model.core.vector_coding import VectorCoding
from sfumato.model.mechanisms.noisy_marginals import check_domains, is_range
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.validate import integer, positive

__all__ = ["AdversarialGenerator"]

Floats = NDArray[np.float64]

_SLOW = 0.99
"""Records are drawn from a moving average of the generator's weights: the game goes round in circles, the mean less."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AdversarialGenerator(Mechanism):
    """A generator G and a discriminator D, trained by min_G max_D E log D(x) + E log(1 − D(G(z))).

    Parameters
    ----------
    domains : mapping of str to list, optional
        As in :class:`~sfumato.model.NoisyMarginals`; without it, data are arrays of numbers in [−1, 1].
    label : str, optional
        A column of categories that G is told instead of making it: records of every class in equal numbers, each made
        for its class. D judges a record among those of its class.
    count : int
        How many records are made.
    steps, batch : int
        Training steps of D, and generated records in each.
    patience : int
        Steps of D for each of G.
    hidden, latent : int
        Widths of the networks and of the noise that G starts from.
    learning_rate : float
    """

    domains: Mapping[str, Sequence[Any]] | None = None
    label: str | None = None
    count: int = 1_000
    steps: int = 500
    batch: int = 256
    patience: int = 5
    hidden: int = 64
    latent: int = 8
    learning_rate: float = 0.002

    def __post_init__(self) -> None:
        if self.domains is not None:
            check_domains(self.domains)
        if self.label is not None and (
            self.domains is None or self.label not in self.domains or is_range(self.domains[self.label])
        ):
            raise bad_input("label", self.label, "a column of the domains with categories")
        if self.label is not None and self.domains is not None and len(self.domains) < 2:
            raise bad_input("label", self.label, "another column beside it")
        for name in ("count", "steps", "batch", "patience", "hidden", "latent"):
            integer(name, getattr(self, name))
        positive("learning_rate", self.learning_rate)
        require_torch()

    @abstractmethod
    def _judge(self, torch: Any, width: int) -> Any:
        """D: a network from vectors of so many numbers to one score each."""

    @abstractmethod
    def _judge_gradient(self, torch: Any, judge: Any, real: Any, made: Any, rng: Rng) -> list[Any]:
        """The gradient of D's loss for each of its parameters; ``real`` is what :meth:`_prepared` gave."""

    def _prepared(self, torch: Any, rows: Floats) -> Any:
        """The records as the discriminator's gradient takes them."""
        return torch.from_numpy(np.ascontiguousarray(rows, np.float32))

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """Records drawn from the trained generator, of the kind that came in."""
        generator, data = resolve_rng(rng), trained_on(data)
        coding = VectorCoding(self.domains)
        made = coding.records(self._trained(coding.vectors(data), generator), data)
        return to_native_like(made, data) if is_frame(data) else made

    def _label_places(self) -> slice:
        """Where the label stands in a vector; nowhere without one."""
        return slice(0, 0) if self.label is None else VectorCoding(self.domains).places(self.label)

    def _trained(self, rows: Floats, rng: Rng) -> Floats:
        with seeded_torch(rng) as torch:
            width = rows.shape[1]
            judge, maker = self._judge(torch, width), _maker(torch, width, self._label_places(), self)
            slow = copy.deepcopy(maker)
            real = self._prepared(torch, rows)
            # No momentum for D: with it, one noisy step is followed by ten more in its direction.
            first = torch.optim.Adam(judge.parameters(), lr=self.learning_rate, betas=(0.0, 0.99))
            second = torch.optim.Adam(maker.parameters(), lr=self.learning_rate, betas=(0.0, 0.9))
            for step in range(1, self.steps + 1):
                with torch.no_grad():
                    made = maker(self.batch)
                gradient = self._judge_gradient(torch, judge, real, made, rng)
                for parameter, one in zip(judge.parameters(), gradient, strict=True):
                    parameter.grad = one
                first.step()
                if step % self.patience == 0 or step == self.steps:
                    # G minimises −log D(G(z)): it sees the data only through D.
                    error = torch.nn.functional.softplus(-judge(maker(self.batch))).mean()
                    second.zero_grad()
                    error.backward(inputs=list(maker.parameters()))
                    second.step()
                    share = max(1 - _SLOW, 10 / (10 + step / self.patience))  # the first steps are soon forgotten
                    with torch.no_grad():
                        for old, new in zip(slow.parameters(), maker.parameters(), strict=True):
                            old.lerp_(new, share)
            with torch.no_grad():
                drawn: Floats = slow(self.count).double().numpy()
            return drawn


def _maker(torch: Any, width: int, places: slice, options: AdversarialGenerator) -> Any:
    nn = torch.nn
    classes = places.stop - places.start

    class Maker(torch.nn.Module):
        """Vectors from noise; those of a label are made for a class drawn at random."""

        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(
                *(nn.Linear(options.latent + classes, options.hidden), nn.ReLU()),
                *(nn.Linear(options.hidden, options.hidden), nn.ReLU()),
                *(nn.Linear(options.hidden, width - classes), nn.Tanh()),
            )

        def forward(self, count: int) -> Any:
            start = torch.randn(count, options.latent)
            if not classes:
                return self.body(start)
            told = torch.arange(count) % classes
            axis = torch.where(told[:, None] == torch.arange(classes), 1.0, -1.0)
            made = self.body(torch.cat([start, axis], dim=1))
            return torch.cat([made[:, : places.start], axis, made[:, places.start :]], dim=1)

    return Maker()
