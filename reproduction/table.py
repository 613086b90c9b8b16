"""Mimoto ch. 4: k = 4 and 22, Tables 4.5–4.7; and the optima of ARX on the benchmark extract of Adult."""

from __future__ import annotations

import numpy as np

from sfumato.data.adult import ADULT_BENCHMARK, adult_hierarchy, load_adult_benchmark
from sfumato.table import (
    CategoryNoise,
    ColumnMethods,
    Generalise,
    Hierarchy,
    Lineage,
    NumberNoise,
    RecordSuppression,
    Schema,
    check,
    protect,
)
from sfumato.table.deanonymise import deanonymise, view_of
from sfumato.table.dissertation import adult_table, adult_trees, schema_of
from sfumato.table.utility import FRatio

EPSILONS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)
RATES = (0.9, 0.8, 0.7, 0.6, 0.5)
RUNS = 10
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
        found.append(deanonymise(view, threshold=0.9, outlier=2, **rule).n_q)  # type: ignore[arg-type]
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


def _utility() -> str:
    """Table 4.7 with an SVM on a sample of the records: a full run takes an hour."""
    table = adult_table().take(np.random.default_rng(0).permutation(32_561)[:5_000])
    data = Lineage(table, np.arange(table.num_rows))
    utility = FRatio(schema=schema_of(adult_trees()), column="income", positive=">50K", learner="svm", test=0.1)
    lines = ["| n_q | data set | printed | ours (5 000 records, mean of 3 splits) |", "|---|---|---|---|"]
    cases = (
        (4, "1", 1, 1.0, 1.0, 0.658),
        (4, "2 (ε = .5, α = .5)", 2, 0.5, 0.5, 0.633),
        (10, "5", 5, 1.0, 1.0, 0.647),
        (10, "3 (.5, .9)", 3, 0.5, 0.9, 0.636),
        (10, "3 (1.0, .5)", 3, 1.0, 0.5, 0.695),
        (22, "4", 4, 1.0, 1.0, 0.588),
        (22, "3 (.5, .5)", 3, 0.5, 0.5, 0.650),
    )
    for size, name, dataset, epsilon, rate, printed in cases:
        method = _methods(dataset, epsilon, rate)
        values = []
        for seed in range(3):
            released = method.release(data, rng=np.random.default_rng(seed))
            if dataset == 5:
                released = RecordSuppression(schema=method.schema, k=10).release(released)
            values.append(utility.measure(data, released, rng=np.random.default_rng(seed)).value)
        lines.append(f"| {size} | {name} | {printed:.3f} | {np.mean(values):.3f} |")
    return "\n".join(lines)


def _optima() -> str:
    table = load_adult_benchmark()
    schema = Schema(quasi={name: Hierarchy.read(adult_hierarchy(name)) for name in ADULT_BENCHMARK})
    lines = ["| k, limit | ARX levels | ours | ARX loss | ours |", "|---|---|---|---|---|"]
    for k, limit, levels, loss in ARX:
        found = protect(table, schema, k=k, suppression=limit)
        ours = " ".join(map(str, found.levels.values()))
        lines.append(f"| {k}, {limit:.0%} | {levels} | {ours} | {loss:.5f} | {found.loss:.5f} |")
    for k, loss in ((5, 0.1776), (20, 0.2433)):
        found = protect(table, schema, k=k, recoding="local")
        lines.append(f"| {k}, local recoding | – | – | {loss:.4f} | {found.loss:.4f} |")
    eight = Schema(quasi=dict(list(schema.quasi.items())[:8]), sensitive=["salary-class"])
    sets = protect(table, eight, k=5, recoding="local", publish="set")
    lines.append(f"| 5, published sets, 8 columns (anonypy) | – | – | 0.0320 | {sets.loss:.4f} |")
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

Encoding, scaling and features of the printed SVM are not stated; ours takes the four quasi-identifiers, labels as
expected shares of the values they cover, and tests on raw records that are generalised as the training records are.
Generalisation alone (1, 4, 5) costs little, far less than printed. The claim that data set 3 serves better than 4
and 5 at equal n_q is not reproduced: with the corrected mechanism its n_q is not equal (73 to 149), and noise on
categories costs more than generalising them.

{_utility()}

### The optima of ARX

Adult, 30 162 complete records, nine quasi-identifiers, generalised information loss; levels in the order of the
columns.

{_optima()}
"""
