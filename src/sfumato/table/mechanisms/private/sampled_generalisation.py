"""A generalised random sample of the records with differential privacy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import binom

from sfumato.errors import bad_input
from sfumato.mechanism import Exponential
from sfumato.noise import Rng
from sfumato.promise import ApproxDP, Assumption
from sfumato.table.core.lineage import plain_table
from sfumato.table.core.rules.hierarchy_rules import Flat
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import Summary, distinct, summarise
from sfumato.table.mechanisms.base import Released, TableMechanism
from sfumato.table.mechanisms.private.class_threshold import best_rate, least_class
from sfumato.table.mechanisms.private.level_scores import LevelScores, candidate_levels
from sfumato.validate import integer, positive, probability

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SampledGeneralisation"]


@dataclass(frozen=True, kw_only=True, eq=False)
class SampledGeneralisation(TableMechanism):
    """Release a random sample of the records, generalised, without small classes: (ε, δ)-DP for each record.

    **Theorem.** (1) One level for each column is chosen by the exponential mechanism with ``search``·ε, on scores whose
    sensitivity is proved at :class:`~sfumato.table.mechanisms.private.level_scores.LevelScores`. (2) Every record is
    kept with probability β by a coin of its own, independent of the choice, all its columns are generalised to these
    levels, and classes of fewer than k kept records are left out: ((1 − ``search``)·ε, δ)-DP for the least k that
    :func:`~sfumato.table.mechanisms.private.class_threshold.sampling_delta` allows. Together (ε, δ)-DP by sequential
    composition, for neighbours that differ by one record. The condition: hierarchies are public.

    **All** columns that leave are generalised, sensitive and insensitive ones as well; one without a hierarchy keeps
    its value or becomes ``*``. Otherwise records of a class would differ, and the proof fails. How many records there
    are, and how many were left out, is covered: nothing but the release may be told.

    The idea is k-anonymity of a sample (Li, Qardaji and Su 2012) with a private choice of levels (SafePub: Bild, Kuhn
    and Prasser 2018). Here δ is exact, so that classes are a third to a half smaller, and the choice is one draw over
    the lattice.

    Parameters
    ----------
    schema : Schema
    epsilon, delta : float
        The promise.
    rate : float, optional
        β; by default the one by which the smallest groups of people are released.
    search : float
        The share of ε that the choice of levels costs.
    levels : mapping of str to int, optional
        The level of each column that leaves, if it is not to be chosen; then ``search`` may be 0.
    candidates : int
        How many combinations of levels are tried at most.

    Examples
    --------
    >>> from sfumato.table.data import census_schema, make_census
    >>> mechanism = SampledGeneralisation(schema=census_schema(), epsilon=1.0, delta=1e-6)
    >>> mechanism.sampling, mechanism.k
    (0.375, 24)
    >>> print(mechanism.guarantee)
    ε = 1, δ = 1e-06 per record (add-remove neighbours, central model), provided that the hierarchy is public
    >>> mechanism.release(make_census(5_000)).num_columns
    9
    """

    technique = "sampling and generalization"
    covers_all = True

    epsilon: float
    delta: float
    rate: float | None = None
    search: float = 0.1
    levels: Mapping[str, int] | None = None
    candidates: int = 20_000

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        probability("delta", self.delta, "0 would ask for classes without end")
        if self.rate is not None:
            probability("rate", self.rate)
        probability("search", self.search, zero=True)
        integer("candidates", self.candidates, least=2)
        if self.levels is None and not self.search:
            raise bad_input("search", self.search, "a share of ε above 0", "or give the levels: they cost nothing then")
        if self.levels is not None:
            self._check_levels(self.levels)
        _ = self.k  # an ε, δ and rate that no class satisfies are refused here

    def _check_levels(self, levels: Mapping[str, int]) -> None:
        names = list(self._everything.quasi)
        if not isinstance(levels, Mapping) or sorted(levels) != sorted(names):
            raise bad_input("levels", levels, "a level for every column that leaves: " + ", ".join(names))
        for name, level in levels.items():
            integer(f"levels[{name!r}]", level, least=0)

    @cached_property
    def _everything(self) -> Schema:
        """The schema in which every column that leaves is generalised."""
        given = self.schema
        trees: dict[str, Any] = {**given.quasi, **given.secrets, **dict.fromkeys(given.insensitive)}
        rules = {**given.rules, **{name: Flat() for name, tree in trees.items() if tree is None}}
        return Schema(
            quasi={name: rules.get(name, tree) for name, tree in trees.items()},
            identifiers=given.identifiers,
            missing=given.missing,
            missing_values=given.missing_values,
            weights=given.weights,
        )

    @property
    def sampling(self) -> float:
        """β, as a multiple of 2⁻⁵³: the chance of a coin drawn in double precision."""
        rate = best_rate(self._published, self.delta) if self.rate is None else self.rate
        return math.floor(rate * 2**53) / 2**53

    @property
    def _published(self) -> float:
        """What is left of ε for the records, rounded down."""
        return math.nextafter(self.epsilon * (1 - self.search), 0.0) if self.search else float(self.epsilon)

    @property
    def k(self) -> int:
        """The smallest class that is released."""
        return least_class(self._published, self.delta, self.sampling)

    @property
    def plan(self) -> str:
        return (
            f"each record is kept with probability {self.sampling:.4g}, and classes of fewer than {self.k} kept "
            f"records are left out: groups of about {math.ceil(self.k / self.sampling)} people show"
        )

    @property
    def guarantee(self) -> ApproxDP:
        """(ε, δ)-DP for adding or removing one record."""
        return ApproxDP(self.epsilon, self.delta, neighbours="add-remove").assuming(Assumption("hierarchy"))

    def prepared(self, table: pa.Table, rng: Rng) -> Self:
        """The same mechanism with its levels chosen; they are a part of the release."""
        if self.levels is not None:
            return self
        small, _ = summarise(table, self._everything.bound(table))
        nodes = candidate_levels([tree.height for tree in small.hierarchies], self.candidates)
        chosen: int = self._choice.release(self._scores.of(small, nodes), rng=rng)
        return replace(self, rate=self.sampling, levels=dict(zip(small.names, nodes[chosen], strict=True)))

    @property
    def _scores(self) -> LevelScores:
        return LevelScores(self._everything, self.sampling, self.k)

    @property
    def _choice(self) -> Exponential:
        return Exponential(
            epsilon=math.nextafter(self.epsilon * self.search, 0.0),
            sensitivity=self._scores.sensitivity,
            monotonic=True,
            neighbours="add-remove",
        )

    def _release(self, table: pa.Table, rng: Rng) -> Released:
        return self.prepared(table, rng)._sampled(table, rng)

    def _sampled(self, table: pa.Table, rng: Rng) -> Released:
        import pyarrow as pa

        schema = self._everything.bound(table)
        small, member = summarise(table, schema)
        shown, labels = self._shown(small)
        codes, alike = distinct(shown, [len(words) for words in labels])
        kept = np.flatnonzero(rng.random(table.num_rows) < self.sampling)
        classes = alike[member[kept]]
        large = np.bincount(classes, minlength=len(codes))[classes] >= self.k
        # By class, so that the order of the input is not in the order of the output.
        order = np.argsort(classes[large], kind="stable")
        rows, classes = kept[large][order], classes[large][order]
        columns = {
            name: pa.DictionaryArray.from_arrays(pa.array(codes[classes, j]), pa.array(words, pa.string()))
            for j, (name, words) in enumerate(zip(small.names, labels, strict=True))
        }
        there = [name for name in table.column_names if name in columns]
        return pa.table({name: columns[name].cast(pa.string()) for name in there}), rows

    def _shown(self, small: Summary) -> tuple[NDArray[np.int64], list[Sequence[str]]]:
        """The labels that each tuple shows at the chosen levels."""
        assert self.levels is not None
        shown: NDArray[np.int64] = np.zeros_like(small.codes)
        labels: list[Sequence[str]] = []
        for j, (name, tree) in enumerate(zip(small.names, small.hierarchies, strict=True)):
            level = integer(f"levels[{name!r}]", self.levels[name], least=0, most=tree.height - 1)
            shown[:, j] = tree.codes[level][small.codes[:, j]]
            labels.append(tree.labels[level])
        return shown, labels

    def log_prob(self, output: Sequence[Any], data: Any) -> NDArray[np.float64]:
        """The log-probability of each released table, over all choices of levels; for small tables, to audit them."""
        table = plain_table(data)
        small, _ = summarise(table, self._everything.bound(table))
        nodes = candidate_levels([tree.height for tree in small.hierarchies], self.candidates)
        if self.levels is None:
            weights = self._choice.log_probs(self._scores.of(small, nodes))
        else:
            nodes, weights = [tuple(self.levels[name] for name in small.names)], np.zeros(1)
        names = [name for name in table.column_names if name in small.names]
        seen = [Counter(zip(*(plain_table(one)[name].to_pylist() for name in names), strict=True)) for one in output]
        found = np.full((len(nodes), len(seen)), -np.inf)
        for i, node in enumerate(nodes):
            fixed = replace(self, levels=dict(zip(small.names, node, strict=True)))
            sizes = fixed._class_sizes(small, names)
            for o, counts in enumerate(seen):
                found[i, o] = weights[i] + self._log_law(sizes, counts)
        return np.asarray(logsumexp(found, axis=0))

    def _class_sizes(self, small: Summary, names: Sequence[str]) -> Counter[tuple[str, ...]]:
        shown, labels = self._shown(small)
        places = [small.names.index(name) for name in names]
        found: Counter[tuple[str, ...]] = Counter()
        for row, count in zip(shown, small.counts, strict=True):
            found[tuple(labels[j][row[j]] for j in places)] += int(count)
        return found

    def _log_law(self, sizes: Counter[tuple[str, ...]], counts: Counter[tuple[str, ...]]) -> float:
        """The log-probability that classes of these sizes show these counts."""
        if set(counts) - set(sizes) or any(count < self.k for count in counts.values()):
            return -math.inf
        total = 0.0
        for label, size in sizes.items():
            shown = counts.get(label, 0)
            law = binom.logpmf(shown, size, self.sampling) if shown else binom.logcdf(self.k - 1, size, self.sampling)
            total += float(law)
        return total
