"""How time and memory grow with the data, and what an engine costs beside the work itself.

    python benchmarks/bench_scale.py speed [--numbers 100000000] [--records 10000000] [--folder FOLDER]
    python benchmarks/bench_scale.py growth [--most 1000000] [--room NAME] [--out FOLDER]
    python benchmarks/bench_scale.py spark [--master 'local-cluster[2,1,1024]']

``speed``: numbers through ``statistic protect`` beside DuckDB's own scan and sum; directions and words file to file
beside the same release in memory. ``growth``: every kind of data over three decades of n, each in a process of its own;
writes growth.csv, growth.md and growth.svg. ``spark``: what a job costs before it does anything. Times are CPU seconds
of all threads, so that other work on the machine matters little; the ratio is what counts.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of all threads of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


# ── speed ────────────────────────────────────────────────────────────────────────────────────────────────────────


def write_numbers(path: Path, count: int) -> None:
    """Doubles between 0 and 100 in Parquet, a million at a time, not packed: 8 bytes each."""
    import pyarrow as pa
    from pyarrow import parquet

    rng, schema = np.random.default_rng(0), pa.schema([("x", pa.float64())])
    with parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for start in range(0, count, 1 << 20):
            size = min(1 << 20, count - start)
            writer.write_batch(pa.record_batch([pa.array(rng.uniform(0, 100, size))], schema=schema))


def speed_of_totals(folder: Path, count: int) -> None:
    import duckdb

    import sfumato as sf
    from sfumato.io.engine import Source

    path = folder / "numbers.parquet"
    write_numbers(path, count)
    source = Source.of(path)

    def scan() -> None:
        with duckdb.connect() as connection:
            connection.execute(f"SELECT sum(x) FROM read_parquet('{path}')").fetchall()

    def ask(mechanism: str, size: Source = source) -> None:
        sf.statistic.protect(size, "x", mechanism=mechanism, low=0, high=100, epsilon=1.0, bins=100)

    small = folder / "small.parquet"
    write_numbers(small, 1000)
    for mechanism in ("mean", "histogram", "quantile"):
        ask(mechanism, Source.of(small))  # compiles
    scan()
    floor = min(cpu(scan) for _ in range(2))
    print(f"{count:,} numbers, {path.stat().st_size / 1e6:.0f} MB of Parquet; CPU seconds, best of 2")
    print(f"  {'DuckDB scans and sums':32}{floor:8.2f}")
    for mechanism in ("mean", "histogram", "quantile"):
        took = min(cpu(lambda mechanism=mechanism: ask(mechanism)) for _ in range(2))  # type: ignore[misc]
        print(f"  {'statistic protect ' + mechanism:32}{took:8.2f}   {took / floor:5.2f} times")
    path.unlink()


def speed_of_records(folder: Path, count: int) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    import sfumato as sf
    from sfumato.io.engine import Source

    rng = np.random.default_rng(1)
    words = sf.text.make_letters_vocabulary()
    lines = np.array([" ".join(rng.choice(words.words, 10)) for _ in range(2000)], dtype=object)
    jobs: dict[str, tuple[pa.Table, Callable[[Any], Any]]] = {
        "directions": (
            pa.table({"hour": rng.uniform(0, 24, count)}),
            lambda data: sf.direction.protect(data, "hour", pure=1.0),
        ),
        "words": (
            pa.table({"text": pa.array(lines[rng.integers(0, len(lines), count // 10)], pa.string())}),
            lambda data: sf.text.protect(data, mechanism="word-exponential", epsilon=5.0, vocabulary=words),
        ),
    }
    print(f"{count:,} records; rates a CPU second")
    out = folder / "out.parquet"
    for name, (table, protect) in jobs.items():
        path = folder / "in.parquet"
        parquet.write_table(table, path)
        protect(table.slice(0, 1000))  # compiles

        def in_memory(protect: Any = protect, path: Path = path) -> None:
            protect(parquet.read_table(path)).write(out)

        def streamed(protect: Any = protect, path: Path = path) -> None:
            protect(Source.of(path)).write(out)

        seconds = [cpu(work) for work in (in_memory, streamed)]
        rates = [count / one for one in seconds]
        print(f"  {name:12} in memory {rates[0]:12,.0f}   file to file {rates[1]:12,.0f}   {rates[1] / rates[0]:5.0%}")


# ── growth ───────────────────────────────────────────────────────────────────────────────────────────────────────


def rooms() -> dict[str, tuple[int, str, Callable[[int], Callable[[], object]]]]:
    """For each kind of data: its largest n as a share of the largest of all, what n counts, and the work for n."""
    import pyarrow as pa

    import sfumato as sf

    rng = np.random.default_rng(2)

    def statistic(n: int) -> Callable[[], object]:
        table = pa.table({"x": rng.uniform(0, 100, n)})
        return lambda: sf.statistic.protect(table, "x", mechanism="mean", low=0, high=100, epsilon=1.0)

    def direction(n: int) -> Callable[[], object]:
        table = pa.table({"hour": rng.uniform(0, 24, n)})
        return lambda: sf.direction.protect(table, "hour", pure=1.0)

    def table_of(n: int) -> Callable[[], object]:
        from sfumato.table.data import census_schema, make_census

        table, schema = make_census(n), census_schema()
        return lambda: sf.table.protect(table, schema, k=5)

    def survey(n: int) -> Callable[[], object]:
        table = pa.table({"answer": rng.choice(["a", "b", "c"], n).tolist()})
        return lambda: sf.survey.protect(table, mechanism="unary-encoding", epsilon=1.0, categories=["a", "b", "c"])

    def shuffled(n: int) -> Callable[[], object]:
        table = pa.table({"x": rng.uniform(0, n, n), "answer": rng.choice(["a", "b", "c"], n).tolist()})
        return lambda: sf.survey.protect(table, group=["x"], radius=5.0, alpha=1.0)

    def trace(n: int) -> Callable[[], object]:
        from sfumato.trace.people.cohort_release import protect_people

        people, minutes = max(1, n // 180), [60.0 * k for k in range(180)]
        table = pa.table(
            {
                "who": [f"p{i}" for i in range(people) for _ in minutes],
                "time": minutes * people,
                "latitude": np.full(180 * people, 52.5),
                "longitude": np.full(180 * people, 13.4),
            }
        )
        return lambda: protect_people(table, user="who", secrets=["01:20-01:40"], workers=1)

    def text(n: int) -> Callable[[], object]:
        words = sf.text.make_letters_vocabulary()
        table = pa.table({"text": [" ".join(rng.choice(words.words, 10)) for _ in range(max(1, n // 10))]})
        return lambda: sf.text.protect(table, mechanism="word-exponential", epsilon=5.0, vocabulary=words)

    def activity(n: int) -> Callable[[], object]:
        users = max(20, n // 50)
        table = pa.table(
            {
                "user": rng.integers(0, users, n).astype(str).tolist(),
                "item": rng.integers(0, 100, n).astype(str).tolist(),
                "time": rng.integers(0, 14 * 86400, n),
            }
        )
        return lambda: sf.activity.protect(table, k=5)

    def model(n: int) -> Callable[[], object]:
        from sfumato.model.data.census import make_census

        table = make_census(n)
        domains = {"age": [0, 100, 10], "sex": ["f", "m"]}
        return lambda: sf.model.protect(table, ["age", "sex"], epsilon=1.0, settings={"domains": domains})

    def party(n: int) -> Callable[[], object]:
        from sfumato.party.data import make_bids

        table = make_bids(n)
        return lambda: sf.party.protect(table, "at_least", epsilon=1.0)

    def ledger(n: int) -> Callable[[], object]:
        from sfumato.promise import PureDP

        folder = tempfile.mkdtemp()
        book = sf.Ledger(f"{folder}/people.db")
        book.set("all", PureDP(10.0))
        ids = [f"person {i}" for i in range(n)]
        book.enrol("all", ids)
        return lambda: book.spend("all", PureDP(0.001), people=ids)

    return {
        "statistic": (1, "numbers", statistic),
        "direction": (1, "hours", direction),
        "table": (1, "records", table_of),
        "survey, encoded": (1, "answers", survey),
        "survey, shuffled": (10, "owners", shuffled),
        "trace": (10, "points", trace),
        "text": (1, "words", text),
        "activity": (10, "events", activity),
        "model": (1, "records", model),
        "party": (1, "answers", party),
        "ledger": (1, "people charged", ledger),
    }


def grow(name: str, most: int) -> None:
    """Three decades of n in this process, smallest first: the peak of memory so far is that of the largest so far."""
    share, unit, work = rooms()[name]
    largest = most // share
    work(max(largest // 1000, 20))()  # compiles and imports
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for n in (largest // 1000, largest // 100, largest // 10, largest):
        ready = work(n)
        took = cpu(ready)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"room": name, "n": n, "unit": unit, "cpu": round(took, 4), "base": base, "peak": peak}))
        sys.stdout.flush()


def growth(most: int, only: str | None, out: Path) -> None:
    rows: list[dict[str, Any]] = []
    for name in [only] if only else list(rooms()):
        command = [sys.executable, __file__, "grow", "--room", name, "--most", str(most)]
        run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        if run.returncode:
            print(f"{name}: {run.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        rows += [json.loads(line) for line in run.stdout.splitlines()]
        for row in rows[-4:]:
            print(
                f"{row['room']:18}{row['n']:>12,} {row['unit']:16}{row['cpu']:10.3f} s{row['peak']:10.0f} MB",
                flush=True,
            )
    out.mkdir(parents=True, exist_ok=True)
    with (out / "growth.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    (out / "growth.md").write_text(as_table(rows), encoding="utf-8")
    draw(rows, out / "growth.svg")


def as_table(rows: list[dict[str, Any]]) -> str:
    """CPU seconds and MB beyond an idle process for each n, and the slope of the time over the last decade."""
    lines = [
        "| kind of data | n counts | n / 1000 | n / 100 | n / 10 | n | n is | slope |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(row["room"] for row in rows):
        own = [row for row in rows if row["room"] == name]
        cells = [f"{row['cpu']:.3g} s, {max(row['peak'] - row['base'], 0):.0f} MB" for row in own]
        slope = np.log10(own[-1]["cpu"] / own[-2]["cpu"])
        lines.append(f"| {name} | {own[0]['unit']} | {' | '.join(cells)} | {own[-1]['n']:,} | {slope:.2f} |")
    return "\n".join(lines) + "\n"


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """CPU seconds over n, both logarithmic, and the memory beyond what an empty process has."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "sfumato"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
    for axis in axes:
        axis.set_prop_cycle(color=plt.colormaps["tab20"].colors)
    for name in dict.fromkeys(row["room"] for row in rows):
        own = [row for row in rows if row["room"] == name]
        sizes = [row["n"] for row in own]
        axes[0].plot(sizes, [max(row["cpu"], 1e-4) for row in own], "o-", label=name, markersize=4)
        axes[1].plot(sizes, [max(row["peak"] - row["base"], 0.1) for row in own], "o-", label=name, markersize=4)
    for axis, title in zip(axes, ("CPU seconds", "MB of memory beyond an idle process"), strict=True):
        axis.set(xscale="log", yscale="log", xlabel="n", title=title)
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    sizes = np.array([1e3, 1e6])
    axes[0].plot(sizes, sizes * 1e-7, color="grey", linestyle=":", linewidth=1)
    axes[0].annotate("proportional to n", (2e4, 1.2e-3), color="grey", rotation=24, fontsize=8)
    axes[1].legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))
    figure.savefig(path, metadata={"Date": None})


