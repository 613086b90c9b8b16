"""Steps that ColumnMethods applies to a column: generalise, add noise, change categories, code the ends.

Each step changes the values of a column and knows what it does to the attacker's :class:`Channel`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.table.core.channel import Channel, by_likelihood
from sfumato.table.core.hierarchy import STAR, Hierarchy, text
from sfumato.validate import integer, number, positive, probability

__all__ = ["CategoryNoise", "Generalise", "NumberNoise", "Step", "Suppress", "Swap", "TopBottom"]

Codes = NDArray[np.int64]


class Step(ABC):
    """One step of a column's treatment.

    ``push`` says what it does to a channel; ``draw`` does it to values, given as codes of the channel's outputs, and
    returns codes of the pushed channel's outputs.
    """

    @abstractmethod
    def push(self, channel: Channel, tree: Hierarchy) -> Channel: ...

    @abstractmethod
    def draw(self, codes: Codes, channel: Channel, tree: Hierarchy, rng: Rng) -> Codes: ...

    def loss_bound(self, channel: Channel, tree: Hierarchy) -> float:
        """The ε of local differential privacy between any two of the channel's outputs; ∞ if there is none."""
        return np.inf


def _numbers(labels: tuple[str, ...]) -> NDArray[np.int64]:
    try:
        return np.array([int(label) for label in labels])
    except ValueError as error:
        wrong = next(label for label in labels if not label.lstrip("-").isdigit())
        raise bad_input(
            "value", wrong, "whole numbers before number noise", "generalise after it, not before"
        ) from error


@dataclass(frozen=True)
class Generalise(Step):
    """Replace each value by its ancestor at ``level`` [P4].

    After number noise, values beyond the hierarchy take the ancestor of its nearest end.
    """

    level: int

    def __post_init__(self) -> None:
        integer("level", self.level, least=0)

    def _parents(self, channel: Channel, tree: Hierarchy) -> tuple[tuple[str, ...], Codes]:
        integer("level", self.level, least=0, most=tree.height - 1)
        labels = tree.labels[self.level]
        if all(label in tree.index for label in channel.outputs):
            return labels, np.array([tree.codes[self.level, tree.index[label]] for label in channel.outputs], np.int64)
        ends = _numbers(tree.leaves)
        nearest = np.clip(_numbers(channel.outputs), ends.min(), ends.max())
        place = {int(value): i for i, value in enumerate(ends)}
        if not all(int(value) in place for value in nearest):
            raise bad_input("hierarchy", "gaps between its numbers", "every whole number from its first to its last")
        return labels, np.array([tree.codes[self.level, place[int(value)]] for value in nearest], np.int64)

    def push(self, channel: Channel, tree: Hierarchy) -> Channel:
        labels, parent = self._parents(channel, tree)
        mass = None
        if (channel.mass > 0).any() and channel.outputs != tree.leaves and self.level > 0:
            # F(bin) = Pr[|N| ≤ farthest value of the bin that noise reaches]; values beyond the hierarchy, which only
            # join the bin at its end, count where the bin has no other
            inside = np.array([label in tree.index for label in channel.outputs])
            mass, beyond = np.zeros((2, len(channel.inputs), len(labels)))
            np.maximum.at(mass.T, parent, np.where(channel.possible & inside, channel.mass, 0.0).T)
            np.maximum.at(beyond.T, parent, np.where(channel.possible, channel.mass, 0.0).T)
            mass = np.where(mass > 0, mass, beyond)
        return channel.relabel(labels, parent, mass)

    def draw(self, codes: Codes, channel: Channel, tree: Hierarchy, rng: Rng) -> Codes:
        return self._parents(channel, tree)[1][codes]


