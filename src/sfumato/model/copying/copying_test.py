"""The whole data-copying test: globally, cell by cell, and in the tail."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import hypergeom

from sfumato.errors import InputError, bad_input
from sfumato.model.copying.copying_report import Cell, CopyingReport, Tail
from sfumato.model.copying.rank_test import FEW, RankTest, rank_test
from sfumato.model.copying.representation import different_bins
from sfumato.model.core.feature_space import FeatureMap, feature_map
from sfumato.model.core.nearest import nearest, points
from sfumato.noise import Rng, seeded_rng
from sfumato.study.run.one_thread import one_thread
from sfumato.validate import choice, integer, probability

__all__ = ["audit_copying", "benjamini_hochberg", "split_cells", "standardised", "weighted_mean"]

TAILS = (0.002, 0.01, 0.05)
"""Shares of all distances, the smallest ones, in which too many generated samples are looked for."""
_CLUSTERED = 20_000  # training points that the cells are made from; more change little and cost time


@dataclass(frozen=True)
class _Measured:
    """Distances and cells of the two samples, one value for each."""

    fresh: NDArray[np.float64]
    generated: NDArray[np.float64]
    fresh_cell: NDArray[np.int64]
    generated_cell: NDArray[np.int64]
    closest: NDArray[np.int64]


def audit_copying(
    train: ArrayLike,
    test: ArrayLike,
    generated: ArrayLike,
    *,
    cells: int | None = None,
    features: str | FeatureMap = "raw",
    neighbours: Literal["all", "cell"] = "all",
    duplicates: Literal["refuse", "keep"] = "refuse",
    minimum: int = FEW,
    level: float = 0.01,
    continuity: bool = False,
    rng: Rng | None = None,
) -> CopyingReport:
    """Test whether a generator copies its training set (Meehan, Chaudhuri, Dasgupta 2020; Meehan 2023, ch. 2).

    Every sample gets its distance to the nearest training point. If generated samples were as good as fresh ones, the
    two kinds of distances would be exchangeable. Three tests say where they are not: the ranks of all distances (Z_U),
    the ranks inside each k-means cell of the training set (C_T, and Z̃ = ΣwZ/√Σw², which is standard normal where C_T is
    not; cells are flagged under a controlled false-discovery rate), and the number of generated samples among the very
    smallest distances, which finds the few copies that a mean rank hides.

    Parameters
    ----------
    train, test, generated : array_like
        The training set, fresh real samples that were not trained on, and generated ones. A sample is a row, an image
        or any array; all have the same shape.
    cells : int, optional
        The number of cells; by default one for 200 samples, from 1 to 50.
    features : {"raw", "pca", "autoencoder"} or callable
        The space in which distances are taken; a callable maps samples to rows of numbers.
    neighbours : {"all", "cell"}
        Whether the nearest training point is sought in the whole training set or, as in the authors' program, only in
        the sample's cell.
    duplicates : {"refuse", "keep"}
        What to do if a fresh sample equals a training point. It was most likely trained on, which hides copying; "keep"
        is for discrete values, where two people can have the same.
    minimum : int
        Cells with fewer samples of either kind get no score.
    level : float
        The false-alarm rate of the verdict, shared by the three tests.
    continuity : bool
        As in :func:`~sfumato.model.rank_test`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> train, fresh = rng.normal(size=(2, 400, 2))
    >>> audit_copying(train, fresh, train + 1e-3 * rng.normal(size=(400, 2))).copies
    True
    >>> audit_copying(train, fresh, rng.normal(size=(400, 2))).copies
    False
    """
    choice("neighbours", neighbours, ("all", "cell"))
    choice("duplicates", duplicates, ("refuse", "keep"))
    probability("level", level)
    minimum = integer("minimum", minimum)
    generator = seeded_rng(0) if rng is None else rng
    known, real, made = _embedded(train, test, generated, features, generator)
    _refuse_equal(known, real, duplicates)
    count = max(1, min(50, min(len(real), len(made)) // 200)) if cells is None else integer("cells", cells)
    if count > len(known):
        raise bad_input("cells", count, f"at most {len(known)}, the number of training points")
    found = _measure(known, real, made, count, neighbours, generator)
    table = _cells(found, count, minimum, continuity)
    scored = [one for one in table if one.enough]
    if not scored:
        raise InputError(
            f"no cell has {minimum} fresh and {minimum} generated samples: expected more samples, or fewer cells"
        )
    shares = np.array([one.fresh_share for one in scored])
    scores = np.array([one.test.z for one in scored if one.test is not None])
    return CopyingReport(
        overall=rank_test(found.fresh, found.generated, continuity=continuity),
        c_t=weighted_mean(scores, shares),
        z_tilde=standardised(scores, shares),
        cells=tuple(_flagged(table, level)),
        tail=_tail(found.fresh, found.generated),
        bins=different_bins([one.fresh for one in table], [one.generated for one in table]),
        exact_copies=int((found.generated == 0).sum()),
        equal_fresh=int((found.fresh == 0).sum()),
        level=level,
        distances=found.generated,
        closest=found.closest,
        cell_of=found.generated_cell,
        minimum=minimum,
    )


def _embedded(
    train: ArrayLike, test: ArrayLike, generated: ArrayLike, features: str | FeatureMap, rng: Rng
) -> list[NDArray[np.float64]]:
    named = {"train": train, "test": test, "generated": generated}
    first = points("train", train)
    flat = {name: points(name, value, dimension=first.shape[1]) for name, value in named.items()}
    if features == "raw":
        return list(flat.values())
    embed = feature_map(features, train, rng) if isinstance(features, str) else features
    out = [points(f"features of {name}", embed(np.asarray(value))) for name, value in named.items()]
    for (name, value), rows in zip(named.items(), out, strict=True):
        if len(rows) != len(np.asarray(value)) or rows.shape[1] != out[0].shape[1]:
            raise bad_input(f"features of {name}", rows.shape, "one row for each sample, as wide as those of train")
    return out


def _refuse_equal(known: NDArray[np.float64], real: NDArray[np.float64], duplicates: str) -> None:
    if duplicates == "keep":
        return
    seen = {row.tobytes() for row in known + 0.0}  # + 0.0 makes −0 a 0
    equal = sum(row.tobytes() in seen for row in real + 0.0)
    if equal:
        raise bad_input(
            "test",
            f"{equal} of {len(real)} samples are in the training set",
            "fresh samples: what was trained on hides copying",
            "remove them, or say duplicates='keep' (--duplicates keep) if values are discrete and can be equal",
        )


def split_cells(known: NDArray[np.float64], count: int, rng: Rng) -> NDArray[np.float64]:
    """The centres of ``count`` k-means cells of the training set."""
    if count == 1:
        return known.mean(axis=0, keepdims=True)
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    some = known if len(known) <= _CLUSTERED else known[rng.choice(len(known), _CLUSTERED, replace=False)]
    model = KMeans(n_clusters=count, n_init=1, max_iter=50, random_state=int(rng.integers(2**31)))
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct points than cells: some stay empty
        model.fit(some)
    return np.asarray(model.cluster_centers_, float)


def _measure(
    known: NDArray[np.float64],
    real: NDArray[np.float64],
    made: NDArray[np.float64],
    count: int,
    neighbours: str,
    rng: Rng,
) -> _Measured:
    centres = split_cells(known, count, rng)
    both = np.concatenate([real, made])
    cell = nearest(centres, both).which[:, 0]
    distance, closest = np.empty(len(both)), np.empty(len(both), np.int64)
    if neighbours == "all":
        found = nearest(known, both)
        distance, closest = found.distance[:, 0], found.which[:, 0]
    else:
        home = nearest(centres, known).which[:, 0]
        for one in range(count):
            inside, queries = np.flatnonzero(home == one), np.flatnonzero(cell == one)
            if len(queries) and not len(inside):
                raise InputError(f"cell {one} has no training point: expected fewer cells, or neighbours='all'")
            if len(queries):
                part = nearest(known[inside], both[queries])
                distance[queries], closest[queries] = part.distance[:, 0], inside[part.which[:, 0]]
    n = len(real)
    return _Measured(distance[:n], distance[n:], cell[:n], cell[n:], closest[n:])


def _cells(found: _Measured, count: int, minimum: int, continuity: bool) -> list[Cell]:
    made = []
    for one in range(count):
        fresh, generated = found.fresh[found.fresh_cell == one], found.generated[found.generated_cell == one]
        test: RankTest | None = None
        if min(len(fresh), len(generated)) >= minimum:
            test = rank_test(fresh, generated, continuity=continuity)
        made.append(
            Cell(
                number=one,
                fresh=len(fresh),
                generated=len(generated),
                fresh_share=len(fresh) / len(found.fresh),
                test=test,
                enough=test is not None,
            )
        )
    return made


def _flagged(table: Sequence[Cell], level: float) -> list[Cell]:
    """The cells with their verdicts; false discoveries are controlled on each side at a third of the level."""
    scored = [one for one in table if one.enough and one.test is not None]
    closer = benjamini_hochberg([one.test.closer for one in scored if one.test], level / 3)
    farther = benjamini_hochberg([one.test.farther for one in scored if one.test], level / 3)
    marks = {one.number: (bool(a), bool(b)) for one, a, b in zip(scored, closer, farther, strict=True)}
    none = (False, False)
    return [
        dataclasses.replace(one, copies=marks.get(one.number, none)[0], underfits=marks.get(one.number, none)[1])
        for one in table
    ]


def _tail(fresh: NDArray[np.float64], generated: NDArray[np.float64]) -> Tail:
    """The cut with the smallest p-value, corrected for having tried them all.

    Given how many of all distances are at most the cut, the number of generated ones among them is hypergeometric if
    the two kinds are exchangeable; ties need no correction.
    """
    pooled = np.sort(np.concatenate([fresh, generated]))
    best: Tail | None = None
    for share in TAILS:
        cut = float(pooled[max(0, math.ceil(share * len(pooled)) - 1)])
        close, real = int((generated <= cut).sum()), int((fresh <= cut).sum())
        law: Any = hypergeom(len(pooled), close + real, len(generated))
        p = min(1.0, len(TAILS) * float(law.sf(close - 1)))
        excess = max(0.0, close - real * len(generated) / len(fresh))
        if best is None or p < best.p_value:
            best = Tail(cut=cut, generated=close, fresh=real, excess=excess, p_value=p)
    assert best is not None
    return best


def weighted_mean(scores: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
    """C_T = ΣwZ/Σw. It is no z-score: with k equal cells its standard deviation is 1/√k.

    >>> weighted_mean(np.array([-1.0, 3.0]), np.array([0.25, 0.25]))
    1.0
    """
    return float((shares * scores).sum() / shares.sum())


def standardised(scores: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
    """Z̃ = ΣwZ/√Σw², standard normal if the scores of the cells are.

    >>> round(standardised(np.array([1.0, 1.0, 1.0, 1.0]), np.full(4, 0.25)), 6)
    2.0
    """
    return float((shares * scores).sum() / math.sqrt((shares**2).sum()))


def benjamini_hochberg(p_values: Sequence[float], level: float) -> NDArray[np.bool_]:
    """Which hypotheses are rejected if at most ``level`` of the rejections may be false, on average.

    >>> benjamini_hochberg([0.001, 0.04, 0.03, 0.9], 0.05)
    array([ True, False, False, False])
    """
    values = np.asarray(p_values, float)
    order = np.argsort(values, kind="stable")
    passed = np.flatnonzero(values[order] <= level * np.arange(1, len(values) + 1) / max(1, len(values)))
    rejected = np.zeros(len(values), bool)
    if len(passed):
        rejected[order[: passed[-1] + 1]] = True
    return rejected
