"""Tables beside anjana, pycanon, anonypy and crowds, and beside ARX as measured elsewhere, in one run.

    SFUMATO_DATA=… python benchmarks/bench_table.py            # Adult, peers, a million records
    SFUMATO_DATA=… python benchmarks/bench_table.py 10000000   # and ten million from file to file
    SFUMATO_DATA=… python benchmarks/bench_table.py near-unique 10000000 ['local-cluster[2,1,1024]']

CPU seconds besides wall seconds: this machine may be busy. ARX (Java) is not run here; its times are those measured
warm on two cores. Peers run in environments of their own (see peers.py); anonypy alone takes a minute.
"""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from peers import run_peer
from sfumato.io.datasets.adult import ADULT_BENCHMARK, adult_benchmark_file, adult_hierarchy, load_adult_benchmark
from sfumato.io.engine.source import write_batches
from sfumato.promise import KAnonymity
from sfumato.table import (
    GlobalRecoding,
    Hierarchy,
    LDiversity,
    RecursiveDiversity,
    Schema,
    TCloseness,
    check,
    protect,
)
from sfumato.table.core.lattice import Lattice
from sfumato.table.core.summary import summarise
from sfumato.table.data import CENSUS, census_rows, census_schema
from sfumato.table.protection import recoder
from sfumato.table.streaming import protect_file

HOSPITAL = {
    "zip": np.array([f"{z:05d}" for z in np.random.default_rng(1).choice(99_999, 20_000, replace=False)]),
    "birth": np.arange("1925-01-01", "2025-01-01", dtype="datetime64[D]").astype(str),
    "sex": np.array(["f", "m"]),
    "admission": np.arange("2024-01-01", "2025-01-01", dtype="datetime64[D]").astype(str),
    "diagnosis": np.array([*(f"D{d:03d}" for d in range(520)), ""]),
}

FRAME = f"""
import json, time
import pandas as pd
frame = pd.read_csv({str(adult_benchmark_file())!r}, sep=";", dtype=str)
quasi = {list(ADULT_BENCHMARK[:8])!r}
def timed(action):
    start, wall = time.process_time(), time.perf_counter()
    result = action()
    return result, time.process_time() - start, time.perf_counter() - wall
"""

PYCANON = (
    FRAME
    + """
from pycanon import anonymity
found = {}
for name, action in {
    "k": lambda: anonymity.k_anonymity(frame, quasi),
    "l": lambda: anonymity.l_diversity(frame, quasi, ["salary-class"]),
    "t": lambda: anonymity.t_closeness(frame, quasi, ["salary-class"]),
}.items():
    value, cpu, wall = timed(action)
    found[name] = float(value); found[name + " cpu"] = cpu
print(json.dumps(found))
"""
)

ANJANA = (
    FRAME
    + f"""
import anjana.anonymity as anonymity
trees = {{}}
for name in quasi:
    path = {str(adult_hierarchy("sex"))!r}.replace("_sex.", "_" + name + ".")
    table = pd.read_csv(path, sep=";", header=None, dtype=str)
    trees[name] = {{level: table[level].to_numpy() for level in table.columns}}
def run(limit):
    return anonymity.k_anonymity(frame.copy(), [], quasi, 5, limit, trees)
found = {{}}
for limit in (2, 100):
    result, cpu, wall = timed(lambda: run(limit))
    found[f"cpu {{limit}}"] = cpu
    found[f"kept {{limit}}"] = len(result)
close = lambda: anonymity.t_closeness(frame.copy(), [], quasi, "salary-class", 10, 0.2, 50, trees)
result, cpu, wall = timed(close)
found |= {{"t cpu": cpu, "t kept": len(result), "t classes": len(result.drop_duplicates(quasi))}}
print(json.dumps(found))
"""
)

