"""Weggenmann ch. 7: the rows that judge its figures on laws, the poll and the order of its groups."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from reproduction._rows import recipe
from sfumato.direction import (
    SphericalCap,
    WrappedLaplace,
    sample_size,
    simulated_sample_size,
)
from sfumato.direction.core.angular_law import AngularLaw
from sfumato.direction.data.sleep import make_sleep_survey
from sfumato.direction.mechanisms.polar_laplace import PolarLaplaceLaw
from sfumato.direction.mechanisms.purkayastha import PurkayasthaLaw
from sfumato.direction.mechanisms.von_mises_fisher import VonMisesFisherLaw
from sfumato.direction.mechanisms.wrapped_laplace import WrappedLaplaceLaw
from sfumato.noise import seeded_rng

DIMENSIONS = (2, 3, 25, 50, 100, 500)
EPSILONS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
LAWS: dict[str, type[AngularLaw]] = {
    "Pur": PurkayasthaLaw,
    "VMF": VonMisesFisherLaw,
    "WL": WrappedLaplaceLaw,
}


@recipe()
def sampling_rate() -> list[dict[str, float]]:
    """Fig. 7.4: directions drawn in a CPU second, by dimension and κ; the best of five, since the machine is shared."""
    found = []
    for n in (2, 3, 25, 100, 500, 1000, 10_000, 30_000):
        for kappa in (0.1, 1.0, 10.0, 100.0, 1000.0):
            law, mean = PurkayasthaLaw(n, kappa), np.eye(1, n)[0]
            size = 16
            while _seconds(law, mean, size) < 0.05:
                size *= 2
            best = min(_seconds(law, mean, size) for _ in range(5))
            found.append({"n": n, "kappa": kappa, "per_second": size / best})
    return found


def _seconds(law: AngularLaw, mean: np.ndarray, size: int) -> float:
    started = time.process_time()
    law.sample(mean, seeded_rng(0), size=size)
    return time.process_time() - started


@recipe()
def angular_formulas() -> list[dict[str, float]]:
    """Figs 7.5–7.7: means and distribution functions against samples; gaps are the largest over 500 places."""
    draws, rng, found = 100_000, seeded_rng(6), []
    for n in DIMENSIONS:
        for power in range(-3, 4):
            vmf, pur = VonMisesFisherLaw(n, 10.0**power), PurkayasthaLaw(n, 10.0**power)
            row: dict[str, float] = {"n": n, "kappa": 10.0**power}
            for name, law, exact in (("vmf", vmf, vmf.mean_chord), ("pur", pur, pur.mean_angle)):
                angles = np.sort(law.sample_angles(draws, rng))
                errors = 2 * np.sin(angles / 2) if name == "vmf" else angles
                row[f"{name}_z"] = float((errors.mean() - exact) / (errors.std() / math.sqrt(draws)))
                at = np.arange(0, draws, draws // 500)
                row[f"{name}_gap"] = float(np.abs(law.cdf(angles[at]) - at / draws).max())
                row[f"{name}_mix_gap"] = float(
                    np.abs(1 - law.cdf(angles[at]) - law.cosine_cdf(np.cos(angles[at]))).max()
                )
            row["pur_mean"], row["vmf_mean"] = pur.mean_angle, vmf.mean_angle
            found.append(row)
    return found


@recipe()
def humbert_series() -> list[dict[str, float]]:
    """(7.20), the distribution function of the VMF mixture as printed (Φ₁), against quadrature."""
    found = []
    for n in (2, 3, 4, 5, 10, 25):
        for kappa in (0.5, 2.0, 10.0):
            law = VonMisesFisherLaw(n, kappa)
            for t in (-0.5, 0.2, 0.6):
                printed = _mixture_cdf(n, kappa, t)
                found.append({"n": n, "kappa": kappa, "t": t, "printed": printed, "ours": float(law.cosine_cdf(t))})
    return found


def _mixture_cdf(n: int, kappa: float, t: float) -> float:
    """x^α Φ₁(α, 1 − α, 1 + α; x, 2κx) / (α B(α, α) M(α; 2α; 2κ)) with α = (n − 1)/2, x = (t + 1)/2."""
    import mpmath

    a, x = mpmath.mpf(n - 1) / 2, mpmath.mpf(t + 1) / 2
    y = 2 * kappa * x
    total, term, m = mpmath.mpf(0), mpmath.mpf(1), 0
    while m < 2000 and term != 0:
        step = term * mpmath.hyp1f1(a + m, 1 + a + m, y)
        total += step
        if m > 5 and abs(step) < abs(total) * mpmath.mpf(10) ** -14:
            break
        term *= (a + m) * (1 - a + m) / ((1 + a + m) * (m + 1)) * x
        m += 1
    return float(x**a * total / (a * mpmath.beta(a, a) * mpmath.hyp1f1(a, 2 * a, 2 * kappa)))


@recipe()
def baseline_angles() -> dict[str, Any]:
    """Figs 7.2 and 7.3: expected angles of the baselines over κ in [.01, 10]."""
    grid = np.geomspace(0.01, 10, 61)
    names = {"Pur2": (PurkayasthaLaw, 2), "WL": (WrappedLaplaceLaw, 2), "Pur3": (PurkayasthaLaw, 3)}
    found: dict[str, Any] = {name: [law(n, k).mean_angle for k in grid] for name, (law, n) in names.items()}
    found["Polar"] = [PolarLaplaceLaw(3, k).mean_angle for k in grid]
    return found | {"kappa": grid.tolist(), "Polar at 2/pi": PolarLaplaceLaw(3, 2 / math.pi).mean_angle}


@recipe()
def sample_sizes() -> dict[str, dict[str, Any]]:
    """Fig. 7.8 whole: releases until the mean is within .1 rad, by law and ε; simulated at ε = 1 (1000 runs)."""
    found: dict[str, dict[str, Any]] = {}
    for epsilon in (0.1, 1.0, 10.0):
        laws: dict[str, AngularLaw] = {
            "n = 2, Pur": PurkayasthaLaw(2, epsilon / math.pi),
            "n = 2, VMF": VonMisesFisherLaw(2, epsilon / math.pi),
            "n = 2, VMF, Δ₂": VonMisesFisherLaw(2, epsilon / 2),
            "n = 2, WL": WrappedLaplaceLaw(2, epsilon / math.pi),
            "n = 3, Pur": PurkayasthaLaw(3, epsilon / math.pi),
            "n = 3, VMF": VonMisesFisherLaw(3, epsilon / math.pi),
            "n = 3, VMF, Δ₂": VonMisesFisherLaw(3, epsilon / 2),
            "n = 3, Polar": PolarLaplaceLaw(3, epsilon / math.pi),
        }
        for name, law in laws.items():
            one = found.setdefault(name, {})
            expected = sample_size(law, 0.1)
            one[f"{epsilon:g}"] = expected if math.isfinite(expected) else None
            if epsilon == 1.0 and expected < 20_000:
                one["simulated"] = simulated_sample_size(
                    law, 0.1, repeats=1000, most=int(1.5 * expected) + 50, rng=seeded_rng(8)
                )
        found.setdefault("n = 2, CL", {})[f"{epsilon:g}"] = _clipped_size(epsilon / math.pi)
    return found


def _clipped_size(kappa: float) -> float | None:
    """The same for an angle of 0 clipped to [−π, π): N ≈ (2/π) E sin²θ / (τ E cosθ)², if E cosθ > 0."""
    rng = seeded_rng(4)
    angles = np.clip(rng.laplace(0, 1 / kappa, 2_000_000), -math.pi, math.pi)
    cosine = float(np.cos(angles).mean())
    spread = float(np.sin(angles).var())
    return 2 / math.pi * spread / (0.1 * cosine) ** 2 if cosine > 5 / math.sqrt(angles.size) else None


@recipe()
def sleep_errors() -> dict[str, Any]:
    """Fig. 7.9b: MAE in hours; central by expectation with the error of 10 000 runs, local by 3 000 runs."""
    found: dict[str, Any] = {"central": [], "error": [], "local": {}}
    for epsilon in EPSILONS:
        laws = [law(2, epsilon / math.pi) for law in LAWS.values()]
        means = [12 / math.pi * law.mean_angle for law in laws]
        found["central"].append(means)
        found["error"].append(
            [
                law.expect(lambda t, m=m: (12 / math.pi * t - m) ** 2) ** 0.5 / 100
                for law, m in zip(laws, means, strict=True)
            ]
        )
    for people, spread in ((1376, 1.76), (1508, 2.0)):
        rng = seeded_rng(9)
        turn = rng.normal(7.0, spread, people) * (2 * math.pi / 24)
        rows = []
        for epsilon in EPSILONS:
            rows.append([_local_error(law(2, epsilon / math.pi), turn, 3000, rng) for law in LAWS.values()])
        found["local"][f"{people} answers, sd {spread:g} h"] = rows
    return found


def _local_error(law: AngularLaw, turn: np.ndarray, repeats: int, rng: np.random.Generator) -> float:
    target = math.atan2(np.sin(turn).mean(), np.cos(turn).mean())
    total, block = 0.0, max(1, 400_000 // len(turn))
    for start in range(0, repeats, block):
        size = min(block, repeats - start)
        noise = law.sample_angles(size * len(turn), rng).reshape(size, -1)
        noise *= np.where(rng.random(noise.shape) < 0.5, 1.0, -1.0)
        noise += turn
        means = np.arctan2(np.sin(noise).mean(axis=1), np.cos(noise).mean(axis=1))
        total += float(np.abs(np.mod(means - target + math.pi, 2 * math.pi) - math.pi).sum())
    return 12 / math.pi * total / repeats


@recipe()
def rank_agreement() -> dict[str, dict[str, list[float]]]:
    """Fig. 7.10: Spearman's ρ of four group means, 3 000 runs, WL nominal and tight; mean and its standard error."""
    survey, found = make_sleep_survey(), {}
    turns = [survey.hour.ravel()[survey.group == group] * (2 * math.pi / 24) for group in range(4)]
    true = np.array([_mean_turn(turn[None])[0] for turn in turns])
    order = np.argsort(np.argsort(np.mod(true + math.pi, 2 * math.pi)))
    for epsilon in (0.1, 1.0, 10.0):
        laws: dict[str, AngularLaw] = {
            "Pur": PurkayasthaLaw(2, epsilon / math.pi),
            "VMF": VonMisesFisherLaw(2, epsilon / math.pi),
            "VMF-d2": VonMisesFisherLaw(2, epsilon / 2),
            "WL": WrappedLaplaceLaw(2, epsilon / math.pi),
            "WL tight": WrappedLaplace(pure=epsilon).law(2),
            "cap": SphericalCap(pure=epsilon).law(2),
        }
        for name, law in laws.items():
            rng = seeded_rng(10)
            local = _group_means(law, turns, 3000, rng)
            central = _mean_turn(_noisy(law, np.tile(true, 3000)[:, None], rng)).reshape(3000, 4)
            for model, means in (("local", local), ("central", central)):
                ranks = np.argsort(np.argsort(np.mod(means + math.pi, 2 * math.pi), axis=1), axis=1)
                scores = 1 - 6 * ((ranks - order) ** 2).sum(axis=1) / 60
                found.setdefault(f"{model}, ε = {epsilon:g}", {})[name] = [
                    float(scores.mean()), float(scores.std() / math.sqrt(len(scores)))
                ]  # fmt: skip
    return found


