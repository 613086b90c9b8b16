"""Audit cases of the textbook mechanisms."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.auditor.case import AuditCase
from sfumato.mechanism.bounded_number import BoundedNumber
from sfumato.mechanism.exponential import Exponential
from sfumato.mechanism.gaussian import Gaussian
from sfumato.mechanism.laplace import Laplace
from sfumato.mechanism.multivariate_gaussian import MultivariateGaussian
from sfumato.mechanism.planar_laplace import PlanarLaplace
from sfumato.mechanism.randomized_response import RandomizedResponse
from sfumato.mechanism.smooth_gaussian import SmoothGaussian
from sfumato.noise.entropy import Rng

__all__ = ["audit_cases"]

_BAD_NUMBERS = (math.nan, math.inf, "7", None, [1.0, math.nan], [[1.0], [1.0, 2.0]], True)
_BAD_POINTS = ([math.nan, 0.0], [1.0], [[1.0, 2.0, 3.0]], 4.0, ["a", "b"])


def audit_cases() -> list[AuditCase]:
    """A case for every textbook mechanism, and for each of its forms."""
    return [*_laplace(), *_gaussian(), *_vectors(), *_choices()]


def _tails(mechanism: Any, scale: float, reach: float = 1e4) -> NDArray[np.float64]:
    """Grid points close to zero and up to ``reach`` scales away, on both sides."""
    half = np.concatenate([np.linspace(0, 3, 200), np.geomspace(3, reach, 200)]) * scale
    steps = np.unique(np.round(np.concatenate([-half, half]) / mechanism.step))
    return steps * mechanism.step


def _repeated(mechanism: Any, data: Any, count: int, rng: Rng) -> Any:
    """Independent releases of one point in one call, for mechanisms that treat rows apart."""
    return mechanism.release(np.tile(np.asarray(data, float), (count, 1)), rng=rng)


def _each(mechanism: Any, data: Any, count: int, rng: Rng) -> Any:
    """The same for numbers, labels and arrays of them: every one gets noise of its own."""
    return mechanism.release(np.tile(np.asarray(data), (count, *[1] * np.ndim(data))), rng=rng)


def _laplace() -> list[AuditCase]:
    unit = Laplace(epsilon=1.0, sensitivity=1.0)
    small = Laplace(epsilon=0.01, sensitivity=5.0, neighbours="add-remove")
    count = Laplace(epsilon=0.7, sensitivity=2.0, grid=1.0)
    vector = Laplace(epsilon=2.0, sensitivity=3.0)
    local = BoundedNumber(epsilon=1.5, low=-1.0, high=2.0)
    source = "Weggenmann M1; Mimoto Thm 2.1; Fischer Thm 1"
    return [
        AuditCase(
            mechanism=unit,
            sampler=partial(_each, unit),
            pairs=[(0.0, 1.0), (0.3, 0.3 + 1e-12)],
            outputs=_tails(unit, 1.0, 100.0),
            bad=_BAD_NUMBERS,
            source=source,
        ),
        AuditCase(
            mechanism=small,
            sampler=partial(_each, small),
            pairs=[(-2.0, 3.0)],
            outputs=_tails(small, 500.0),
            bad=_BAD_NUMBERS,
            name="Laplace, small ε",
            source=source,
        ),
        AuditCase(
            mechanism=count,
            sampler=partial(_each, count),
            pairs=[(10, 12), (0, 1)],
            outputs=np.arange(-200.0, 200.0),
            bad=[*_BAD_NUMBERS, 0.5],
            name="Laplace, whole numbers",
            source="Ghosh, Roughgarden, Sundararajan 2009",
        ),
        AuditCase(
            mechanism=vector,
            sampler=partial(_each, vector),
            pairs=[(np.zeros(3), np.ones(3)), (np.zeros(3), np.array([3.0, 0.0, 0.0]))],
            bad=_BAD_NUMBERS,
            name="Laplace, vector",
            source=source,
        ),
        AuditCase(
            mechanism=local,
            sampler=partial(_each, local),
            pairs=[(-1.0, 2.0), (0.0, 1e-9)],
            outputs=_tails(local, 2.0, 100.0),
            bad=[*_BAD_NUMBERS, 2.1, -1.1],
            source=source,
        ),
    ]


def _gaussian() -> list[AuditCase]:
    forms = {
        "Gaussian": Gaussian(epsilon=1.0, delta=1e-5, sensitivity=1.0),
        "Gaussian, large ε": Gaussian(epsilon=8.0, delta=1e-6, sensitivity=1.0),
        "Gaussian, classical": Gaussian(epsilon=0.5, delta=1e-5, sensitivity=1.0, method="classical"),
        "Gaussian, given σ": Gaussian(sigma=2.0, sensitivity=1.0),
    }
    count = Gaussian(epsilon=1.0, delta=1e-5, sensitivity=1.0, grid=1.0)
    smooth = SmoothGaussian(epsilon=0.5, delta=1e-3)
    tuned = SmoothGaussian(epsilon=3.0, delta=1e-3, constants="tuned")
    wrong = [*_BAD_NUMBERS, (1.0, 0.0), (1.0, -1.0), (math.nan, 1.0), ([1.0, 2.0], 1.0)]
    return [
        *(
            AuditCase(
                mechanism=mechanism,
                sampler=partial(_each, mechanism),
                pairs=[(0.0, 1.0), (0.0, 1e-6)],
                outputs=_tails(mechanism, mechanism.scale, 30.0),
                bad=_BAD_NUMBERS,
                name=name,
                source="Weggenmann M2, M3; Fischer Thm 2; Canonne, Kamath, Steinke 2020",
            )
            for name, mechanism in forms.items()
        ),
        AuditCase(
            mechanism=count,
            sampler=partial(_each, count),
            pairs=[(10, 11)],
            outputs=np.arange(-150.0, 170.0),
            bad=[*_BAD_NUMBERS, 0.5],
            name="Gaussian, whole numbers",
            source="Canonne, Kamath, Steinke 2020",
        ),
        *(
            AuditCase(
                mechanism=mechanism,
                pairs=[
                    ((0.0, 1.0), (1.0, math.exp(mechanism.beta))),
                    ((0.0, 1.0), (1.0, 1.0)),
                    ((0.0, 1.0), (0.5, 0.99)),
                ],
                outputs=np.linspace(-40, 40, 4001) * mechanism.scale(1.0),
                bad=wrong,
                name=f"SmoothGaussian, {mechanism.constants}",
                source="Mimoto Thm 2.2; Nissim, Raskhodnikova, Smith 2007",
                same_kind=False,
            )
            for mechanism in (smooth, tuned)
        ),
    ]


def _vectors() -> list[AuditCase]:
    plane = PlanarLaplace(epsilon=0.5)
    space = PlanarLaplace(epsilon=2.0, dimension=5)
    covariance = [[4.0, 1.0], [1.0, 9.0]]
    correlated = MultivariateGaussian(covariance=covariance, sensitivity=1.0)
    farthest = np.array([1.5, -1.0])
    farthest = farthest / correlated.norm(farthest)[0] * (1 - 1e-12)
    return [
        AuditCase(
            mechanism=plane,
            pairs=[(np.zeros(2), np.array([3.0, 4.0])), (np.zeros(2), np.array([1e-3, 0.0]))],
            bad=_BAD_POINTS,
            source="Weggenmann M5; Andrés et al. 2013",
            sampler=lambda data, count, rng: _repeated(plane, data, count, rng),
        ),
        AuditCase(
            mechanism=space,
            pairs=[(np.zeros(5), np.ones(5))],
            bad=[np.zeros(4), *_BAD_POINTS],
            name="PlanarLaplace, 5 dimensions",
            source="Weggenmann M5; Fischer B9",
            sampler=lambda data, count, rng: _repeated(space, data, count, rng),
        ),
        AuditCase(
            mechanism=correlated,
            pairs=[(np.zeros(2), farthest)],
            bad=[np.zeros(3), *_BAD_POINTS],
            source="Weggenmann M4",
            sampler=lambda data, count, rng: _repeated(correlated, data, count, rng),
        ),
    ]


def _choices() -> list[AuditCase]:
    scores = np.linspace(0.0, 5.0, 6)
    ahead = scores + np.array([1.0, -1.0, -1.0, -1.0, -1.0, -1.0])
    many = np.zeros(1000)
    answers, labels = (
        RandomizedResponse(epsilon=epsilon, categories=categories)
        for epsilon, categories in ((1.0, 4), (0.1, ["no", "yes"]))
    )
    bad_scores: tuple[Any, ...] = ([], [math.nan, 1.0], [math.inf, 0.0], np.zeros((2, 2, 2)), ["a"], 3.0)
    return [
        AuditCase(
            mechanism=Exponential(epsilon=1.0, sensitivity=1.0),
            pairs=[(scores, ahead), (many, many + np.where(np.arange(1000) == 7, 1.0, -1.0))],
            bad=bad_scores,
            source="Weggenmann M6; McSherry, Talwar 2007",
            same_kind=False,
        ),
        AuditCase(
            mechanism=Exponential(epsilon=1.0, sensitivity=1.0, monotonic=True, neighbours="add-remove"),
            pairs=[(scores, scores + np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]))],
            outputs=np.arange(6),
            bad=bad_scores,
            name="Exponential, monotonic",
            source="McSherry, Talwar 2007",
            same_kind=False,
        ),
        AuditCase(
            mechanism=answers,
            sampler=partial(_each, answers),
            pairs=[(0, 3), (1, 2)],
            outputs=np.arange(4),
            bad=[4, -1, 0.5, "a", math.nan],
            source="Meehan SH1; Warner 1965",
        ),
        AuditCase(
            mechanism=labels,
            sampler=partial(_each, labels),
            pairs=[("no", "yes")],
            outputs=np.array(["no", "yes"]),
            bad=["maybe", "", 1],
            name="RandomizedResponse, labels",
            source="Warner 1965",
        ),
    ]
