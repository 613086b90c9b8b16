"""What small encoders are trained on: the losses of self-supervised learning."""

from __future__ import annotations

from typing import Any

__all__ = ["CRITERIA", "barlow_twins", "simclr", "vicreg"]

CRITERIA = ("simclr", "vicreg", "barlow", "byol", "dino", "supervised")


def vicreg(torch: Any, z: Any, other: Any, *, invariance: float = 25.0, variance: float = 25.0) -> Any:
    """λ‖z − z′‖² + μ·Σ max(0, 1 − sd) + Σ squared covariances/d (Bardes, Ponce, LeCun 2022)."""
    size, width = z.shape
    total = invariance * ((z - other) ** 2).mean()
    for view in (z, other):
        spread = torch.sqrt(view.var(dim=0) + 1e-4)
        total = total + variance * torch.relu(1 - spread).mean()
        centred = view - view.mean(dim=0)
        covariance = centred.T @ centred / (size - 1)
        total = total + ((covariance**2).sum() - (covariance.diagonal() ** 2).sum()) / width
    return total


def simclr(torch: Any, z: Any, other: Any, *, temperature: float = 0.15) -> Any:
    """The normalised temperature-scaled cross-entropy over both views (Chen et al. 2020)."""
    both = torch.nn.functional.normalize(torch.cat([z, other]), dim=1)
    alike = both @ both.T / temperature
    alike.fill_diagonal_(-1e9)
    size = len(z)
    partner = torch.cat([torch.arange(size, 2 * size), torch.arange(size)])
    return torch.nn.functional.cross_entropy(alike, partner)


def barlow_twins(torch: Any, z: Any, other: Any, *, redundancy: float = 0.01) -> Any:
    """Σ(1 − C_ii)² + λ′·Σ C_ij², C the correlation between the two views (Zbontar et al. 2021)."""
    first, second = ((view - view.mean(0)) / (view.std(0) + 1e-5) for view in (z, other))
    common = first.T @ second / len(z)
    own = ((common.diagonal() - 1) ** 2).sum()
    return own + redundancy * ((common**2).sum() - (common.diagonal() ** 2).sum())