ANONYPY = (
    FRAME
    + """
import anonypy
for name in quasi + ["salary-class"]:
    if name != "age":
        frame[name] = frame[name].astype("category")
frame["age"] = frame["age"].astype(int)
frame = frame[quasi + ["salary-class"]]
def lost(rows):
    total = count = 0.0
    for row in rows:
        n = row["count"]
        for name in quasi:
            held = str(row[name][0] if isinstance(row[name], list) else row[name])
            if name == "age":
                ends = [int(x) for x in held.split("-")]
                share = (ends[-1] - ends[0]) / (frame["age"].max() - frame["age"].min())
            else:
                share = (len(held.split(",")) - 1) / (frame[name].nunique() - 1)
            total += n * share
        count += n * len(quasi)
    return total / count
def farthest(rows):
    classes = {}
    for row in rows:
        held = classes.setdefault(str([row[name] for name in quasi]), {})
        held[row["salary-class"]] = held.get(row["salary-class"], 0) + row["count"]
    whole = frame["salary-class"].value_counts(normalize=True)
    return max(
        sum(abs(held.get(v, 0) / sum(held.values()) - whole[v]) for v in whole.index) / 2 for held in classes.values()
    )
keeper = anonypy.Preserver(frame, quasi, "salary-class")
rows, cpu, wall = timed(lambda: keeper.anonymize_k_anonymity(k=5))
found = {"cpu": cpu, "loss": lost(rows)}
rows, cpu, wall = timed(lambda: keeper.anonymize_t_closeness(k=10, p=0.2))
print(json.dumps(found | {"t cpu": cpu, "t": farthest(rows), "t loss": lost(rows)}))
"""
)

CROWDS = (
    FRAME
    + """
from crowds.kanonymity import ola, generalizations
from crowds.kanonymity.information_loss import prec_loss
def age(value, level):
    width = 5 * 2 ** (level - 1)
    return str(int(value) // width * width) if level < 4 else "*"
rules = {"age": generalizations.GenRule([lambda v, i=i: age(v, i) for i in range(1, 5)])}
for name in ("sex", "race", "workclass"):
    rules[name] = generalizations.GenRule([lambda v: "*"])
small = frame[["age", "sex", "race", "workclass"]]
_, cpu, wall = timed(lambda: ola.anonymize(small, rules, k=5, max_sup=0.02, info_loss=prec_loss))
print(json.dumps({"cpu": cpu}))
"""
)


def timed(action: Callable[[], Any], repeat: int = 3) -> tuple[Any, float, float]:
    """The result, and CPU and wall seconds of the best repetition, warm."""
    result = action()
    best = (float("inf"), float("inf"))
    for _ in range(repeat):
        start, wall = time.process_time(), time.perf_counter()
        result = action()
        best = min(best, (time.process_time() - start, time.perf_counter() - wall))
    return result, *best


def line(what: str, ours: str, peer: str, ratio: str = "") -> None:
    print(f"{what:<52} {ours:>34} {peer:>34} {ratio:>8}", flush=True)


def adult_schema(count: int = 9) -> Schema:
    trees = {name: Hierarchy.read(adult_hierarchy(name)) for name in ADULT_BENCHMARK}
    quasi = {name: trees[name] for name in ADULT_BENCHMARK[:count]}
    return Schema(quasi=quasi, sensitive={name: trees[name] for name in ADULT_BENCHMARK[count:]})


