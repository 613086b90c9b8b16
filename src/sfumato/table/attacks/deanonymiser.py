"""The de-anonymiser of chapter 4: simulate the mechanism for every victim and count who could be them [S1–S4].

Algorithm 2, with its three simulators in one. Generalisation leaves a record certainly consistent or impossible; noise
splits the possible ones into High (together the likely mass T) and Low; sampling says that a victim with more than k·α
candidates is no outlier, so that its candidates stand for 1/α as many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.errors import InputError, bad_input
from sfumato.table.attacks.candidates import (
    NOBODY,
    Counted,
    Held,
    Ways,
    count_candidates,
    held_values,
    weights_at,
)
from sfumato.table.core.channel import Channel, covered_places
from sfumato.table.core.hierarchy import STAR, Hierarchy
from sfumato.table.core.lineage import arrow_of, lineage_of
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import distinct, labels_of, leaf_codes
from sfumato.validate import choice, positive, probability

__all__ = ["Attacked", "View", "deanonymise", "view_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class View:
    """What the attacker sees and knows, as integers.

    Parameters
    ----------
    victims, victim : ndarray
        Distinct quasi tuples of the input, and which one each input row has. Values that the released labels do not
        tell apart are one.
    released, image : ndarray
        Distinct released tuples, and which one each input row became (−1 if it was not released).
    held : Held
        How often each sensitive value occurs in each released tuple.
    secret : ndarray
        The sensitive value of each input row (all 0 without a sensitive column).
    columns : list of Ways or Channel
        What each value may become: of recoding the labels that cover it, of another mechanism its channel.
    rate : float
        Sampling rate α.
    stars : ndarray
        Which released tuples are suppressed records.
    """

    victims: NDArray[np.int64]
    victim: NDArray[np.int64]
    released: NDArray[np.int64]
    image: NDArray[np.int64]
    held: Held
    secret: NDArray[np.int64]
    columns: list[Ways | Channel]
    rate: float
    stars: NDArray[np.bool_]

    @property
    def shown(self) -> Floats:
        """How often each sensitive value occurs in the release."""
        return np.bincount(self.held.values, self.held.counts, int(self.secret.max(initial=0)) + 1).astype(np.float64)

    @cached_property
    def records(self) -> Floats:
        """How many records each released tuple has."""
        return np.add.reduceat(np.append(self.held.counts, 0.0), self.held.starts[:-1]) if len(self.released) else _NONE

    def ways(self, of: Callable[[Channel], Any]) -> list[Ways]:
        """For each column what its values may become; ``of`` takes it from a channel."""
        return [column if isinstance(column, Ways) else Ways.of(of(column)) for column in self.columns]


def view_of(data: Any, release: Any, schema: Schema, *, mechanism: Any = None, column: str | None = None) -> View:
    """What the attacker sees of a release, with the input to score against.

    The channels come from ``mechanism`` if it has them (``channels``, ``sampling``); otherwise the release is taken for
    a generalisation and every label must be a node, a set or a range.
    """
    before, (after, rows) = arrow_of(data), lineage_of(data, release)
    schema.require(before.column_names)
    missing = [name for name in schema.quasi if name not in after.column_names]
    if missing:
        raise bad_input("column", missing[0], "all quasi-identifiers in the release")
    if len(rows) and rows.max() < 0:
        raise InputError("the records are made up: none of them is a person's, so that none can be the right one")
    if len(rows) and (rows.min() < 0 or rows.max() >= before.num_rows or len(np.unique(rows)) < len(rows)):
        raise InputError("lineage: expected distinct row numbers of the input; the ids belong to another table")
    known: Mapping[str, Channel] = getattr(mechanism, "channels", None) or {}
    ins: list[Any] = []
    outs: list[Any] = []
    columns: list[Ways | Channel] = []
    sizes: list[tuple[int, int]] = []
    star = np.ones(after.num_rows, np.bool_)
    for name, tree in schema.quasi.items():
        places = leaf_codes(before[name], tree, name, schema)
        codes, labels = labels_of(after[name], schema.missing_values)
        words = [schema.missing_label(name) if label is None else label for label in labels[:-1]]
        if labels and (codes == len(labels) - 1).any():
            words.append(schema.missing_label(name))
        if name in known:
            channel = known[name]
            shown = channel.places(words, name)
            columns.append(channel)
            sizes.append((len(channel.inputs), len(channel.outputs)))
            star[:] = False
        else:
            ways, alike = _covering(tree, words, name)
            places, shown = alike[places], np.arange(len(words))
            columns.append(ways)
            sizes.append((len(ways.starts) - 1, len(words)))
            star &= codes == (words.index(STAR) if STAR in words else -1)
        ins.append(places)
        outs.append(shown[codes] if len(shown) else codes)
    victims, victim = distinct(np.stack(ins, axis=1), [size for size, _ in sizes])
    released, which = distinct(np.stack(outs, axis=1), [size for _, size in sizes])
    image = np.full(before.num_rows, -1)
    image[rows] = which
    secret, values = _secrets(before, after, schema, column)
    stars = np.zeros(len(released), np.bool_)
    stars[which[star]] = True
    held = held_values(which, secret[1], len(released), values)
    rate = float(getattr(mechanism, "sampling", 1.0))
    return View(victims, victim, released, image, held, secret[0], columns, rate, stars)


def _covering(tree: Hierarchy, labels: Sequence[str], column: str) -> tuple[Ways, NDArray[np.int64]]:
    """Which of the released labels cover each value; values that the same labels cover are one, and which one each
    value is. (Rows are compared by 128 random bits a label: no two differ unnoticed but with a chance below 10⁻²⁵.)"""
    covered = [covered_places(tree, label, column) for label in labels]
    lengths = [len(values) for values in covered]
    of_label = np.repeat(np.arange(len(labels)), lengths)
    of_value = np.concatenate([np.zeros(0, np.int64), *covered])
    bits = np.random.default_rng(0).integers(0, 2**64, (2, max(len(labels), 1)), np.uint64)
    marks = np.zeros((tree.size, 2), np.uint64)
    for side in range(2):
        np.add.at(marks[:, side], of_value, bits[side, of_label])
    _, first, alike = np.unique(marks, axis=0, return_index=True, return_inverse=True)
    place = np.full(tree.size, -1)
    place[first] = np.arange(len(first))
    kept = place[of_value] >= 0
    cells = (np.ones(int(kept.sum())), (place[of_value[kept]], of_label[kept]))
    return Ways.of(csr_array(cells, shape=(len(first), len(labels)))), np.asarray(alike).reshape(-1)


_NONE = np.zeros(0)


def _secrets(before: Any, after: Any, schema: Schema, column: str | None) -> tuple[tuple[Any, Any], int]:
    if column is None:
        return (np.zeros(before.num_rows, np.int64), np.zeros(after.num_rows, np.int64)), 1
    if column not in schema.secrets:
        raise bad_input("column", column, "a sensitive column: " + ", ".join(schema.secrets))
    if column not in after.column_names:
        raise bad_input("column", column, "a column of the release")
    order: dict[str | None, int] = {}
    found = []
    for table in (before, after):
        codes, labels = labels_of(table[column], schema.missing_values)
        found.append(np.array([order.setdefault(label, len(order)) for label in labels], np.int64)[codes])
    return (found[0], found[1]), len(order)


@dataclass(frozen=True, eq=False)
class Attacked:
    """What the attack achieves on each input row.

    Parameters
    ----------
    sizes : ndarray
        |C_i|: how many candidates a victim hides among (∞ where the attack fails).
    kinds : ndarray
        How many different sensitive values they have (∞ where the attack fails).
    share : ndarray
        Which share of them has the victim's sensitive value (0 where the attack fails).
    candidates : ndarray of shape (rows, 2)
        |C^H| and |C^L|, before sampling is taken into account.
    """

    sizes: Floats
    kinds: Floats
    share: Floats
    candidates: Floats

    @cached_property
    def risks(self) -> Floats:
        """1/|C_i| of each victim, 0 where the attack fails."""
        return np.where(np.isfinite(self.sizes), 1 / np.maximum(self.sizes, 1e-300), 0.0)

    @property
    def n_q(self) -> float:
        """The smallest number of candidates of any victim (∞ if the attack fails on all)."""
        return float(self.sizes.min())

    @property
    def risk(self) -> float:
        """Re-identification risk: 1/n_q, the worst case over victims."""
        return float(self.risks.max())

    @property
    def n_s(self) -> float:
        """The smallest number of sensitive values among the candidates of any victim."""
        return float(self.kinds.min())

    @property
    def revealing_risk(self) -> float:
        """1/n_s: the worst case of counting values."""
        return 0.0 if np.isinf(self.n_s) else 1 / self.n_s

    @property
    def revealing_share(self) -> float:
        """The probabilistic variant: the largest share of candidates with the victim's value."""
        return float(self.share.max())

    def statistic(self, values: Floats, which: str, quantile: float) -> tuple[float, float, float]:
        """Worst, mean or quantile of per-victim ``values`` with a 95 % interval (NaN for the worst case).

        The interval of the mean takes the victims for a sample of a population; that of a quantile is the one of order
        statistics, free of any assumption on the distribution.
        """
        if which == "worst":
            return float(values.max()), np.nan, np.nan
        count = len(values)
        if which == "mean":
            mean, half = (
                float(values.mean()),
                1.96 * float(values.std(ddof=1)) / np.sqrt(count) if count > 1 else np.inf,
            )
            return mean, float(max(mean - half, 0.0)), float(min(mean + half, 1.0))
        order = np.sort(values)
        spread = 1.96 * np.sqrt(quantile * (1 - quantile) * count)
        low, high = (int(np.clip(quantile * count + side * spread, 0, count - 1)) for side in (-1, 1))
        return float(np.quantile(values, quantile, method="inverted_cdf")), float(order[low]), float(order[high])


