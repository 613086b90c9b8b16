"""Channel of one column: which outputs each input value may have, and how likely. The attacker knows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.table.core.hierarchy import STAR, Hierarchy
from sfumato.table.core.labelling import read_range, read_set

__all__ = ["Channel", "coverage", "covered_places", "covered_values"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Channel:
    """Probability of each output label given each input value of a column.

    Parameters
    ----------
    inputs, outputs : tuple of str
    likelihood : ndarray of shape (inputs, outputs)
        Probability of the output given the input (for generalisation: 1 where it covers the input).
    mass : ndarray of shape (inputs, outputs)
        F: probability of an output at least as close (numbers) or as likely (categories) as this one; 0 where the
        output is certain to be consistent, as in generalisation.
    inner : ndarray of shape (inputs, outputs)
        The same, strictly closer or likelier.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    likelihood: Floats
    mass: Floats
    inner: Floats

    @classmethod
    def identity(cls, values: Sequence[str]) -> Channel:
        """The column as it is."""
        size = len(values)
        return cls(tuple(values), tuple(values), np.eye(size), np.zeros((size, size)), np.zeros((size, size)))

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Which outputs an input may have."""
        return self.likelihood > 0

    def high(self, threshold: float, cover: str = "within") -> NDArray[np.bool_]:
        """Outputs held likely: the largest set of mass ≤ T (``within``) or the smallest of mass ≥ T (``reach``).

        The dissertation prints the comparison reversed; this is the reading of its sentence and example.
        """
        near = self.mass <= threshold + 1e-12 if cover == "within" else self.inner < threshold - 1e-12
        return self.possible & near

    def relabel(self, target: Sequence[str], parent: NDArray[np.int64], mass: Floats | None = None) -> Channel:
        """Outputs renamed, several to one: ``parent`` is the new place of each output."""
        likelihood = np.zeros((len(self.inputs), len(target)))
        np.add.at(likelihood.T, parent, self.likelihood.T)
        if mass is None:
            certain = bool((self.mass == 0).all())
            mass, inner = (np.zeros_like(likelihood),) * 2 if certain else by_likelihood(likelihood)
        else:
            inner = np.minimum(mass, np.maximum(mass - likelihood, 0.0))
        return Channel(self.inputs, tuple(target), likelihood, mass, inner)

    def places(self, labels: Sequence[str], column: str) -> NDArray[np.int64]:
        """Where released labels stand among the outputs; one that cannot come out is refused: it would fake risk 0."""
        index = {label: i for i, label in enumerate(self.outputs)}
        for label in labels:
            if label not in index:
                raise bad_input(
                    f"released value of {column!r}",
                    label,
                    "a value of the declared output domain",
                    "check the schema and the mechanism: an unknown value would look like no risk",
                )
        return np.array([index[label] for label in labels], np.int64)


def by_likelihood(likelihood: Floats) -> tuple[Floats, Floats]:
    """For each output the mass of outputs at least as likely, and strictly likelier (ties together)."""
    order = np.argsort(-likelihood, axis=1, kind="stable")
    falling = np.take_along_axis(likelihood, order, axis=1)
    total = np.cumsum(falling, axis=1)
    mass, inner = np.empty_like(likelihood), np.empty_like(likelihood)
    for row in range(len(likelihood)):
        last = np.searchsorted(-falling[row], -falling[row] + 1e-15, side="right") - 1
        first = np.searchsorted(-falling[row], -falling[row] - 1e-15, side="left")
        mass[row, order[row]] = total[row, last]
        inner[row, order[row]] = np.where(first > 0, total[row, first - 1], 0.0)
    return mass, inner


def coverage(tree: Hierarchy, labels: Sequence[str], column: str, values: NDArray[np.int64] | None = None) -> Channel:
    """The channel of generalisation, global or local: a label may come from every value it covers.

    A label is a node of the hierarchy, a set ``{a, b}`` or a range ``[a, b]`` of its values; anything else is refused.
    ``values`` are the places of the values that are asked for, if not all.
    """
    kept = np.arange(tree.size) if values is None else values
    covers = np.zeros((len(kept), len(labels)))
    for i, label in enumerate(labels):
        covers[:, i] = covered_values(tree, label, column)[kept]
    certain = np.broadcast_to(0.0, covers.shape)  # no cell is held in memory
    return Channel(tuple(tree.leaves[i] for i in kept), tuple(labels), covers, certain, certain)


def covered_places(tree: Hierarchy, label: str, column: str) -> NDArray[np.int64]:
    """The places of the values that a released label may stand for."""
    leaf = tree.index.get(label)
    if leaf is not None:  # a value stands for itself, at whatever levels its name stands
        return np.array([leaf])
    return np.flatnonzero(covered_values(tree, label, column))


def covered_values(tree: Hierarchy, label: str, column: str) -> NDArray[np.bool_]:
    """Which values a released label may stand for; one that is no label is refused."""
    node = tree.nodes.get(label)
    if node is not None:
        return node
    covered = np.zeros(tree.size, np.bool_)
    if label == STAR:
        return ~covered
    words, ends = read_set(label), read_range(label)
    if words and all(word in tree.index for word in words):
        covered[[tree.index[word] for word in words]] = True
        return covered
    if ends is not None and all(end in tree.index for end in ends):
        covered[tree.index[ends[0]] : tree.index[ends[1]] + 1] = True
        return covered
    if label[:1] in "<>" and label[1:].lstrip("-").replace(".", "", 1).isdigit():  # top and bottom coding
        try:
            values = np.array([float(leaf) for leaf in tree.leaves])
        except ValueError:
            values = np.full(tree.size, np.nan)
        covered = values < float(label[1:]) if label[0] == "<" else values > float(label[1:])
        if covered.any():
            return covered
    raise bad_input(
        f"released value of {column!r}",
        label,
        "a node of its hierarchy, or a set or range of its values",
        "check the schema and name the mechanism: an unknown value would look like no risk",
    )
