"""The de-anonymiser of chapter 4: simulate the mechanism for every victim and count who could be them [S1–S4].

Algorithm 2, with its three simulators in one. Generalisation leaves a record certainly consistent or impossible; noise
splits the possible ones into High (together the likely mass T) and Low; sampling says that a victim with more than k·α
candidates is no outlier, so that its candidates stand for 1/α as many.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.table.attacks.candidates import count_candidates, posterior
from sfumato.table.core.channel import Channel, coverage
from sfumato.table.core.hierarchy import STAR
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
        Distinct quasi tuples of the input, and which one each input row has.
    released, image : ndarray
        Distinct released tuples, and which one each input row became (−1 if it was not released).
    counts : ndarray of shape (released tuples, sensitive values)
    secret : ndarray
        The sensitive value of each input row (all 0 without a sensitive column).
    channels : list of Channel
    rate : float
        Sampling rate α.
    stars : ndarray
        Which released tuples are suppressed records.
    """

    victims: NDArray[np.int64]
    victim: NDArray[np.int64]
    released: NDArray[np.int64]
    image: NDArray[np.int64]
    counts: Floats
    secret: NDArray[np.int64]
    channels: list[Channel]
    rate: float
    stars: NDArray[np.bool_]


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
    if len(rows) and (rows.min() < 0 or rows.max() >= before.num_rows or len(np.unique(rows)) < len(rows)):
        raise InputError("lineage: expected distinct row numbers of the input; the ids belong to another table")
    known: Mapping[str, Channel] = getattr(mechanism, "channels", None) or {}
    ins, outs, channels = [], [], []
    for name, tree in schema.quasi.items():
        places = leaf_codes(before[name], tree, name, schema)
        codes, labels = labels_of(after[name], schema.missing_values)
        words = [schema.missing_label(name) if label is None else label for label in labels[:-1]]
        if labels and (codes == len(labels) - 1).any():
            words.append(schema.missing_label(name))
        if name in known:
            channel = known[name]
        else:  # of a large domain only what occurs
            used, places = np.unique(places, return_inverse=True)
            channel = coverage(tree, words, name, used)
        ins.append(places)
        shown = channel.places(words, name)
        outs.append(shown[codes] if len(shown) else codes)
        channels.append(channel)
    victims, victim = distinct(np.stack(ins, axis=1), [len(c.inputs) for c in channels])
    released, which = distinct(np.stack(outs, axis=1), [len(c.outputs) for c in channels])
    image = np.full(before.num_rows, -1)
    image[rows] = which
    secret, values = _secrets(before, after, schema, column)
    counts = np.zeros((len(released), values))
    np.add.at(counts, (which, secret[1]), 1.0)
    star = [c.outputs.index(STAR) if STAR in c.outputs else -1 for c in channels]
    stars = (released == np.array(star)).all(1) if not known else np.zeros(len(released), np.bool_)
    return View(
        victims, victim, released, image, counts, secret[0], channels, float(getattr(mechanism, "sampling", 1.0)), stars
    )


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
    """
    probability("threshold", threshold)
    choice("mass", mass, ("each", "product"))
    choice("cover", cover, ("within", "reach"))
    positive("outlier", outlier)
    if outlier < 1:
        raise bad_input("outlier", outlier, "k ≥ 1")
    noised = sum(bool((channel.mass > 0).any()) for channel in view.channels)
    level = threshold ** (1 / noised) if mass == "product" and noised else threshold
    high = [channel.high(level, cover).astype(np.float64) for channel in view.channels]
    possible = [channel.possible.astype(np.float64) for channel in view.channels]
    likely, all_ = _counted(view, high), _counted(view, possible)
    there = view.image >= 0
    x, y = view.victims[view.victim], view.released[np.where(there, view.image, 0)]
    in_high, in_all = there.copy(), there.copy()
    for j in range(x.shape[1]):
        in_high &= high[j][x[:, j], y[:, j]] > 0
        in_all &= possible[j][x[:, j], y[:, j]] > 0
    chosen = np.where(in_high[:, None], likely[view.victim], all_[view.victim])
    total = chosen.sum(1)
    everyone = all_.sum(1)[view.victim]
    sizes = np.where(everyone > outlier * view.rate, total / view.rate, total)
    own = chosen[np.arange(len(chosen)), view.secret]
    return Attacked(
        sizes=np.where(in_all, sizes, np.inf),
        kinds=np.where(in_all, (chosen > 0).sum(1), np.inf),
        share=np.where(in_all, own / np.maximum(total, 1e-300), 0.0),
        candidates=np.stack([likely.sum(1)[view.victim], (all_.sum(1) - likely.sum(1))[view.victim]], axis=1),
    )


def _counted(view: View, matrices: list[Floats]) -> Floats:
    """Candidates of each distinct victim by sensitive value. Who suppresses a class suppresses all of it, so suppressed
    records are candidates only of victims that nothing else could be."""
    if not view.stars.any():
        return count_candidates(view.victims, view.released, view.counts, matrices)
    plain = ~view.stars
    found = count_candidates(view.victims, view.released[plain], view.counts[plain], matrices)
    return np.where(found.sum(1, keepdims=True) > 0, found, view.counts[view.stars].sum(0))


def posterior_success(view: View) -> tuple[Floats, Floats]:
    """The Bayesian attacker: chance that its best guess is right, and the posterior of the true record, per input row.

    Every released record is weighted with its likelihood Π_j Pr[r_j | victim_j]; the victim is in the sample with
    probability α.
    """
    plain = ~view.stars
    likelihoods = [channel.likelihood for channel in view.channels]
    counts = view.counts.sum(1)
    sums, best, ties = posterior(view.victims, view.released[plain], counts[plain], likelihoods)
    there = view.image >= 0
    x, y = view.victims[view.victim], view.released[np.where(there, view.image, 0)]
    own = np.where(there, 1.0, 0.0)
    for j in range(x.shape[1]):
        own *= likelihoods[j][x[:, j], y[:, j]]
    sums, best, ties = sums[view.victim], best[view.victim], ties[view.victim]
    if view.stars.any():
        starred = there & view.stars[np.where(there, view.image, 0)]
        hidden = counts[view.stars].sum()
        alone = sums == 0
        sums, best = np.where(alone, hidden, sums), np.where(alone, 1.0, best)
        ties = np.where(alone, hidden, ties)
        own = np.where(starred & ~alone, 0.0, own)
    right = np.where((own >= best * (1 - 1e-12)) & (own > 0), 1 / np.maximum(ties, 1), 0.0)
    return right, np.where(own > 0, own / np.maximum(sums, 1e-300), 0.0)
