"""The law that fits noisy marginals best, by mirror descent on a junction tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.table.mechanisms.private.synthesis.junction_tree import Columns, JunctionTree, Law

__all__ = ["Measured", "estimate_law", "estimate_total"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Measured:
    """A noisy marginal.

    Parameters
    ----------
    columns : tuple of int
    counts : ndarray
        With noise; negative ones stay.
    sigma : float
        Of the noise on each cell.
    """

    columns: Columns
    counts: Floats
    sigma: float


def estimate_total(measured: Sequence[Measured]) -> float:
    """The number of records, from the sums of all noisy marginals by their precision; at least 1."""
    precise = np.array([1 / (one.counts.size * one.sigma**2) for one in measured])
    sums = np.array([one.counts.sum() for one in measured])
    return max(float(precise @ sums / precise.sum()), 1.0)


def estimate_law(
    sizes: Sequence[int], measured: Sequence[Measured], *, start: Law | None = None, steps: int = 100
) -> Law:
    """The law p on a junction tree that minimises Σ_m ‖N·p_m − y_m‖²/(2σ_m²); of several, the one of most entropy.

    Entropic mirror descent on the potentials (private-PGM: McKenna, Sheldon and Miklau 2019): θ_c loses α times the
    gradient of the marginals that live in clique c. The step α doubles when it was good and is halved when it was not.

    Parameters
    ----------
    sizes : sequence of int
    measured : sequence of Measured
    start : Law, optional
        Where to begin: a law whose marginals are close already.
    steps : int
    """
    tree = JunctionTree(sizes, [one.columns for one in measured])
    total = estimate_total(measured)
    views = [_View.of(tree, one.columns) for one in measured]
    potentials = _potentials(tree, start)
    beliefs = tree.beliefs(potentials)
    loss, gradient = _loss(beliefs, measured, views, total)
    step = 1.0 / max(sum(total / one.sigma**2 for one in measured), 1e-300)
    for _ in range(steps):
        moved = [theta - step * slope for theta, slope in zip(potentials, gradient, strict=True)]
        tried = tree.beliefs(moved)
        lower, slopes = _loss(tried, measured, views, total)
        fall = total * sum(
            float(np.vdot(slope, old - new)) for slope, old, new in zip(gradient, beliefs, tried, strict=True)
        )
        if loss - lower >= 0.5 * fall:
            gained = loss - lower
            potentials, beliefs, loss, gradient = moved, tried, lower, slopes
            step *= 2
            if gained <= 1e-7 * loss:
                break
        else:
            step /= 2
    return Law(tree, beliefs)


def _potentials(tree: JunctionTree, start: Law | None) -> list[Floats]:
    """Potentials of a law on the tree: of ``start``, as far as its cliques lie in those of the tree."""
    potentials: list[Floats] = [np.zeros(tree.shape(clique)) for clique in tree.cliques]
    if start is None:
        return potentials
    for law, clique in zip(start.conditionals, start.tree.cliques, strict=True):
        home = next((i for i, there in enumerate(tree.cliques) if set(clique) <= set(there)), None)
        if home is not None:
            logs = np.log(np.maximum(law, 1e-30))
            potentials[home] = potentials[home] + tree.aligned(logs, clique, tree.cliques[home])
    return potentials


class _View(NamedTuple):
    """Where a marginal lives: its clique, the axes of it that are summed over, and its shape beside the clique."""

    home: int
    axes: tuple[int, ...]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, tree: JunctionTree, columns: Columns) -> _View:
        home = tree.home(columns)
        clique = tree.cliques[home]
        axes = tuple(place for place, column in enumerate(clique) if column not in columns)
        return cls(home, axes, tuple(tree.sizes[column] if column in columns else 1 for column in clique))


def _loss(
    beliefs: Sequence[Floats], measured: Sequence[Measured], views: Sequence[_View], total: float
) -> tuple[float, list[Floats]]:
    """The loss, and its gradient by the expected counts of every clique."""
    loss = 0.0
    gradient: list[Floats] = [np.zeros(belief.shape) for belief in beliefs]
    for one, (home, axes, shape) in zip(measured, views, strict=True):
        off = total * beliefs[home].sum(axis=axes) - one.counts
        flat, precision = off.ravel(), 1 / one.sigma**2
        loss += float(flat @ flat) * precision / 2
        gradient[home] += (off * precision).reshape(shape)
    return loss, gradient
