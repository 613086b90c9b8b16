"""Random small tables with random trees, and slow reference implementations."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from sfumato.table import Hierarchy, Schema


@st.composite
def trees(draw: Any, prefix: str = "v") -> Hierarchy:
    """A tree with 1–6 leaves and 2–4 levels."""
    leaves = draw(st.integers(1, 6))
    height = draw(st.integers(2, 4))
    rows = [[f"{prefix}{i}"] for i in range(leaves)]
    parent = list(range(leaves))
    for level in range(1, height - 1):
        groups = draw(st.lists(st.integers(0, 2), min_size=leaves, max_size=leaves))
        merged = {node: groups[node % leaves] for node in set(parent)}
        parent = [merged[node] for node in parent]
        for i in range(leaves):
            rows[i].append(f"{prefix}/{level}/{parent[i]}")
    return Hierarchy([[*row, "*"] for row in rows])


@st.composite
def tables(draw: Any, *, columns: int = 3, rows: int = 14) -> tuple[pa.Table, Schema]:
    """A table with 1–3 quasi columns and a sensitive one of up to 4 values."""
    width = draw(st.integers(1, columns))
    quasi = {f"q{j}": draw(trees(prefix=f"{'abc'[j]}")) for j in range(width)}
    secret = draw(trees(prefix="s"))
    count = draw(st.integers(2, rows))
    data = {
        name: draw(st.lists(st.sampled_from(tree.leaves), min_size=count, max_size=count))
        for name, tree in quasi.items()
    }
    data["secret"] = draw(st.lists(st.sampled_from(secret.leaves), min_size=count, max_size=count))
    return pa.table(data), Schema(quasi=quasi, sensitive={"secret": secret})


def classes_of(table: pa.Table, names: list[str]) -> dict[tuple[Any, ...], list[int]]:
    """Row numbers by quasi tuple, in plain Python."""
    found: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for i, row in enumerate(table.select(names).to_pylist()):
        found[tuple(row[name] for name in names)].append(i)
    return found


def brute_force(
    table: pa.Table, schema: Schema, keeps: Any, limit: int, stars: bool, together: Any = None
) -> list[tuple[float, tuple[int, ...], list[int]]]:
    """All admissible nodes with their generalised information loss and the sizes of their released classes, by the
    definitions and nothing else.

    ``keeps(secrets, whole)`` says whether a class with these sensitive values keeps the promise, ``together(sizes)``
    whether all released classes do; where they do not, the smallest classes are suppressed one by one.
    """
    names = list(schema.quasi)
    rows = table.num_rows
    whole = table["secret"].to_pylist()
    results = []
    for levels in itertools.product(*(range(schema.quasi[name].height) for name in names)):
        general = {
            n: schema.quasi[n].generalise(table[n].to_pylist(), level) for n, level in zip(names, levels, strict=True)
        }
        groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for i in range(rows):
            groups[tuple(general[n][i] for n in names)].append(i)
        ordered = sorted(groups.values(), key=lambda members: (len(members), _first(table, schema, members)))
        bad = [members for members in ordered if not keeps([whole[i] for i in members], whole)]
        good = [members for members in ordered if keeps([whole[i] for i in members], whole)]
        gone = [i for members in bad for i in members]
        if stars and gone:
            while good and not keeps([whole[i] for i in gone], whole):
                gone += good.pop(0)
            if not keeps([whole[i] for i in gone], whole):
                continue
        while together is not None and good and not together(_sizes(good, gone, stars)):
            gone += good.pop(0)
        if len(gone) > limit or (together is not None and not together(_sizes(good, gone, stars))):
            continue
        if not stars and gone and good:
            kept = [whole[i] for members in good for i in members]
            if not all(keeps([whole[i] for i in members], kept) for members in good):
                continue
        loss = 0.0
        for n, level in zip(names, levels, strict=True):
            tree = schema.quasi[n]
            costs = tree.information_loss(level)
            for i in range(rows):
                loss += (1.0 if tree.size > 1 else 0.0) if i in set(gone) else costs[tree.index[table[n][i].as_py()]]
        results.append((loss / rows / len(names), levels, _sizes(good, gone, stars)))
    return results


def best_node(admissible: list[tuple[float, tuple[int, ...], list[int]]]) -> tuple[int, ...]:
    """The node of least loss; of equal ones that with the larger k, then the lower mean risk, then lower levels."""
    least = min(loss for loss, _, _ in admissible)
    equal = [(levels, sizes) for loss, levels, sizes in admissible if loss <= least + 1e-9]

    def rank(node: tuple[tuple[int, ...], list[int]]) -> tuple[float, float, tuple[int, ...]]:
        levels, sizes = node
        return (-min(sizes), len(sizes) / sum(sizes), levels) if sizes else (0.0, 0.0, levels)

    return min(equal, key=rank)[0]


def _sizes(good: list[list[int]], gone: list[int], stars: bool) -> list[int]:
    return [len(members) for members in good] + ([len(gone)] if stars and gone else [])


def _first(table: pa.Table, schema: Schema, members: list[int]) -> tuple[int, ...]:
    """The first tuple of a class in the order of the hierarchies: ties are broken by it."""
    return min(tuple(schema.quasi[n].index[table[n][i].as_py()] for n in schema.quasi) for i in members)


def frequencies(values: list[Any], domain: list[Any]) -> np.ndarray:
    counts = Counter(values)
    return np.array([counts[value] for value in domain]) / len(values)
