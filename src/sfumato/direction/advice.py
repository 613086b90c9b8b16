"""Choice of a mechanism: the one with the least expected error under a given promise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sfumato.direction.core.angular_law import AngularLaw
from sfumato.direction.core.directional import DirectionalMechanism
from sfumato.direction.mechanisms.purkayastha import Purkayastha
from sfumato.direction.mechanisms.spherical_cap import Criterion, SphericalCap
from sfumato.direction.mechanisms.von_mises_fisher import VonMisesFisher
from sfumato.direction.mechanisms.wrapped_laplace import WrappedLaplace
from sfumato.errors import bad_input
from sfumato.validate import choice, integer, positive

__all__ = ["Advice", "Candidate", "choose"]


@dataclass(frozen=True)
class Candidate:
    """A mechanism that keeps the promise, and its expected error."""

    mechanism: DirectionalMechanism
    error: float
    note: str

    @property
    def name(self) -> str:
        return type(self.mechanism).__name__


@dataclass(frozen=True)
class Advice:
    """Result of :func:`choose`: the best mechanism, the reason, and all candidates from best to worst."""

    mechanism: DirectionalMechanism
    reason: str
    candidates: Sequence[Candidate]

    def __str__(self) -> str:
        lines = [f"{c.error:10.4g}  {c.name:16}{c.note}" for c in self.candidates]
        return "\n".join([self.reason, *lines])


def choose(
    n: int,
    *,
    epsilon: float | None = None,
    level: float | None = None,
    radius: float | None = None,
    pure: float | None = None,
    sensitivity: float | None = None,
    metric: Literal["angle", "chord"] = "angle",
    criterion: Criterion = "angle",
    graceful: bool = False,
) -> Advice:
    """The mechanism with the least expected error among those that keep the promise.

    Parameters
    ----------
    n : int
        Ambient dimension: 2 for angles and times of day, 3 for places, the length of an embedding.
    epsilon : float
        Promise ε·d in the ``metric`` (arc length, or chord).
    level, radius : float
        Promise ℓ between inputs within ``radius`` radians, ε = ℓ / radius per radian; a mechanism that is bound to
        chords spends ℓ on the chord 2 sin(radius/2).
    pure : float
        Promise pure ε-differential privacy between inputs at most ``sensitivity`` radians apart (default π, any two).
    metric : {"angle", "chord"}
        The distance of ``epsilon`` and of ``radius``.
    criterion : {"angle", "chord", "cosine"}
        The expected error to make small: E[θ], E[d₂], or 1 − E[cosθ] for averages of many releases.
    graceful : bool
        Only mechanisms whose loss shrinks with the distance of the inputs, so that near ones are hidden better than
        ``pure`` asks for. Leaves out the spherical cap.

    Examples
    --------
    >>> choose(2, pure=1.0).mechanism.__class__.__name__
    'SphericalCap'
    >>> [choose(2, pure=e, graceful=True).mechanism.__class__.__name__ for e in (1.0, 5.0)]
    ['VonMisesFisher', 'WrappedLaplace']
    >>> choose(3, epsilon=2.0).mechanism.__class__.__name__
    'Purkayastha'
    >>> choose(3, epsilon=2.0, metric="chord").mechanism.__class__.__name__
    'VonMisesFisher'
    >>> [round(one.mechanism.kappa, 3) for one in choose(3, level=1.0, radius=2.0).candidates]
    [0.5, 0.594]
    """
    n = integer("n", n, least=2)
    choice("metric", metric, ("angle", "chord"))
    choice("criterion", criterion, ("angle", "chord", "cosine"))
    if pure is not None:
        if epsilon is not None or level is not None or radius is not None:
            raise bad_input("calibration", pure, "exactly one of epsilon, level with radius, or pure")
        found = _under_pure(n, positive("pure", pure), sensitivity, criterion, graceful)
    else:
        if sensitivity is not None:
            raise bad_input("sensitivity", sensitivity, "None without pure")
        asked = Purkayastha(epsilon=epsilon, level=level, radius=radius)  # checks the combination
        found = _under_metric(n, asked.kappa, metric) if epsilon is not None else _within(n, asked, metric)
    rated = [Candidate(mechanism, _error(mechanism.law(n), criterion), note) for mechanism, note in found]
    rated.sort(key=lambda candidate: candidate.error)
    return Advice(rated[0].mechanism, _reason(rated, criterion), rated)


def _error(law: AngularLaw, criterion: Criterion) -> float:
    if criterion == "cosine":
        return 1 - law.mean_cosine
    return law.mean_angle if criterion == "angle" else law.mean_chord


def _under_pure(
    n: int, pure: float, sensitivity: float | None, criterion: Criterion, graceful: bool
) -> list[tuple[DirectionalMechanism, str]]:
    angle = math.pi if sensitivity is None else positive("sensitivity", sensitivity)
    if angle > math.pi:
        raise bad_input("sensitivity", angle, "radians in (0, π]")
    whole = angle == math.pi
    scope = {} if whole else {"neighbours": "replace-one"}

    def within(arc: float) -> dict[str, object]:
        return {} if whole else {"sensitivity": arc}

    chord = 2 * math.sin(angle / 2)
    found: list[tuple[DirectionalMechanism, str]] = [
        (
            VonMisesFisher(pure=pure, **within(chord), **scope),  # type: ignore[arg-type]
            f"spends ε on the chord Δ₂ = {chord:.4g}, shorter than the arc",
        ),
        (
            Purkayastha(pure=pure, **within(angle), **scope),  # type: ignore[arg-type]
            f"spends ε on the arc Δ∠ = {angle:.4g}",
        ),
    ]
    if not graceful:
        note = "optimal when any two directions are adjacent; gains nothing from a smaller sensitivity"
        found.append((SphericalCap(pure=pure, criterion=criterion, **scope), note))  # type: ignore[arg-type]
    if n == 2:
        for calibration in ("tight", "nominal"):
            circle = WrappedLaplace(pure=pure, calibration=calibration, **within(angle), **scope)  # type: ignore[arg-type]
            found.append((circle, f"{calibration} calibration on the circle"))
    return found


def _under_metric(n: int, epsilon: float, metric: str) -> list[tuple[DirectionalMechanism, str]]:
    """Under ε·d₂, a mechanism bound to arcs must take ε·2/π, since an arc is up to π/2 times its chord."""
    if metric == "angle":
        found: list[tuple[DirectionalMechanism, str]] = [
            (Purkayastha(epsilon=epsilon), "the Laplace mechanism of the sphere, attains ε·d∠ at every distance"),
            (VonMisesFisher(epsilon=epsilon), "keeps the stronger promise ε·d₂ as well"),
        ]
        if n == 2:
            found.append((WrappedLaplace(epsilon=epsilon), "tight calibration: κ·tanh κπ = ε"))
        return found
    bound, why = epsilon * 2 / math.pi, "at ε·2/π per arc, since an arc is up to π/2 times its chord"
    found = [
        (VonMisesFisher(epsilon=epsilon), "attains ε·d₂ at every distance"),
        (Purkayastha(epsilon=bound), why),
    ]
    return [*found, (WrappedLaplace(epsilon=bound), why)] if n == 2 else found


def _within(n: int, asked: Purkayastha, metric: str) -> list[tuple[DirectionalMechanism, str]]:
    """Each mechanism spends the level on the radius in its own distance, as it does when a user builds it."""
    level, radius = float(asked.level or 0.0), float(asked.radius or 0.0)
    if metric == "chord":
        if radius > 2:
            raise bad_input("radius", radius, "a chord of the unit sphere, at most 2")
        radius = 2 * math.asin(radius / 2)
    found: list[tuple[DirectionalMechanism, str]] = [
        (Purkayastha(level=level, radius=radius), f"spends ℓ on the arc {radius:.4g}"),
        (VonMisesFisher(level=level, radius=radius), f"spends ℓ on the chord {2 * math.sin(radius / 2):.4g}"),
    ]
    if n == 2:
        found.append((WrappedLaplace(level=level, radius=radius), "tight calibration: κ·tanh κπ = ℓ/r"))
    return found


def _reason(rated: Sequence[Candidate], criterion: Criterion) -> str:
    best = rated[0]
    what = {"angle": "arc-length error", "chord": "chord error", "cosine": "shrinkage 1 − E[cosθ]"}[criterion]
    text = f"{best.name} has the least expected {what}, {best.error:.4g}: {best.note}"
    other = next((c for c in rated[1:] if c.name != best.name), None)
    if other is not None and best.error > 0:
        text += f"; next is {other.name} with {other.error / best.error - 1:.1%} more"
    return text