def against_arx(table: pa.Table) -> None:
    schema = adult_schema()
    for k, limit, loss, seconds in (
        (5, 0.04, 0.29282, 3.3),
        (5, 1.0, 0.2277, 3.4),
        (20, 0.04, 0.39605, 1.1),
        (20, 1.0, 0.31709, 6),
    ):
        result, cpu, wall = timed(lambda k=k, limit=limit: protect(table, schema, k=k, suppression=limit))
        proved = "proved" if result.decision.proved else "not proved"
        ours = f"{result.decision.information_loss:.5f} {cpu:.2f} s ({wall:.2f} wall), {proved}"
        line(
            f"one level a column, k = {k}, {limit:.0%} suppressed",
            ours,
            f"ARX {loss:.5f} {seconds} s",
            f"{seconds / cpu:.1f}×",
        )
    for k, loss, seconds in ((5, 0.1776, 4.9), (20, 0.2433, 9.0)):
        result, cpu, wall = timed(lambda k=k: protect(table, schema, k=k, recoding="local"))
        ours = f"{result.decision.information_loss:.4f} {cpu:.2f} s ({wall:.2f} wall)"
        line(f"local recoding, k = {k}", ours, f"ARX {loss:.4f} {seconds} s", f"{seconds / cpu:.1f}×")


def occupation_schema() -> Schema:
    """Eight quasi-identifiers, the occupation sensitive."""
    trees = {name: Hierarchy.read(adult_hierarchy(name)) for name in ADULT_BENCHMARK}
    secret = trees.pop("occupation")
    return Schema(quasi=trees, sensitive={"occupation": secret})


def under_diversity(table: pa.Table) -> None:
    """l-diversity of the occupation. Where ours loses less, fewer classes are suppressed: those that the class of ``*``
    does not need to keep the promise."""
    schema = occupation_schema()
    distinct, entropy = (partial(LDiversity, column="occupation", variant=one) for one in ("distinct", "entropy"))
    recursive = RecursiveDiversity(c=2.0, l=4, column="occupation")
    for promise, limit, loss, seconds in (
        (distinct(l=6), 1.0, 0.22682, 1.02),
        (recursive, 1.0, 0.28512, 1.60),
        (entropy(l=4), 0.05, 0.29673, None),
    ):
        result, cpu, _ = timed(
            lambda promise=promise, limit=limit: protect(table, schema, k=1, target=[promise], suppression=limit)
        )
        ours = f"{result.decision.information_loss:.5f} {cpu:.2f} s, gap {result.decision.gap:.1%}"
        peer, ratio = (f" {seconds} s", f"{seconds / cpu:.1f}×") if seconds else ("", "")
        line(f"one level a column, {promise.statement}, {limit:.0%}", ours, f"ARX {loss:.5f}{peer}", ratio)
    for promise, loss in ((distinct(l=3), 0.1264), (entropy(l=4), 0.1710), (recursive, 0.1933)):
        result, cpu, _ = timed(lambda promise=promise: protect(table, schema, k=1, target=[promise], recoding="local"))
        ours = f"{result.decision.information_loss:.4f} {cpu:.2f} s"
        line(f"local recoding, {promise.statement}", ours, f"ARX {loss:.4f} in 1.4 to 6.6 s")


def under_closeness(table: pa.Table) -> None:
    """t-closeness of the occupation, k = 2. Rows that ARX suppresses locally break t."""
    schema = occupation_schema()
    for distance, t, limit, loss, seconds in (
        ("equal", 0.2, 0.05, 0.83969, 1.26),
        ("equal", 0.2, 1.0, 0.64349, 1.77),
        ("hierarchical", 0.1, 0.05, 0.91347, 1.10),
        ("hierarchical", 0.1, 1.0, 0.74023, 1.85),
    ):
        target = [TCloseness(t, "occupation", distance)]
        result, cpu, _ = timed(
            lambda target=target, limit=limit: protect(table, schema, k=2, target=target, suppression=limit)
        )
        line(
            f"one level a column, t = {t} ({distance}), {limit:.0%}",
            f"{result.decision.information_loss:.5f} {cpu:.2f} s, gap {result.decision.gap:.1%}",
            f"ARX {loss:.5f} {seconds} s",
            f"{seconds / cpu:.1f}×",
        )
    for distance, t, loss in (
        ("hierarchical", 0.1, 0.638),
        ("hierarchical", 0.2, 0.479),
        ("hierarchical", 0.3, 0.276),
        ("equal", 0.2, 0.590),
        ("equal", 0.35, 0.367),
    ):
        target = [TCloseness(t, "occupation", distance)]
        result, cpu, _ = timed(lambda target=target: protect(table, schema, k=2, target=target, recoding="local"), 1)
        ours = f"{result.decision.information_loss:.4f} {cpu:.2f} s"
        line(f"local recoding, t = {t} ({distance})", ours, f"ARX {loss:.3f} in 3 to 9 s")