# ── spark ────────────────────────────────────────────────────────────────────────────────────────────────────────


def spark_overhead(master: str, folder: Path) -> None:
    """Seconds by wall clock: most of them are spent in Java, on other processes."""
    import pyarrow as pa
    from pyarrow import parquet

    import sfumato as sf
    from sfumato.io.engine import Source
    from sfumato.io.engine.spark import SparkEngine

    path = folder / "few.parquet"
    parquet.write_table(pa.table({"hour": np.full(100, 6.0)}), path)
    engine = SparkEngine(master=master)

    def wall(name: str, work: Callable[[], object]) -> None:
        start = time.perf_counter()
        work()
        print(f"  {name:48}{time.perf_counter() - start:8.2f} s")

    def mean() -> None:
        sf.statistic.protect(Source.of(path), "hour", mechanism="mean", low=0, high=24, epsilon=1.0, engine=engine)

    def hours() -> None:
        sf.direction.protect(Source.of(path), "hour", pure=1.0, engine=engine).write(folder / "out.parquet")

    print(f"Spark on {master}: 100 records")
    wall("session", engine._spark)
    wall("first mean (executors start their Python)", mean)
    wall("mean again", mean)
    wall("directions, file to file", hours)
    wall("directions again", hours)
    engine._spark().stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("what", choices=["speed", "growth", "grow", "spark"])
    parser.add_argument("--numbers", type=int, default=10**8)
    parser.add_argument("--records", type=int, default=10**7)
    parser.add_argument("--most", type=int, default=10**6)
    parser.add_argument("--room")
    parser.add_argument("--out", type=Path, default=Path("out/scale"))
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--master", default="local-cluster[2,1,1024]")
    given = parser.parse_args()
    if given.what == "grow":
        grow(given.room, given.most)
        return
    if given.what == "growth":
        growth(given.most, given.room, given.out)
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        if given.what == "spark":
            spark_overhead(given.master, Path(scratch))
            return
        if given.numbers:
            speed_of_totals(Path(scratch), given.numbers)
        if given.records:
            speed_of_records(Path(scratch), given.records)


if __name__ == "__main__":
    main()