def deanonymise(
    view: View,
    *,
    threshold: float = 0.9,
    mass: Literal["each", "product"] = "each",
    cover: Literal["within", "reach"] = "within",
    outlier: float = 2.0,
    counted: Literal["high", "possible"] = "high",
) -> Attacked:
    """Algorithm 2 on all victims.

    Parameters
    ----------
    view : View
    threshold : float
        T: an output is High if it lies in the likely mass T of its input.
    mass : {"each", "product"}
        Whether every noised column has mass T, or all of them together (T^{1/d} each).
    cover : {"within", "reach"}
        Whether the High outputs have at most, or at least, that mass.
    outlier : float
        k of the outlier test: a victim with more than k·α candidates is none.
    counted : {"high", "possible"}
        Which candidates the outlier test counts. The dissertation prints all possible ones; under noise without bounds
        everybody is a possible candidate of everybody, and no victim is ever an outlier.
    """
    probability("threshold", threshold)
    choice("mass", mass, ("each", "product"))
    choice("cover", cover, ("within", "reach"))
    choice("counted", counted, ("high", "possible"))
    positive("outlier", outlier)
    if outlier < 1:
        raise bad_input("outlier", outlier, "k ≥ 1")
    noised = sum(isinstance(one, Channel) and bool((one.mass > 0).any()) for one in view.columns)
    level = threshold ** (1 / noised) if mass == "product" and noised else threshold
    possible = view.ways(lambda channel: channel.possible.astype(np.float64))
    high = view.ways(lambda channel: channel.high(level, cover).astype(np.float64)) if noised else possible
    pairs = _Pairs.of(view)
    all_ = _counted(view, possible, pairs)
    likely = _counted(view, high, pairs) if noised else all_
    there = view.image >= 0
    x, y = view.victims[view.victim], view.released[np.where(there, view.image, 0)]
    in_all = there & (weights_at(possible, x, y) > 0)
    in_high = there & (weights_at(high, x, y) > 0) if noised else in_all

    def chosen(of: Callable[[Counted], NDArray[Any]], which: NDArray[np.int64]) -> Floats:
        return np.where(in_high, of(likely)[which], of(all_)[which]).astype(np.float64)

    total = chosen(lambda found: found.total, view.victim)
    people = (likely if counted == "high" else all_).total[view.victim]
    sizes = np.where(people > outlier * view.rate, total / view.rate, total)
    own = chosen(lambda found: found.own, pairs.row)
    candidates = np.stack([likely.total, all_.total - likely.total], axis=1)[view.victim]
    return Attacked(
        sizes=np.where(in_all, sizes, np.inf),
        kinds=np.where(in_all, chosen(lambda found: found.kinds, view.victim), np.inf),
        share=np.where(in_all, own / np.maximum(total, 1e-300), 0.0),
        candidates=candidates,
    )