def hard_lattice(rows: int = 30_000) -> None:
    """Nine columns of 16 independent values: 1 953 125 nodes, hardly two records alike."""
    rng = np.random.default_rng(0)
    tree = Hierarchy([[str(v), f"pair {v // 2}", f"four {v // 4}", f"eight {v // 8}", "*"] for v in range(16)])
    names = [f"q{j}" for j in range(9)]
    table = pa.table({name: rng.integers(0, 16, rows).astype(str) for name in names})
    schema = Schema(quasi=dict.fromkeys(names, tree))
    small, _ = summarise(table, schema)
    for limit, tolerance in ((0.04, 0.0), (1.0, 0.01)):
        mechanism = GlobalRecoding(
            schema=schema, target=[KAnonymity(5)], suppression=limit, tolerance=tolerance, seconds=10.0
        )
        found, cpu, _ = timed(lambda mechanism=mechanism: mechanism.decide(small), 1)
        line(
            f"9 columns of 16 values, k = 5, {limit:.0%}, gap ≤ {tolerance:.0%}",
            f"{found.information_loss:.5f} {cpu:.2f} s, gap {found.gap:.2%}",
            f"{found.evaluated} of {found.nodes} nodes",
        )


def decisions(table: pa.Table) -> None:
    """The next decision on a table whose lattice is kept."""
    schema = adult_schema()
    small, _ = summarise(table, schema)
    lattice = Lattice(small)
    for k in (5, 6, 8, 10, 15):
        mechanism = recoder(schema, k=k, suppression=0.04)
        start = time.process_time()
        mechanism.decide(small, lattice)
        kept = time.process_time() - start
        _, cpu, _ = timed(lambda mechanism=mechanism: mechanism.decide(small), 1)
        line(f"k = {k} decided with a kept lattice", f"{1e3 * kept:.0f} ms", f"without {1e3 * cpu:.0f} ms")


def attempt(name: str, requirements: list[str], code: str) -> dict[str, float] | None:
    try:
        return run_peer(name, requirements, code)
    except (RuntimeError, subprocess.SubprocessError) as error:
        reason = str(error).strip().splitlines()[-1]
        print(f"{name} did not run: {reason}", flush=True)
        return None


