"""A generative adversarial network whose discriminator learns by private gradients."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from sfumato.errors import bad_input
from sfumato.model.mechanisms.base import AdversarialGenerator, Floats
from sfumato.noise import Rng
from sfumato.noise.correlated import add_correlated_gaussian
from sfumato.promise import ApproxDP
from sfumato.promise.accountant import noise_for
from sfumato.validate import choice, integer, positive, probability

__all__ = ["PrivateGan"]

Accounting = Literal["rdp", "pld"]

_MARGIN = 1 - 1e-6
"""Norms are computed in single precision and clipped this much below the bound."""
_SUM_BITS, _NOISE_BITS = 34, 20
"""Sums are whole multiples of about 2⁻³⁴ of the clipping bound, noisy sums of 2⁻²⁰ of the noise."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PrivateGan(AdversarialGenerator):
    """A GAN under (ε, δ)-differential privacy for each record: DP-SGD on the discriminator alone.

    Each of ``steps`` steps takes every record with probability q = ``rate``. The gradient of −log D(x) of one record,
    with respect to all parameters of D, is clipped to C = ``clip``; the sum gets noise N(0, σ²C²·I) and is divided by
    the public q·``expected_records``. What D learns from generated records, and all that G learns, follows from noisy
    sums: it is post-processing.

    **Theorem.** One record more or less changes the sum by at most C, so that a step is the Poisson-sampled Gaussian
    mechanism with noise multiplier σ; σ is the least with which all steps together keep (ε, δ) (Abadi et al. 2016,
    accounting by Rényi divergences or privacy-loss distributions). The conditions: domains, the number of records that
    is made and ``expected_records`` are public.

    Parameters
    ----------
    epsilon, delta : float
    expected_records : int
        A public estimate of how many records there are; it only scales the steps.
    rate : float
        q.
    clip : float
        C.
    accounting : {"rdp", "pld"}

    Notes
    -----
    Clipped gradients are cut towards zero to a grid and added up in whole numbers; the sum with its noise is rounded to
    a grid as if computed in infinite precision, so that no low bits tell more.

    Examples
    --------
    >>> model = PrivateGan(epsilon=2.0, delta=1e-5, expected_records=1000)
    >>> print(model.guarantee)
    ε = 2, δ = 1e-05 per record (add-remove neighbours, central model)
    >>> round(model.noise_multiplier, 2)
    2.58
    """

    epsilon: float
    delta: float
    expected_records: int
    rate: float = 0.05
    clip: float = 1.0
    accounting: Accounting = "rdp"

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("epsilon", self.epsilon)
        probability("delta", self.delta)
        integer("expected_records", self.expected_records)
        probability("rate", self.rate, one=True)
        if not 2.0**-60 <= positive("clip", self.clip) <= 2.0**60:
            raise bad_input("clip", self.clip, "a bound between 2^-60 and 2^60", "the usual one is 1")
        choice("accounting", self.accounting, get_args(Accounting))

    @property
    def guarantee(self) -> ApproxDP:
        """(ε, δ)-DP for one record, added or removed."""
        return ApproxDP(self.epsilon, self.delta, neighbours="add-remove")

    @cached_property
    def noise_multiplier(self) -> float:
        """σ: the smallest noise multiplier with which all steps together keep the promise."""
        return noise_for(self.guarantee, count=self.steps, sampling_rate=self.rate, method=self.accounting)

    def _discriminator_gradient(self, torch: Any, judge: Any, real: Any, made: Any, rng: Rng) -> list[Any]:
        chosen = np.flatnonzero(rng.random(len(real)) < self.rate)
        total = self.noisy(self.clipped_sum(torch, judge, real[torch.from_numpy(chosen)]), rng)
        private = torch.from_numpy((total / (self.rate * self.expected_records)).astype(np.float32))
        fake = torch.autograd.grad(torch.nn.functional.softplus(judge(made)).mean(), list(judge.parameters()))
        out, start = [], 0
        for one in fake:
            out.append(one + private[start : start + one.numel()].reshape(one.shape))
            start += one.numel()
        return out

    def clipped_sum(self, torch: Any, judge: Any, rows: Any) -> Floats:
        """Σ g·min(1, C/‖g‖) over the rows, g the gradient of −log D(x): all that a step learns from data."""
        size = sum(one.numel() for one in judge.parameters())
        if not len(rows):
            return np.zeros(size)
        parameters = {name: value.detach() for name, value in judge.named_parameters()}

        def error(current: Any, row: Any) -> Any:
            score = torch.func.functional_call(judge, current, (row[None],))
            return torch.nn.functional.softplus(-score).sum()

        each = torch.func.vmap(torch.func.grad(error), in_dims=(None, 0))(parameters, rows)
        flat = torch.cat([one.reshape(len(rows), -1) for one in each.values()], dim=1).double()
        # A gradient that is not finite adds nothing; in parts of its largest entry no square over- or underflows.
        largest = flat.abs().amax(dim=1, keepdim=True)
        counts = torch.isfinite(largest) & (largest > 0)
        largest = torch.where(counts, largest, 1.0)
        scaled = torch.where(counts, flat / largest, 0.0)
        norm = torch.sqrt((scaled**2).sum(dim=1, keepdim=True))
        length = torch.minimum(largest, self.clip * _MARGIN / torch.where(counts, norm, 1.0))
        grid = _power_of_two(self.clip, _SUM_BITS)
        whole = torch.trunc(scaled * length / grid).to(torch.int64)  # towards zero: no norm grows
        total: Floats = whole.sum(dim=0).numpy() * grid
        return total

    def noisy(self, total: Floats, rng: Rng) -> Floats:
        """The sum with Gaussian noise of σC on every parameter, rounded to a grid."""
        deviation = self.noise_multiplier * self.clip
        padded = np.zeros(total.size + total.size % 2)
        padded[: total.size] = total
        grid = _power_of_two(deviation, _NOISE_BITS)
        noisy = add_correlated_gaussian(padded.reshape(-1, 2), np.eye(2) * deviation, grid, rng)
        return noisy.ravel()[: total.size]


def _power_of_two(scale: float, bits: int) -> float:
    """The power of two that is about 2^(−bits) of a scale."""
    return float(2.0 ** (math.floor(math.log2(scale)) - bits))
