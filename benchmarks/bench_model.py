"""Audits of models: the copying test, closest records, linkability and déjà vu votes; peers beside them.

CPU and wall seconds after one warm-up call that compiles. anonymeter and sdmetrics run in environments of their own on
the same made-up tables.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from peers import run_peer
from sfumato.model import audit_copying, infer_labels, linkability_risk, measure_closeness
from sfumato.model.core.mixed_rows import closest_records, code_together

TABLE = """
import json, time
import numpy as np, pandas as pd

def people(count, seed):
    rng = np.random.default_rng(seed)
    made = {f"n{c}": rng.normal(size=count) for c in range(6)}
    made |= {f"c{c}": rng.integers(0, 8, count).astype(str) for c in range(13)}
    return pd.DataFrame(made)
"""
ANONYMETER = """
from anonymeter.evaluators import LinkabilityEvaluator
train, control, made = people(SIZE, 0), people(SIZE, 1), people(SIZE, 2)
names = sorted(train.columns)
start = time.process_time()
found = LinkabilityEvaluator(ori=train, syn=made, control=control, n_attacks=1000,
                             aux_cols=(names[::2], names[1::2]), n_neighbors=1)
found.evaluate(n_jobs=1)
print(json.dumps({"seconds": time.process_time() - start}))
"""
SDMETRICS = """
from sdmetrics.single_table.privacy import DCROverfittingProtection
train, control, made = people(SIZE, 0), people(SIZE, 1), people(SIZE, 2)
columns = {c: {"sdtype": "numerical" if c[0] == "n" else "categorical"} for c in train.columns}
start = time.process_time()
DCROverfittingProtection.compute(real_training_data=train, synthetic_data=made, real_validation_data=control,
                                 metadata={"tables": {"people": {"columns": columns}}}, table_name="people")
print(json.dumps({"seconds": time.process_time() - start}))
"""


def timed(call: Callable[[], Any]) -> tuple[float, float]:
    """CPU seconds and wall seconds of a call."""
    started, clock = time.process_time(), time.perf_counter()
    call()
    return time.process_time() - started, time.perf_counter() - clock


def people(count: int, seed: int) -> pa.Table:
    """Six numbers and thirteen categories of made-up people."""
    rng = np.random.default_rng(seed)
    made = {f"n{c}": rng.normal(size=count) for c in range(6)}
    return pa.table(made | {f"c{c}": rng.integers(0, 8, count).astype(str) for c in range(13)})


def show(name: str, cpu: float, wall: float) -> None:
    print(f"{name:<66} {cpu:>8.2f} CPU s {wall:>8.2f} wall s", flush=True)


def copying() -> None:
    rng = np.random.default_rng(0)
    train, fresh, made = (rng.normal(size=(size, 64)) for size in (50_000, 10_000, 10_000))
    for kind in ("all", "cell"):
        spent = timed(lambda k=kind: audit_copying(train, fresh, made, cells=50, neighbours=k))
        show(f"C_T, 50k training, 10k + 10k samples, 64-d, neighbours: {kind}", *spent)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


def votes() -> None:
    rng = np.random.default_rng(0)
    public, asked = rng.normal(size=(50_000, 512)), rng.normal(size=(10_000, 512))
    show("déjà vu votes, 10k crops, 50k public, 512-d, K = 100",
         *timed(lambda: infer_labels(public, np.arange(50_000) % 100, asked)))  # fmt: skip


def tables(*, peers: bool = True) -> None:
    measure_closeness(people(10, 0), people(10, 1), people(10, 2))
    closeness = {}
    for size in (2_000, 4_000):
        small = [people(size, seed) for seed in range(3)]
        closeness[size] = timed(lambda g=small: measure_closeness(*g))
        show(f"closest records, {size:,} × {size:,} twice, 19 mixed columns", *closeness[size])
    large = code_together(people(32_500, 0), people(32_500, 1))
    show("closest records, 32 500 × 32 500, 19 mixed columns", *timed(lambda: closest_records(*large, count=2)))
    linked = {}
    for size in (4_000, 30_000):
        groups = [people(size, seed) for seed in range(3)]
        linked[size] = timed(lambda g=groups: linkability_risk(*g, attacks=1_000))
        show(f"linkability, 1 000 attacks and 1 000 controls, {size:,} records", *linked[size])
    if not peers:
        return
    for size in linked:
        code = TABLE + ANONYMETER.replace("SIZE", str(size))
        slow = run_peer("anonymeter", ["anonymeter>=1.0"], code, timeout=3_000)["seconds"]
        ratio = slow / linked[size][0]
        print(f"anonymeter, linkability with {size:,} records: {slow:.1f} CPU s, ratio {ratio:.0f}", flush=True)
    code = TABLE + SDMETRICS.replace("SIZE", "2000")
    slow = run_peer("sdmetrics", ["sdmetrics>=0.20"], code, timeout=3_000)["seconds"]
    ratio = slow / closeness[2_000][0]
    print(f"sdmetrics, the closest records of 2,000: {slow:.1f} CPU s, ratio {ratio:.0f}", flush=True)


def main() -> None:
    copying()
    votes()
    tables()


if __name__ == "__main__":
    main()