def against_peers(table: pa.Table) -> None:
    eight = adult_schema(8)
    _, cpu, _ = timed(lambda: check(table, eight))
    peer = attempt("pycanon", ["pycanon>=1.0.6"], PYCANON)
    if peer:
        total = sum(peer[f"{x} cpu"] for x in "klt")
        line(
            "check of k, l and t (ours: all of them, and more)",
            f"{cpu:.3f} s",
            f"pycanon {total:.2f} s",
            f"{total / cpu:.0f}×",
        )
    result, cpu, _ = timed(lambda: protect(table, eight, k=5, recoding="local", publish="set"))
    mondrian = peer = attempt("anonypy", ["anonypy>=0.2", "pandas>=2"], ANONYPY)
    if peer:
        line(
            "published sets, 8 columns, k = 5: loss and time",
            f"{result.decision.information_loss:.4f} {cpu:.2f} s",
            f"anonypy {peer['loss']:.4f} {peer['cpu']:.1f} s",
            f"{peer['cpu'] / cpu:.0f}×",
        )
    levels = peer = attempt("anjana", ["anjana>=1.0"], ANJANA)
    if peer:
        for limit in (2, 100):
            result, cpu, _ = timed(lambda limit=limit: protect(table, eight, k=5, suppression=limit / 100))
            line(
                f"one level a column, 8 columns, k = 5, ≤ {limit} %",
                f"{table.num_rows - result.decision.suppressed} kept {cpu:.2f} s",
                f"anjana {peer[f'kept {limit}']:.0f} kept {peer[f'cpu {limit}']:.1f} s",
                f"{peer[f'cpu {limit}'] / cpu:.0f}×",
            )
    four = Schema(
        quasi={name: eight.quasi[name] for name in ("age", "sex", "race", "workclass")},
        insensitive=[n for n in ADULT_BENCHMARK if n not in ("age", "sex", "race", "workclass")],
    )
    _, cpu, _ = timed(lambda: protect(table, four, k=5, suppression=0.02))
    peer = attempt("crowds", ["crowds>=0.0.1", "pandas>=2", "numpy"], CROWDS)
    if peer:
        line(
            "one level a column, 4 columns",
            f"{cpu:.3f} s",
            f"crowds (OLA) {peer['cpu']:.2f} s",
            f"{peer['cpu'] / cpu:.0f}×",
        )
    close = adult_schema(8)
    for t in (0.2, 0.1):
        result, cpu, _ = timed(lambda t=t: protect(table, close, k=10, t=t, recoding="local"), 1)
        found = check(result, close).sensitive["salary-class"].t
        line(
            f"t-closeness asked {t}",
            f"{found:.3f} {cpu:.2f} s, loss {result.decision.information_loss:.3f}",
            "" if mondrian is None or t != 0.2 else f"anonypy {mondrian['t']:.3f} {mondrian['t cpu']:.1f} s",
            "" if mondrian is None or t != 0.2 else f"{mondrian['t cpu'] / cpu:.0f}×",
        )
    result, cpu, _ = timed(lambda: protect(table, close, k=10, t=0.2, suppression=0.5))
    if levels:
        line(
            "one level a column, k = 10, t = 0.2, ≤ 50 %",
            f"{table.num_rows - result.decision.suppressed} kept {cpu:.2f} s, {len(result.decision.sizes)} classes",
            f"anjana {levels['t kept']:.0f} kept {levels['t cpu']:.1f} s, {levels['t classes']:.0f} classes",
            f"{levels['t cpu'] / cpu:.0f}×",
        )


