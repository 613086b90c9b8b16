"""What can be seen in a release: numbers to cut and categories to count.

A :class:`View` turns releases into columns of numbers. Some need no learning (a coordinate, a norm, the place of the
lowest set bit of a float); others are scores learned on releases that are then not used again (a likelihood ratio over
categories or bins, a decision tree, a logistic regression), in the way of DP-Sniper (Bichsel et al. 2021).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.auditor.case import AuditCase
from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise.divergence import Floats

__all__ = [
    "Releases",
    "both_floats",
    "category_of",
    "floats_or_none",
    "learn_scores",
    "low_bit",
    "numbers_of",
    "plain_columns",
    "read_releases",
    "whole_codes",
]

Columns = dict[str, Floats]

_MOST_COORDINATES = 16
_BINS = 32
_NEWTON_STEPS = 12


@dataclass(frozen=True, eq=False)
class Releases:
    """Releases of one input as numbers (one row each) where they are numbers, and as categories."""

    numbers: Floats | None
    categories: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.categories)

    @cached_property
    def columns(self) -> Columns:
        """:func:`plain_columns`, computed once."""
        return plain_columns(self)

    @cached_property
    def wide(self) -> Floats:
        """All plain columns and all coordinates, for a learner."""
        assert self.numbers is not None
        return np.clip(np.column_stack([self.numbers, *self.columns.values()]), -1e30, 1e30)

    def part(self, rows: slice) -> Releases:
        return Releases(None if self.numbers is None else self.numbers[rows], self.categories[rows])


def read_releases(case: AuditCase, of_x: Any, of_y: Any) -> tuple[Releases, Releases]:
    """The releases of two inputs, with the same categories for both."""
    numbers: list[Floats | None] = [numbers_of(case, outputs) for outputs in (of_x, of_y)]
    if any(n is None for n in numbers) or numbers[0].shape[1] != numbers[1].shape[1]:  # type: ignore[union-attr]
        numbers = [None, None]
    both = isinstance(of_x, np.ndarray) and isinstance(of_y, np.ndarray) and of_x.shape[1:] == of_y.shape[1:]
    codes = whole_codes(np.concatenate([of_x, of_y]) if both else [*of_x, *of_y])
    return Releases(numbers[0], codes[: len(of_x)]), Releases(numbers[1], codes[len(of_x) :])


def whole_codes(outputs: Any) -> NDArray[np.int64]:
    """A number for each output, the same for equal ones.

    >>> whole_codes(np.array([0.5, -1.0, 0.5])), whole_codes(["b", "a", "b"])
    (array([1, 0, 1]), array([0, 1, 0]))
    """
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "iufb":
        rows = outputs.reshape(len(outputs), -1)
        if rows.shape[1] == 1:
            return np.asarray(np.unique(rows[:, 0], return_inverse=True)[1], np.int64).reshape(-1)
        whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).reshape(-1)
        return np.asarray(np.unique(whole, return_inverse=True)[1], np.int64).reshape(-1)
    texts = set(map(type, outputs)) == {str}
    names = outputs if texts else [category_of(output) for output in outputs]
    code = {key: number for number, key in enumerate(dict.fromkeys(names))}
    return np.array([code[key] for key in names], np.int64)


def numbers_of(case: AuditCase, outputs: Any) -> Floats | None:
    """Releases as rows of numbers, ``None`` where they are none."""
    if case.features is not None:
        rows = np.array([np.ravel(case.features(output)) for output in outputs], float)
    elif isinstance(outputs, np.ndarray) and outputs.dtype.kind in "iufb":
        rows = outputs.astype(float).reshape(len(outputs), -1)
    else:
        return None
    if np.isnan(rows).any():
        raise bad_input("release", np.nan, "numbers", "a mechanism must not release NaN")
    return rows


def low_bit(values: Floats) -> Floats:
    """The exponent of the lowest set bit: on which power-of-two grid a double lies (Mironov 2012).

    >>> low_bit(np.array([1.0, 0.75, 0.1, 0.0]))
    array([   0.,   -2.,  -55., 1100.])
    """
    fraction, exponent = np.frexp(values)
    whole = np.abs(fraction * 2.0**53).astype(np.int64)
    lowest = np.frexp((whole & -whole).astype(float))[1] - 1
    return np.where(values == 0, 1100.0, exponent - 53.0 + lowest)


def plain_columns(releases: Releases) -> Columns:
    """Columns that need no learning."""
    rows = releases.numbers
    if rows is None:
        return {}
    shown = min(rows.shape[1], _MOST_COORDINATES)
    columns = {f"output[{i}]" if rows.shape[1] > 1 else "output": rows[:, i] for i in range(shown)}
    columns |= {f"low bit of {name}": low_bit(values) for name, values in columns.items()}
    if rows.shape[1] > 1:
        columns["sum of outputs"] = rows.sum(axis=1)
        columns["L1 norm"] = np.abs(rows).sum(axis=1)
        columns["L2 norm"] = np.sqrt((rows**2).sum(axis=1))
    return columns


def learn_scores(x: Releases, y: Releases, rng: Rng) -> Callable[[Releases], Columns]:
    """Scores that are large where releases of x are likelier than those of y; learned on ``x`` and ``y``."""
    learned: list[tuple[str, Callable[[Releases], Floats]]] = []
    if x.numbers is None or _has_atoms(x, y):
        learned.append(("likelihood ratio of the category", _category_score(x, y)))
    if x.numbers is not None:
        for name in x.columns:
            if not name.startswith("low bit"):
                learned.append((f"likelihood ratio of {name}", _bin_score(name, x, y)))
        learned.append(("decision tree", _tree_score(x, y, rng)))
        if x.numbers.shape[1] > 1:
            learned.append(("logistic regression", _logistic_score(x, y)))
    return lambda releases: {name: score(releases) for name, score in learned}


def _has_atoms(x: Releases, y: Releases) -> bool:
    """Whether some output comes again and again: rarely is enough, as a leak may be rare."""
    return bool(np.bincount(np.concatenate([x.categories, y.categories])).max() > 2)


def _ratio(count_x: NDArray[Any], count_y: NDArray[Any]) -> Floats:
    """A smoothed log-likelihood ratio: a category seen only twice on one side must not outrank a common one."""
    return np.asarray(np.log(count_x + 1.0) - np.log(count_y + 1.0), float)


def _category_score(x: Releases, y: Releases) -> Callable[[Releases], Floats]:
    size = int(max(x.categories.max(), y.categories.max())) + 1
    table = _ratio(np.bincount(x.categories, minlength=size), np.bincount(y.categories, minlength=size))
    return lambda r: np.where(r.categories < size, table[np.minimum(r.categories, size - 1)], 0.0)


def _bin_score(name: str, x: Releases, y: Releases) -> Callable[[Releases], Floats]:
    of_x, of_y = x.columns[name], y.columns[name]
    edges = np.unique(np.quantile(np.concatenate([of_x, of_y]), np.linspace(0, 1, _BINS + 1)[1:-1]))
    counts = [np.bincount(np.searchsorted(edges, v), minlength=len(edges) + 1) for v in (of_x, of_y)]
    table = _ratio(counts[0], counts[1])
    return lambda r: table[np.searchsorted(edges, r.columns[name])]


def _tree_score(x: Releases, y: Releases, rng: Rng) -> Callable[[Releases], Floats]:
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(max_leaf_nodes=64, min_samples_leaf=20, random_state=int(rng.integers(2**31)))
    tree.fit(np.concatenate([x.wide, y.wide]), np.repeat([1, 0], [len(x), len(y)]))
    return lambda r: np.asarray(tree.predict_proba(r.wide)[:, list(tree.classes_).index(1)], float)


def _logistic_score(x: Releases, y: Releases) -> Callable[[Releases], Floats]:
    rows = np.concatenate([x.wide, y.wide])
    levels = np.linspace(0, 1, min(200, len(rows)))
    edges = np.quantile(rows, levels, axis=0)
    weights = _logistic(_normal_scores(rows, edges, levels), np.repeat([1.0, 0.0], [len(x), len(y)]))
    return lambda r: np.asarray(_normal_scores(r.wide, edges, levels) @ weights, float)


def _logistic(rows: Floats, label: Floats) -> Floats:
    """The weights of a logistic regression with penalty |w|²/2, without the constant, which moves no cut.

    Newton's method, halving steps that do not help; after a few steps the weights are good enough to choose an event.
    """
    rows = np.column_stack([rows, np.ones(len(rows))])
    weights, ridge = np.zeros(rows.shape[1]), np.diag(np.append(np.ones(rows.shape[1] - 1), 1e-6))

    def cost(w: Floats) -> float:
        scores = rows @ w
        return float(np.logaddexp(0.0, scores).sum() - scores @ label + w @ ridge @ w / 2)

    here = cost(weights)
    for _ in range(_NEWTON_STEPS):
        share = 1 / (1 + np.exp(-np.clip(rows @ weights, -700, 700)))
        slope = rows.T @ (share - label) + ridge @ weights
        curve = (rows.T * np.maximum(share * (1 - share), 1e-9)) @ rows + ridge
        move = np.linalg.solve(curve, slope)
        size = 1.0
        while size > 1e-3 and not cost(weights - size * move) < here:
            size /= 2
        before, after = here, cost(weights - size * move)
        if not after < before:
            break
        weights, here = weights - size * move, after
        if before - after < 1e-6 * abs(before):
            break
    return weights[:-1]


def _normal_scores(rows: Floats, edges: Floats, levels: Floats) -> Floats:
    """Each column by its ranks among the learning releases, as normal quantiles; ties in the middle of theirs."""
    from scipy.special import ndtri

    ranks = np.empty(rows.shape)
    tied = np.any(np.diff(edges, axis=0) <= 0, axis=0)
    for i in range(rows.shape[1]):
        ranks[:, i] = np.interp(rows[:, i], edges[:, i], levels)
        if tied[i]:
            above = np.interp(-rows[:, i], -edges[::-1, i], levels)
            ranks[:, i] = (ranks[:, i] + 1 - above) / 2
    return np.asarray(ndtri(np.clip(ranks, 1e-7, 1 - 1e-7)), float)


def floats_or_none(value: Any, kinds: str = "f") -> NDArray[Any] | None:
    """The value as an array of floats (or of other ``kinds`` of numbers); ``None`` for anything else.

    >>> floats_or_none([[0.0], [0.0, 1.0]]) is None
    True
    """
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        return None
    return array if array.dtype.kind in kinds else None


def both_floats(x: Any, y: Any) -> bool:
    """Whether two inputs are floats of one shape, so that there are inputs between and beyond them."""
    first, second = floats_or_none(x), floats_or_none(y)
    return first is not None and second is not None and first.shape == second.shape


def category_of(output: Any) -> Any:
    """A hashable stand-in, the same for equal outputs.

    >>> category_of([np.arange(2000), "a"]) == category_of([np.arange(2000), "a"])
    True
    >>> category_of([np.arange(2000), "a"]) == category_of([np.arange(2000)[::-1], "a"])
    False
    """
    if isinstance(output, (str, bytes, int, float, bool, np.generic)):
        return output if output == output else "nan"
    if isinstance(output, np.ndarray):
        return output.tobytes() if output.dtype.kind != "O" else repr(output.tolist())
    kind: Any = type(output)
    if isinstance(output, (list, tuple)):
        return kind, tuple(map(category_of, output))
    names = _field_names(kind)
    return repr(output) if names is None else (kind, tuple([category_of(getattr(output, name)) for name in names]))


@lru_cache(maxsize=64)
def _field_names(kind: type) -> tuple[str, ...] | None:
    """The fields of a dataclass."""
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None
