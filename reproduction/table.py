"""Mimoto ch. 4: k = 4 and 22, Tables 4.5–4.7; and the optima of ARX on the benchmark extract of Adult."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC

from reproduction._adult import adult_table, adult_trees, schema_of
from sfumato.io.datasets.adult import ADULT_BENCHMARK, adult_hierarchy, load_adult_benchmark
from sfumato.mechanism import Mechanism
from sfumato.promise import KAnonymity
from sfumato.table import (
    CategoryNoise,
    ColumnMethods,
    Generalise,
    GlobalRecoding,
    Hierarchy,
    Lineage,
    NumberNoise,
    RecordSuppression,
    Schema,
    check,
    protect,
)
from sfumato.table.attacks.deanonymiser import deanonymise, view_of
from sfumato.table.utilities.f_ratio import FRatio

EPSILONS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)
RATES = (0.9, 0.8, 0.7, 0.6, 0.5)
RUNS = 10
SPLITS = 10
CASES = (  # printed n_q, data set with (ε, α), its number, ε, α, printed utility
    (4, "1", 1, 1.0, 1.0, 0.658),
    (4, "2 (.5, .5)", 2, 0.5, 0.5, 0.633),
    (10, "5", 5, 1.0, 1.0, 0.647),
    (10, "3 (.5, .9)", 3, 0.5, 0.9, 0.636),
    (10, "3 (1.0, .5)", 3, 1.0, 0.5, 0.695),
    (22, "4", 4, 1.0, 1.0, 0.588),
    (22, "3 (.5, .5)", 3, 0.5, 0.5, 0.650),
)
CLAIMS = (("3 (.5, .9)", "5"), ("3 (1.0, .5)", "5"), ("3 (.5, .5)", "4"))
TABLE_4_5 = {
    0.9: (1.8, 2.2, 2.5, 2.4, 3.1, 3.0),
    0.8: (1.5, 1.8, 2.2, 2.6, 2.9, 3.2),
    0.7: (1.9, 2.1, 2.1, 2.6, 2.8, 3.1),
    0.6: (2.2, 2.4, 3.0, 3.1, 3.4, 3.4),
    0.5: (2.8, 2.6, 3.2, 3.8, 3.6, 3.8),
}
TABLE_4_6 = {
    0.9: (6.8, 7.6, 6.7, 8.1, 8.6, 9.8),
    0.8: (7.2, 7.5, 7.9, 9.6, 12.1, 14.1),
    0.7: (7.7, 8.0, 8.5, 9.6, 14.1, 16.9),
    0.6: (8.3, 8.6, 9.4, 11.3, 16.8, 18.7),
    0.5: (8.1, 9.2, 9.6, 14.1, 18.3, 19.3),
}
ARX = (
    (5, 0.04, "0 3 0 1 1 1 1 2 0", 0.29282),
    (5, 1.0, "0 3 0 0 2 1 1 1 0", 0.22770),
    (20, 0.04, "0 4 0 1 2 1 1 2 0", 0.39605),
    (20, 1.0, "0 3 0 1 2 1 1 1 0", 0.31709),
)


def _methods(dataset: int, epsilon: float = 1.0, rate: float = 1.0) -> ColumnMethods:
    """The five data sets of §4.3 as compositions of steps (5 drops small classes afterwards)."""
    schema = schema_of(adult_trees())
    noise = NumberNoise(scale=1 / epsilon, exact=False)
    if dataset == 2:
        columns = {
            "age": [noise],
            "education-num": [noise],
            "workclass": [Generalise(1)],
            "marital-status": [Generalise(1)],
        }
    elif dataset == 3:
        columns = {
            "age": [Generalise(1)],
            "education-num": [noise, Generalise(1)],
            "workclass": [CategoryNoise(epsilon)],
            "marital-status": [CategoryNoise(epsilon)],
        }
    else:
        columns = {name: [Generalise(2 if name == "age" and dataset == 4 else 1)] for name in schema.quasi}
    return ColumnMethods(schema=schema, columns=columns, rate=rate)


def _n_q(dataset: int, epsilon: float, rate: float, **rule: str) -> float:
    table, method = adult_table(), _methods(dataset, epsilon, rate)
    data = Lineage(table, np.arange(table.num_rows))
    found = []
    for seed in range(RUNS):
        released = method.release(data, rng=np.random.default_rng([dataset, seed]))
        view = view_of(data, released, method.schema, mechanism=method)
        found.append(deanonymise(view, threshold=0.9, outlier=2, counted="possible", **rule).n_q)  # type: ignore[arg-type]
    return float(np.mean(found))


def _grid(head: str, printed: dict[float, tuple[float, ...]], dataset: int, **rule: str) -> str:
    lines = [f"| {head} | " + " | ".join(f"ε = {e:g}" for e in EPSILONS) + " |", "|---" * 7 + "|"]
    for rate in RATES:
        lines.append(f"| printed, {rate:g} | " + " | ".join(f"{v:g}" for v in printed[rate]) + " |")
        ours = [_n_q(dataset, epsilon, rate, **rule) for epsilon in EPSILONS]
        lines.append(f"| **ours, {rate:g}** | " + " | ".join(f"{v:.1f}" for v in ours) + " |")
    return "\n".join(lines)


def _anonymity() -> str:
    table = adult_table()
    lines = [
        "| data set | printed k | ours by counting (P1) | ours by attack (S3) | classes |",
        "|---|---|---|---|---|",
    ]
    for dataset, printed in ((1, 4), (4, 22), (5, 10)):
        method = _methods(dataset)
        data = Lineage(table, np.arange(table.num_rows))
        released = method.release(data)
        if dataset == 5:
            released = RecordSuppression(schema=method.schema, k=10).release(released)
        found = check(released, method.schema)
        attacked = deanonymise(view_of(data, released, method.schema))
        lines.append(f"| {dataset} | {printed} | {found.k} | {attacked.n_q:g} | {found.classes} |")
    return "\n".join(lines)


class WeightedSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """An SVM with RBF kernel on distinct records with weights: the same optimum as on all records, far sooner."""

    def fit(self, x: np.ndarray, y: np.ndarray) -> WeightedSVC:
        both = np.column_stack([x, y])
        distinct, counts = np.unique(both, axis=0, return_counts=True)
        gamma = 1 / (x.shape[1] * x.var())  # scikit-learn's default, of all records
        self.machine_ = SVC(kernel="rbf", gamma=gamma, cache_size=1000)
        self.machine_.fit(distinct[:, :-1], distinct[:, -1] > 0, sample_weight=counts)
        self.classes_ = self.machine_.classes_
        return self

    def predict(self, x: np.ndarray) -> np.ndarray:
        distinct, which = np.unique(x, axis=0, return_inverse=True)
        return self.machine_.predict(distinct)[which.reshape(-1)]


def _utility() -> str:
    """Table 4.7: an SVM on nine tenths of all records, tested on the rest."""
    table = adult_table()
    data = Lineage(table, np.arange(table.num_rows))
    schema = schema_of(adult_trees())
    utility = FRatio(schema=schema, column="income", positive=">50K", learner=WeightedSVC(), test=0.1)
    splits = [utility.split(data, np.random.default_rng(seed)) for seed in range(SPLITS)]
    raw = np.array([utility.f(data, data, held) for held in splits])

    def measured(*mechanisms: Mechanism) -> np.ndarray:
        values = []
        for seed, held in enumerate(splits):
            released = data
            for mechanism in mechanisms:
                released = mechanism.release(released, rng=np.random.default_rng([7, seed]))
            values.append(utility.f(data, released, held))
        return np.array(values) / raw

    small = RecordSuppression(schema=schema, k=10)
    found, n_q = {}, {}
    lines = ["| printed n_q | data set | printed | ours | ± |", "|---|---|---|---|---|"]
    for size, name, dataset, epsilon, rate, printed in CASES:
        found[name] = measured(_methods(dataset, epsilon, rate), *([small] if dataset == 5 else []))
        n_q[name] = _n_q(dataset, epsilon, rate)
        lines.append(f"| {size} | {name} | {printed:.3f} | {found[name].mean():.3f} | {_spread(found[name]):.3f} |")
    printed_of = {case[1]: case[-1] for case in CASES}
    lines += ["", "| is data set 3 above? | printed | ours | ± | holds in |", "|---|---|---|---|---|"]
    for better, worse in CLAIMS:
        said = f"{printed_of[better] - printed_of[worse]:+.3f}"
        lines.append(f"| {better} against {worse}, printed n_q equal | {said} | {_gap(found[better] - found[worse])}")
    for better, _ in CLAIMS:
        k = int(np.ceil(n_q[better]))
        generalised = measured(GlobalRecoding(schema=schema, target=[KAnonymity(k)]))
        lines.append(
            f"| {better} against generalised to k = {k}, our n_q equal | – | {_gap(found[better] - generalised)}"
        )
    return f"F on the raw data: {raw.mean():.3f} ± {_spread(raw):.3f}.\n\n" + "\n".join(lines)


def _gap(values: np.ndarray) -> str:
    return f"{values.mean():+.3f} | {_spread(values):.3f} | {int((values > 0).sum())} of {SPLITS} splits |"


def _spread(values: np.ndarray) -> float:
    """Standard deviation over the splits."""
    return float(values.std(ddof=1))


def _optima() -> str:
    table = load_adult_benchmark()
    schema = Schema(quasi={name: Hierarchy.read(adult_hierarchy(name)) for name in ADULT_BENCHMARK})
    lines = ["| k, limit | ARX levels | ours | ARX loss | ours |", "|---|---|---|---|---|"]
    for k, limit, levels, loss in ARX:
        found = protect(table, schema, k=k, suppression=limit)
        ours = " ".join(map(str, found.decision.levels.values()))
        lines.append(f"| {k}, {limit:.0%} | {levels} | {ours} | {loss:.5f} | {found.decision.information_loss:.5f} |")
    for k, loss in ((5, 0.1776), (20, 0.2433)):
        found = protect(table, schema, k=k, recoding="local")
        lines.append(f"| {k}, local recoding | – | – | {loss:.4f} | {found.decision.information_loss:.4f} |")
    eight = Schema(quasi=dict(list(schema.quasi.items())[:8]), sensitive=["salary-class"])
    sets = protect(table, eight, k=5, recoding="local", publish="set")
    lines.append(f"| 5, published sets, 8 columns (anonypy) | – | – | 0.0320 | {sets.decision.information_loss:.4f} |")
    return "\n".join(lines)


def section() -> str:
    return f"""## Tables (Mimoto, chapter 4)