def from_file_to_file(rows: int) -> None:
    """Made-up census of nine quasi-identifiers, from CSV to CSV and Parquet."""

    def batches() -> Iterator[pa.RecordBatch]:
        for part in range(-(-rows // 250_000)):
            drawn = census_rows(min(250_000, rows - part * 250_000), np.random.default_rng(part))
            words = {name: pa.array([row[0] for row in CENSUS[name]]) for name in drawn}
            columns = {
                n: pa.DictionaryArray.from_arrays(pa.array(c), words[n]).cast(pa.string()) for n, c in drawn.items()
            }
            yield pa.record_batch(columns)

    schema = census_schema(())
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "people.csv"
        write_batches(batches(), pa.schema([(name, pa.string()) for name in CENSUS]), source)
        for options in ({"k": 5, "suppression": 0.04}, {"k": 5, "recoding": "local"}):
            for kind in ("csv", "parquet"):
                start, wall = time.process_time(), time.perf_counter()
                release = protect_file(source, Path(folder) / f"out.{kind}", recoder(schema, **options))
                cpu, wall = time.process_time() - start, time.perf_counter() - wall
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
                name = options.get("recoding", "global")
                line(
                    f"{rows} records, {source.stat().st_size / 1e6:.0f} MB CSV to {kind}, {name}",
                    f"{cpu:.1f} s CPU, {wall:.1f} s wall",
                    f"peak {memory:.2f} GB, loss {release.decision.information_loss:.4f}",
                )


def hospital_batches(rows: int) -> Iterator[pa.RecordBatch]:
    """A made-up hospital: zip × birth date × sex × admission, hardly two alike; a million records at a time."""
    rng = np.random.default_rng(0)
    weight = rng.pareto(1.2, len(HOSPITAL["zip"])) + 0.1
    for start in range(0, rows, 1_000_000):
        size = min(1_000_000, rows - start)
        codes = {
            "zip": rng.choice(len(weight), size, p=weight / weight.sum()),
            "birth": (rng.beta(2, 1.6, size) * len(HOSPITAL["birth"])).astype(int),
            "sex": rng.integers(0, 2, size),
            "admission": rng.integers(0, len(HOSPITAL["admission"]), size),
            "diagnosis": (rng.random(size) ** 2 * len(HOSPITAL["diagnosis"])).astype(int),
        }
        yield pa.record_batch({name: pa.array(HOSPITAL[name][code].tolist()) for name, code in codes.items()})


def cpu_of_helpers() -> float:
    """CPU seconds of the processes that this one started, and of those that they did: Java and Python workers, which
    run still."""
    parents, seconds = {}, {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            said = file.read_text().rpartition(")")[2].split()
            process = int(file.parent.name)
            parents[process], seconds[process] = int(said[1]), (int(said[11]) + int(said[12]))
    ours = {os.getpid()}
    while more := {process for process, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(seconds[process] for process in ours - {os.getpid()}) / os.sysconf("SC_CLK_TCK")


def near_unique(rows: int, master: str | None = None) -> None:
    """Hardly two records alike: from file to file, on a cluster if its ``master`` is given, then attacked."""
    quasi = {
        "zip": Hierarchy.prefixes(sorted(HOSPITAL["zip"])),
        "birth": Hierarchy.dates(HOSPITAL["birth"]),
        "sex": Hierarchy.flat(["f", "m"]),
        "admission": Hierarchy.dates(HOSPITAL["admission"]),
    }
    schema = Schema(quasi=quasi, sensitive=["diagnosis"], missing="category")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "hospital.csv"
        write_batches(hospital_batches(rows), pa.schema([(name, pa.string()) for name in HOSPITAL]), source)
        engine: Any = "duckdb"
        if master is not None:
            from sfumato.io.engine.spark import SparkEngine

            engine = SparkEngine(master=master)
        start, wall = time.process_time(), time.perf_counter()
        target = Path(folder) / "out.csv"
        release = protect_file(source, target, recoder(schema, k=5, suppression=0.04), engine=engine)
        cpu, helpers = time.process_time() - start, cpu_of_helpers() if master is not None else 0.0
        line(
            f"{rows} near-unique records, CSV to CSV" + ("" if master is None else f", {master}"),
            f"{cpu:.1f} s CPU" + (f" and {helpers:.0f} s elsewhere" if master is not None else ""),
            f"{time.perf_counter() - wall:.0f} s, peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} "
            f"GB, gap {release.decision.gap:.1%}",
        )
    if rows > 2_000_000:
        return
    table = pa.Table.from_batches(hospital_batches(rows))
    release = protect(table, schema, k=5, l=2, suppression=0.02)
    for name, action in (("attack", release.attack), ("measure", release.measure)):
        start = time.process_time()
        action(table)
        line(
            f"{name} of {rows} records, 521 diagnoses",
            f"{time.process_time() - start:.1f} s CPU",
            f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB",
        )


def main() -> None:
    if sys.argv[1:2] == ["near-unique"]:
        near_unique(int(sys.argv[2]), *sys.argv[3:4])
        return
    table = load_adult_benchmark()
    line("what", "sfumato", "peer", "ratio")
    against_arx(table)
    under_diversity(table)
    under_closeness(table)
    hard_lattice()
    decisions(table)
    against_peers(table)
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    near_unique(rows)
    from_file_to_file(rows)


if __name__ == "__main__":
    main()
