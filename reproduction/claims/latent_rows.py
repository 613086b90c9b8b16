"""Weggenmann ch. 6 and §7.3.4: small numbers on latent codes and on a sampler, each with its judge."""

from __future__ import annotations

import math
from typing import Any

from reproduction._rows import recipe
from reproduction.claims.claim import Finding

TABLE_6_1 = {
    "IMDb": {
        "original": (0.89, 0.47), "V-VAE": (0.74, 0.34), "DP-VAE": (0.16, 0.00), "AVG-AAE": (0.24, 0.34),
        "DP-AAE": (0.21, 0.38),
    },
    "Yelp": {
        "original": (0.83, 0.43), "V-VAE": (0.66, 0.37), "DP-VAE": (0.15, 0.07), "AVG-AAE": (0.31, 0.35),
        "DP-AAE": (0.32, 0.39),
    },
}  # fmt: skip
"""MCC of author and sentiment by the adaptive SVM, as printed."""


@recipe()
def latent_levels() -> dict[str, Any]:
    """ε of the DP-VAE at δ = 1e-6 by Proposition 2.11, its best α, and exactly; and the prior's mass within R = 3."""
    from scipy.stats import chi2

    from sfumato.promise.calibration import gaussian_epsilon

    found: dict[str, Any] = {"sigma": {}, "mass": {}}
    for sigma in (1.0, 14.2, 38.8):
        c = 18 / sigma**2
        best = 1 + math.sqrt(math.log(1e6) / c)
        loose = c + 2 * math.sqrt(c * math.log(1e6))
        found["sigma"][f"{sigma:g}"] = [loose, best, float(gaussian_epsilon(1e-6, sigma, 6.0))]
    for d in (1, 2, 8, 16, 32):
        found["mass"][str(d)] = float(chi2.cdf(9, d))
    return found


def judge_latent_levels(row: Any) -> Finding:
    """34.539 ≳ ε ≳ .815."""
    high, low = row["sigma"]["1"], row["sigma"]["38.8"]
    words = (
        f"{high[0]:.2f} and {low[0]:.3f} by Proposition 2.11, {high[2]:.1f} and {low[2]:.3f} exactly, for one sentence"
    )
    holds = abs(high[0] - 34.539) < 0.05 and abs(low[0] - 0.815) < 0.005
    return Finding(holds, f"{words}; 34.539 is 15·ln 10")


def judge_orders(row: Any) -> Finding:
    """α = 13.398 for σ = 14.2."""
    return Finding(
        abs(row["sigma"]["14.2"][1] - 13.398) < 0.01,
        f"α = {row['sigma']['14.2'][1]:.2f} at σ = 14.2; 13.398 belongs to σ = 14.15",
    )


def judge_prior_mass(row: Any) -> Finding:
    """99.7 % of the prior lie within R = 3."""
    shown = ", ".join(f"{value:.1%} at d = {d}" for d, value in row["mass"].items())
    return Finding(row["mass"]["8"] > 0.99, f"{shown}: true of one dimension only")


@recipe()
def trade_offs() -> dict[str, dict[str, float]]:
    """Table 6.1, adaptive SVM, MCC: sentiment and author as shares of the original, and their difference."""
    found: dict[str, dict[str, float]] = {}
    for data, rows in TABLE_6_1.items():
        author, mood = rows["original"]
        found[data] = {name: b / mood - a / author for name, (a, b) in rows.items() if name != "original"}
    return found


def judge_trade_offs(row: Any) -> Finding:
    """DP-AAE is slightly better than AVG-AAE, on both sets."""
    gaps = [row[data]["DP-AAE"] - row[data]["AVG-AAE"] for data in row]
    shown = "; ".join(f"{data} {one['DP-AAE']:.2f} and {one['AVG-AAE']:.2f}" for data, one in row.items())
    return Finding(min(gaps) > 0, f"from the printed table: {shown}")


@recipe()
def acceptance_rate() -> float:
    """The least acceptance of Wood's sampler over n and κ, by quadrature over its proposals."""
    return min(_accepted(n, kappa) for n in (2, 3, 5, 10, 50, 200) for kappa in (0.01, 0.1, 1.0, 10.0, 100.0, 10_000.0))


def _accepted(n: int, kappa: float) -> float:
    """E of the chance that a proposal W = (1 − (1+b)Z)/(1 − (1−b)Z), Z ~ Beta(m/2, m/2), is taken."""
    from scipy import integrate, special

    m = n - 1
    b = m / (2 * kappa + math.sqrt(4 * kappa**2 + m**2))
    x0 = (1 - b) / (1 + b)
    top, beta = kappa * x0 + m * math.log1p(-(x0**2)), special.beta(m / 2, m / 2)

    def taken(angle: float) -> float:
        z = math.sin(angle / 2) ** 2  # this substitution takes the poles of the beta density away
        w = (1 - (1 + b) * z) / (1 - (1 - b) * z)
        chance = math.exp(min(0.0, kappa * w + m * math.log(1 - x0 * w) - top))
        return chance * (math.sin(angle) / 2) ** (m - 1) / beta

    return float(integrate.quad(taken, 0, math.pi, limit=400)[0])


def judge_acceptance_rate(row: Any) -> Finding:
    """At least about .66."""
    return Finding(row >= 0.65, f"least {row:.3f} over 36 pairs of n and κ")