def _group_means(law: AngularLaw, turns: list[np.ndarray], repeats: int, rng: np.random.Generator) -> np.ndarray:
    blocks = []
    for _ in range(0, repeats, 250):
        blocks.append(np.stack([_mean_turn(_noisy(law, np.tile(turn, (250, 1)), rng)) for turn in turns], axis=1))
    return np.concatenate(blocks)


def _noisy(law: AngularLaw, turn: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    noise = law.sample_angles(turn.size, rng).reshape(turn.shape)
    return turn + noise * np.where(rng.random(turn.shape) < 0.5, 1.0, -1.0)


def _mean_turn(turn: np.ndarray) -> np.ndarray:
    return np.arctan2(np.sin(turn).mean(axis=1), np.cos(turn).mean(axis=1))


@recipe()
def pure_central_error() -> list[dict[str, float]]:
    """§7.4.3 under pure ε-DP: the central error in hours by the law that each may use."""
    found = []
    for epsilon in np.geomspace(0.1, 1000, 41):
        found.append(
            {
                "epsilon": float(epsilon),
                "Pur": 12 / math.pi * PurkayasthaLaw(2, epsilon / math.pi).mean_angle,
                "VMF-d2": 12 / math.pi * VonMisesFisherLaw(2, epsilon / 2).mean_angle,
                "WL": 12 / math.pi * WrappedLaplaceLaw(2, epsilon / math.pi).mean_angle,
                "WL tight": 12 / math.pi * WrappedLaplace(pure=float(epsilon)).law(2).mean_angle,
            }
        )
    return found


@recipe()
def flipped_mean() -> dict[str, float]:
    """How far one of three records turns the circular mean (t = (α, π − α, ±π/2)), as angle and chord."""
    means = [_mean_turn(np.array([[0.01, math.pi - 0.01, side * math.pi / 2]]))[0] for side in (1, -1)]
    angle = abs(means[0] - means[1])
    return {"angle": float(min(angle, 2 * math.pi - angle)), "chord": float(2 * math.sin(angle / 2))}
