"""Activity logs: events to matrices, factorisation beside ``implicit``, assignment beside scipy.

CPU and wall seconds after a warm-up call that compiles; peak memory of the process. The peer runs in an environment of
its own; it factorises with weights of its own (implicit feedback), so that the ratio is one of time alone.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from peers import run_peer
from sfumato.activity import Calendar, Factoriser, LinkageAttack, make_browsing, read_activity
from sfumato.activity.core.assignment import assign, squared_distance
from sfumato.noise import seeded_rng

PEER = """
import json, os, time
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np, scipy.sparse as sp
from implicit.cpu.als import AlternatingLeastSquares
rng = np.random.default_rng(0)
rows, columns = rng.integers(0, 20000, 200000), rng.integers(0, 5000, 200000)
matrix = sp.csr_matrix((np.ones(200000, np.float32), (rows, columns)), shape=(20000, 5000))
AlternatingLeastSquares(factors=8, iterations=1, num_threads=1).fit(matrix[:200], show_progress=False)
start = time.process_time()
AlternatingLeastSquares(factors=40, iterations=20, num_threads=1).fit(matrix, show_progress=False)
print(json.dumps(time.process_time() - start))
"""


def timed(call: Callable[[], Any]) -> tuple[float, float, Any]:
    """CPU seconds, wall seconds and the result of a call."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = call()
    return time.process_time() - cpu, time.perf_counter() - wall, result


def memory() -> str:
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB peak"


def events(count: int = 1_000_000) -> None:
    rng = seeded_rng(0)
    log = pa.table(
        {
            "user": pa.array(rng.integers(0, 20_000, count)),
            "item": pa.array(rng.integers(0, 5_000, count)),
            "time": pa.array(1_700_000_000 + rng.integers(0, 28 * 86_400, count)),
        }
    )
    calendar = Calendar(every="week", timezone="Europe/Vienna")
    read_activity(log.slice(0, 1000), calendar=calendar)
    cpu, wall, made = timed(lambda: read_activity(log, calendar=calendar))
    print(f"{count:,} events to {made}: {cpu:.2f} CPU s, {wall:.2f} s wall, {memory()}")


def factorisation() -> None:
    matrix = make_browsing(200, 1_000).windows[0]
    Factoriser(rank=2, sweeps=1).fit(matrix, seeded_rng(0))
    cpu, wall, _ = timed(lambda: Factoriser(rank=40, sweeps=100).fit(matrix, seeded_rng(0)))
    print(f"SGD 200 × 1 000, r = 40, 100 sweeps over all cells: {cpu:.2f} CPU s, {wall:.2f} s wall")
    rng = seeded_rng(0)
    rows, columns = rng.integers(0, 20_000, 200_000), rng.integers(0, 5_000, 200_000)
    large = sparse.csr_array((np.ones(200_000), (rows, columns)), shape=(20_000, 5_000))
    cpu, wall, _ = timed(lambda: Factoriser(rank=40, sweeps=20, solver="als").fit(large, seeded_rng(0)))
    print(f"ALS 20 000 × 5 000 (0.2 %), r = 40, 20 sweeps: {cpu:.2f} CPU s, {wall:.2f} s wall, {memory()}")
    peer = run_peer("implicit", ["implicit", "numpy", "scipy"], PEER)
    print(
        f"implicit, the same size: {peer:.2f} CPU s; ours takes {cpu / peer:.2f} of that"
        if peer
        else "implicit: not here"
    )


def assignment() -> None:
    print("assignment of rows of two windows (ours mixes the rows and computes the scores; scipy is given them)")
    for users in (1_000, 2_000, 4_000):
        log = make_browsing(users, 1_000)
        affinity = squared_distance(*log.windows)
        scores = affinity.block(slice(None))
        scipy_cpu, _, best = timed(lambda s=scores: linear_sum_assignment(s, maximize=True)[1])
        found = []
        for exact in (users, 1):
            assign(affinity, seeded_rng(0), exact=exact) if users == 1_000 else None
            cpu, _, to = timed(lambda a=affinity, e=exact: assign(a, seeded_rng(0), exact=e))
            gap = 1 - (scores[np.arange(users), to].sum() - scores.min()) / (
                scores[np.arange(users), best].sum() - scores.min()
            )
            share = LinkageAttack(exact=exact).attack(log, log, rng=seeded_rng(0)).value
            found.append(f"{cpu:.2f} CPU s ({cpu / scipy_cpu:.2f} of scipy's), linked {share:.3f}, gap {gap:.1e}")
        print(f"{users:>6} users: scipy {scipy_cpu:.2f} CPU s; exact {found[0]}; auction {found[1]}")


def large_assignment(users: int = 50_000) -> None:
    rng = seeded_rng(0)
    items = 20_000
    taste = sparse.random_array(
        (users, items), density=0.001, format="csr", rng=rng, data_sampler=lambda size: np.ones(size)
    )
    windows = []
    for _ in range(2):
        window = sparse.csr_array(taste, copy=True)
        window.data = (rng.random(window.nnz) < 0.6) * 1.0
        window.eliminate_zeros()
        windows.append(window)
    cpu, wall, to = timed(lambda: assign(squared_distance(*windows), rng))
    right = float((to == np.arange(users)).mean())
    print(f"{users:,} users by auction: {cpu:.0f} CPU s, {wall:.0f} s wall, {memory()}, {right:.3f} linked")


if __name__ == "__main__":
    events()
    factorisation()
    assignment()
    large_assignment()