### k-anonymity of the data sets of §4.3

Adult's training part, age, education-num, workclass and marital-status. Data set 5 drops the 11 records of the two
classes below 10; the smallest class that is left has 14, so the printed 10 is a lower bound.

{_anonymity()}

### Table 4.5: n_q of data set 2 (Laplace on age and education, the rest generalised, sampling)

High by `mass="product", cover="reach"`: the noised columns together have mass at least T = 0.9. The dissertation
does not say its rule, nor the k of its outlier test (2 here); our specification tried five rules against the
printed table and found this one closest, so it was chosen after seeing the result. Trends agree: n_q rises with
noise, and as fewer rows are sampled. The level is 0.3 to 1.7 below the printed one.

{_grid("α", TABLE_4_5, 2, mass="product", cover="reach")}

### Table 4.6: n_q of data set 3 (noise on categories too)

The printed exponential mechanism rewards distance and starts at the column's median; ours is Pr[c | x] ∝
exp(−ε·dist/2) from the record itself. With it the level of Table 4.6 is not recovered (73 to 149 instead of 7 to
19). What is: n_q is far above that of data set 2 and rises with noise, with one dip at ε = 0.6. Sampling, which
doubles the printed numbers, does not matter in ours.

{_grid("α", TABLE_4_6, 3)}

### Table 4.7: utility

All 32 561 records, {SPLITS} random tenths held out, SVM with RBF kernel (C = 1); mean and standard deviation over the
splits of F on the release over F on the raw data. Encoding, scaling, features and whether the test records are
generalised are not stated in the dissertation; ours takes the four quasi-identifiers, labels as expected shares of the
values they cover, and generalises the raw test records as the training records are (noised columns stay raw).

The level is not the printed one: generalisation alone (1, 4, 5) costs little, as our specification found (0.94 to
0.98 with another encoding). The claim is that data set 3 serves better than 4 and 5 at equal n_q. In the printed
numbers themselves it holds in two of three comparisons. In ours it holds in none, in no split: the corrected
exponential mechanism at ε = 0.5 leaves little of the categories. Nor is n_q equal then (Table 4.6), so the second half
compares each with the best generalisation that reaches *our* n_q of it. All generalisations score alike because the SVM
learns the same rule from each: married and 13 or more years of education.

{_utility()}

### The optima of ARX

Adult, 30 162 complete records, nine quasi-identifiers, generalised information loss; levels in the order of the
columns.

{_optima()}
"""