class _Pairs(NamedTuple):
    """The different pairs of victim and sensitive value, as compressed rows, and which one each input row is."""

    starts: NDArray[np.int64]
    values: NDArray[np.int64]
    row: NDArray[np.int64]

    @classmethod
    def of(cls, view: View) -> _Pairs:
        domain = int(view.secret.max(initial=0)) + 1
        keys, row = np.unique(view.victim * domain + view.secret, return_inverse=True)
        starts = np.searchsorted(keys // domain, np.arange(len(view.victims) + 1)).astype(np.int64)
        return cls(starts, keys % domain, np.asarray(row).reshape(-1))


def _part(view: View, part: NDArray[np.bool_]) -> tuple[NDArray[np.int64], Held]:
    """Some of the released tuples."""
    sizes = np.diff(view.held.starts)
    inside = np.repeat(part, sizes)
    starts = np.concatenate([[0], np.cumsum(sizes[part])]).astype(np.int64)
    return view.released[part], Held(starts, view.held.values[inside], view.held.counts[inside])


def _counted(view: View, ways: list[Ways], pairs: _Pairs) -> Counted:
    """The candidates of each distinct victim. Who suppresses a class suppresses all of it, so suppressed records are
    candidates only of victims that nothing else could be."""
    asked = pairs.starts, pairs.values
    found = count_candidates(view.victims, *_part(view, ~view.stars), ways, asked=asked)
    if not view.stars.any():
        return found
    _, hidden = _part(view, view.stars)
    starred = np.bincount(hidden.values, hidden.counts, int(pairs.values.max(initial=0)) + 1)
    alone = found.total == 0
    return found._replace(
        total=np.where(alone, hidden.counts.sum(), found.total),
        kinds=np.where(alone, int((np.bincount(hidden.values) > 0).sum()), found.kinds),
        own=np.where(np.repeat(alone, np.diff(pairs.starts)), starred[pairs.values], found.own),
    )


def posterior_success(view: View) -> tuple[Floats, Floats]:
    """The Bayesian attacker: chance that its best guess is right, and the posterior of the true record, per input row.

    Under recoding every record that could be the victim's is as likely as any other. Under noise and sampling the
    attacker weighs each record r by the likelihood ratio Pr[r | victim] / ḡ(r), where ḡ(r) is the mean of Pr[r | other]
    over the other people, and the victim may be out: of n people, m are released, so that

        Pr[r is the victim's] = ratio(r) / (n − m + Σ_s ratio(s)).

    That is Bayes' rule with the prior that everybody is released with the same chance and the other records are drawn
    from ḡ; who is unlike anybody else is found with certainty, sampled or not.
    """
    there = view.image >= 0
    ways = view.ways(lambda channel: channel.likelihood)
    released, held = _part(view, ~view.stars)
    mass, out = None, 0.0
    if not any(isinstance(one, Ways) for one in view.columns):
        shapes = [channel.likelihood.shape[1] for channel in view.columns if isinstance(channel, Channel)]
        back = [way.turned(size) for way, size in zip(ways, shapes, strict=True)]
        people = held_values(
            np.arange(len(view.victims))[view.victim], np.zeros_like(view.victim), len(view.victims), 1
        )
        mass = count_candidates(released, view.victims, people, back).total
        out = float(len(view.victim) - there.sum())
    others = float(max(len(view.victim) - 1, 1))
    found = count_candidates(view.victims, released, held, ways, mass=mass, others=others)
    place = np.where(there, view.image, 0)
    own = np.where(there, weights_at(ways, view.victims[view.victim], view.released[place]), 0.0)
    if mass is not None:  # no record is suppressed here, so that tuples are numbered as they are released
        own = np.where(own > 0, own * others / np.maximum(mass[place] - own, NOBODY), 0.0)
    sums, best, ties = found.total[view.victim], found.best[view.victim], found.ties[view.victim]
    if view.stars.any():
        starred = there & view.stars[place]
        hidden = view.records[view.stars].sum()
        alone = sums == 0
        sums, best = np.where(alone, hidden, sums), np.where(alone, 1.0, best)
        ties = np.where(alone, hidden, ties)
        own = np.where(starred & ~alone, 0.0, own)
    right = np.where((own >= best * (1 - 1e-12)) & (own > 0), 1 / np.maximum(ties, 1), 0.0)
    return right, np.where(own > 0, own / np.maximum(sums + out, 1e-300), 0.0)