@dataclass(frozen=True)
class NumberNoise(Step):
    """Add whole-number noise: Laplace, or with a given table of sizes [S1].

    Parameters
    ----------
    scale : float, optional
        b of the Laplace law: ε-differentially private for values that differ by ε·b.
    sizes : mapping of int to float, optional
        Instead: the probability of each |noise|, both signs alike.
    exact : bool
        The discrete Laplace law, exactly drawn; otherwise a rounded float, as in the dissertation's experiments.
    """

    scale: float | None = None
    sizes: Mapping[int, float] = field(default_factory=dict)
    exact: bool = True

    def __post_init__(self) -> None:
        if (self.scale is None) == (not self.sizes):
            raise bad_input("scale", self.scale, "either a scale or a table of sizes")
        if self.scale is not None:
            positive("scale", self.scale)
        elif abs(sum(self.sizes.values()) - 1) > 1e-9 or min(self.sizes.values()) < 0 or min(self.sizes) < 0:
            raise bad_input("sizes", dict(self.sizes), "probabilities of |noise| ≥ 0 that sum to 1")

    @property
    def reach(self) -> int:
        """How far beyond the domain outputs may lie; further ones, of probability below 10⁻¹⁸, move to that end."""
        return max(self.sizes) if self.scale is None else int(np.ceil(42 * self.scale)) + 1

    def _laws(self, most: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Pr[|N| = d] and F(d) = Pr[|N| ≤ d] for d = 0 … most."""
        distance = np.arange(most + 1)
        if self.scale is None:
            share = np.array([self.sizes.get(int(d), 0.0) for d in distance])
            return share, np.cumsum(share)
        ratio = np.exp(-1 / self.scale)
        if self.exact:
            share = np.where(distance == 0, 1.0, 2 * ratio**distance) * (1 - ratio) / (1 + ratio)
            return share, 1 - 2 * ratio ** (distance + 1) / (1 + ratio)
        edge = np.exp(-(distance + 0.5) / self.scale)
        share = np.where(distance == 0, 1 - edge, np.exp(-(distance - 0.5) / self.scale) - edge)
        return share, 1 - ratio**distance  # the dissertation's F, of the noise before rounding

    def push(self, channel: Channel, tree: Hierarchy) -> Channel:
        before = _numbers(channel.outputs)
        values = np.arange(before.min() - self.reach, before.max() + self.reach + 1)
        distance = np.abs(values[None, :] - before[:, None])
        share, within = self._laws(int(distance.max()))
        step = share[distance] * np.where(distance == 0, 1.0, 0.5)
        outputs = tuple(str(value) for value in values)
        if (channel.mass == 0).all() and np.array_equal(channel.likelihood, np.eye(len(before))):
            inner = np.where(distance > 0, within[np.maximum(distance - 1, 0)], 0.0)
            return Channel(channel.inputs, outputs, step, np.maximum(within[distance], 1e-300), inner)
        likelihood = channel.likelihood @ step
        return Channel(channel.inputs, outputs, likelihood, *by_likelihood(likelihood))

    def draw(self, codes: Codes, channel: Channel, tree: Hierarchy, rng: Rng) -> Codes:
        from sfumato.noise import discrete_laplace

        if self.scale is None:
            sizes = np.array(sorted(self.sizes))
            size = rng.choice(sizes, len(codes), p=[self.sizes[int(d)] for d in sizes])
            noise = np.where(rng.random(len(codes)) < 0.5, -size, size)
        elif self.exact:
            noise = discrete_laplace(self.scale, len(codes), rng=rng)
        else:
            noise = np.rint(rng.laplace(0, self.scale, len(codes))).astype(np.int64)
        before = _numbers(channel.outputs)
        low, high = before.min() - self.reach, before.max() + self.reach
        return np.clip(before[codes] + noise, low, high) - low  # moving a far value to the end is post-processing

    def loss_bound(self, channel: Channel, tree: Hierarchy) -> float:
        if self.scale is None or not self.exact:
            return np.inf
        before = _numbers(channel.outputs)
        return float(before.max() - before.min()) / self.scale


@dataclass(frozen=True)
class CategoryNoise(Step):
    """The exponential mechanism on the leaves of a tree: Pr[c | x] ∝ exp(−ε·dist(x, c)/2), dist in tree edges.

    The dissertation prints the opposite sign and measures from the column's median, which would destroy the value.
    Any two values differ by at most ε·(largest distance) in log-probability: local differential privacy.
    """

    epsilon: float

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)

    def _matrix(self, channel: Channel, tree: Hierarchy) -> NDArray[np.float64]:
        distance = _edges(tree, channel.outputs)
        weight = np.exp(-0.5 * self.epsilon * distance)
        return weight / weight.sum(1, keepdims=True)

    def push(self, channel: Channel, tree: Hierarchy) -> Channel:
        likelihood = channel.likelihood @ self._matrix(channel, tree)
        return Channel(channel.inputs, channel.outputs, likelihood, *by_likelihood(likelihood))

    def draw(self, codes: Codes, channel: Channel, tree: Hierarchy, rng: Rng) -> Codes:
        edges = np.cumsum(self._matrix(channel, tree), axis=1)
        edges[:, -1] = 1.0
        drawn = np.empty(len(codes), np.int64)
        uniform = rng.random(len(codes))
        for value in np.unique(codes):
            here = codes == value
            drawn[here] = np.searchsorted(edges[value], uniform[here], side="right")
        return np.minimum(drawn, edges.shape[1] - 1)

    def loss_bound(self, channel: Channel, tree: Hierarchy) -> float:
        matrix = np.log(self._matrix(channel, tree))
        return float(np.max(matrix.max(0) - matrix.min(0)))


def _edges(tree: Hierarchy, labels: tuple[str, ...]) -> NDArray[np.float64]:
    """Tree edges between labels of one level: twice the height of the lowest common ancestor above that level."""
    for level in range(tree.height):
        if tuple(tree.labels[level]) == tuple(labels):
            break
    else:
        raise bad_input("values", labels[:5], "all labels of one level of the hierarchy", "generalise first or last")
    first = np.array([np.flatnonzero(tree.codes[level] == node)[0] for node in range(len(labels))])
    distance = np.full((len(labels), len(labels)), 0.0)
    for above in range(level, tree.height):
        node = tree.codes[above, first]
        distance += 2.0 * (node[:, None] != node[None, :])
    return distance


@dataclass(frozen=True)
class Swap(Step):
    """With probability ``rate`` put another label, uniformly one of the others."""

    rate: float

    def __post_init__(self) -> None:
        probability("rate", self.rate, zero=True)

    def _matrix(self, channel: Channel) -> NDArray[np.float64]:
        size = len(channel.outputs)
        if size < 2:
            return np.eye(size)
        return (1 - self.rate) * np.eye(size) + self.rate / (size - 1) * (1 - np.eye(size))

    def push(self, channel: Channel, tree: Hierarchy) -> Channel:
        likelihood = channel.likelihood @ self._matrix(channel)
        return Channel(channel.inputs, channel.outputs, likelihood, *by_likelihood(likelihood))

    def draw(self, codes: Codes, channel: Channel, tree: Hierarchy, rng: Rng) -> Codes:
        size = len(channel.outputs)
        move = rng.random(len(codes)) < self.rate
        shift = rng.integers(1, max(size, 2), len(codes))
        return np.where(move, (codes + shift) % size, codes)


@dataclass(frozen=True)
class TopBottom(Step):
    """Top and bottom coding [P4]: numbers below ``low`` become "<low", numbers above ``high`` become ">high"."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if number("low", self.low) > number("high", self.high):
            raise bad_input("low", self.low, f"at most high = {self.high}")

    def _parents(self, channel: Channel) -> tuple[tuple[str, ...], Codes]:
        order: dict[str, int] = {}
        parent = []
        for label in channel.outputs:
            try:
                value = float(label)
            except ValueError as error:
                raise bad_input("value", label, "a number for top and bottom coding") from error
            name = f"<{text(self.low)}" if value < self.low else f">{text(self.high)}" if value > self.high else label
            parent.append(order.setdefault(name, len(order)))
        return tuple(order), np.array(parent, np.int64)

    def push(self, channel: Channel, tree: Hierarchy) -> Channel:
        labels, parent = self._parents(channel)
        return channel.relabel(labels, parent)

    def draw(self, codes: Codes, channel: Channel, tree: Hierarchy, rng: Rng) -> Codes:
        return self._parents(channel)[1][codes]


@dataclass(frozen=True)
class Suppress(Step):
    """Cell suppression [P4]: the values in ``values`` (all, if none are given) become ``*``."""

    values: tuple[str, ...] = ()

    def _parents(self, channel: Channel) -> tuple[tuple[str, ...], Codes]:
        order: dict[str, int] = {}
        names = [STAR if not self.values or label in self.values else label for label in channel.outputs]
        return tuple(dict.fromkeys(names)), np.array([order.setdefault(name, len(order)) for name in names], np.int64)

    def push(self, channel: Channel, tree: Hierarchy) -> Channel:
        labels, parent = self._parents(channel)
        return channel.relabel(labels, parent)

    def draw(self, codes: Codes, channel: Channel, tree: Hierarchy, rng: Rng) -> Codes:
        return self._parents(channel)[1][codes]
