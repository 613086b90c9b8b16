"""Statistics of one column beside diffprivlib and OpenDP, in one run.

    python benchmarks/bench_statistic.py

CPU milliseconds of one release on 10⁶ records (the best of several repetitions), and the mean absolute error of 200
releases on 1 000 records at the same ε and bounds. Peers run in environments of their own (see peers.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from peers import run_peer
from sfumato.noise import secure_rng
from sfumato.statistic import Histogram, Mean, PrivateWelch, Quantile, Sum, Variance, WelchTest

DIFFPRIVLIB = """
import json, time, warnings
import numpy as np
import diffprivlib.tools as tools
warnings.simplefilter("ignore")
def cost(ask, data):
    ask(data[:100])
    best = 1e9
    for _ in range(3):
        start = time.process_time(); ask(data); best = min(best, time.process_time() - start)
    return 1e3 * best
def error(ask, data, truth):
    return float(np.mean([np.abs(np.asarray(ask(data)) - truth).mean() for _ in range(200)]))
many, few = np.random.default_rng(0).uniform(0, 100, 1_000_000), np.random.default_rng(1).uniform(0, 100, 1_000)
asks = {
    "sum": (lambda d: tools.sum(d, epsilon=1.0, bounds=(0, 100)), few.sum()),
    "mean": (lambda d: tools.mean(d, epsilon=1.0, bounds=(0, 100)), few.mean()),
    "variance": (lambda d: tools.var(d, epsilon=1.0, bounds=(0, 100)), few.var()),
    "histogram": (
        lambda d: tools.histogram(d, epsilon=1.0, bins=10, range=(0, 100))[0],
        np.histogram(few, 10, (0, 100))[0],
    ),
    "median": (lambda d: tools.median(d, epsilon=1.0, bounds=(0, 100)), np.median(few)),
}
found = {}
for name, (ask, truth) in asks.items():
    found[name + " ms"] = cost(ask, many)
    found[name + " error"] = error(ask, few, truth)
print(json.dumps(found))
"""

OPENDP = """
import json, time
import numpy as np, opendp.prelude as dp
dp.enable_features("contrib", "floating-point")
many, few = np.random.default_rng(0).uniform(0, 100, 1_000_000), np.random.default_rng(1).uniform(0, 100, 1_000)
def build(query, size):
    space = dp.vector_domain(dp.atom_domain(bounds=(0.0, 100.0), nan=False), size=size), dp.symmetric_distance()
    change = space >> (dp.t.then_sum() if query == "sum" else dp.t.then_mean())
    return dp.binary_search_chain(lambda scale: change >> dp.m.then_laplace(scale), d_in=2, d_out=1.0)
found = {}
for query in ("sum", "mean"):
    big, small = build(query, len(many)), build(query, len(few))
    start = time.process_time(); big(many); found[query + " ms"] = 1e3 * (time.process_time() - start)
    truth = few.sum() if query == "sum" else few.mean()
    found[query + " error"] = float(np.mean([abs(small(few) - truth) for _ in range(200)]))
print(json.dumps(found))
"""


def milliseconds(action: Callable[[], object], repeat: int = 5) -> float:
    """CPU milliseconds of the best repetition."""
    action()
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return 1e3 * best


def main() -> None:
    many = np.random.default_rng(0).uniform(0, 100, 1_000_000)
    few = np.random.default_rng(1).uniform(0, 100, 1_000)
    rng = secure_rng()
    bounds = {"epsilon": 1.0, "bounds": (0, 100)}
    # diffprivlib counts added and removed records in a histogram and replaced ones elsewhere; so do we here
    ours = {
        "sum": Sum(**bounds),
        "mean": Mean(**bounds),
        "variance": Variance(**bounds),
        "histogram": Histogram(epsilon=1.0, edges=np.linspace(0, 100, 11).tolist(), neighbours="add-remove"),
        "median": Quantile(**bounds),
    }
    peers = {"diffprivlib": {}, "OpenDP": {}}
    for name, requirement, code in (
        ("diffprivlib", ["diffprivlib>=0.6.5", "scikit-learn<1.7"], DIFFPRIVLIB),
        ("OpenDP", ["opendp>=0.12", "numpy", "randomgen"], OPENDP),
    ):
        try:
            peers[name] = run_peer(name.lower(), requirement, code)
        except Exception as error:
            print(f"{name} is left out: {str(error).strip().splitlines()[-1][:120]}")
    print(f"{'':18}{'ours':>10}{'diffprivlib':>12}{'ratio':>8}{'OpenDP':>12}{'ratio':>8}")
    for name, mechanism in ours.items():
        cost = milliseconds(lambda mechanism=mechanism: mechanism.release(many, rng=rng))
        released = mechanism.sample(few, 200, rng)
        error = float(np.abs(released - mechanism.answer(few)).mean())
        for key, value in ((f"{name} ms", cost), (f"{name} error", error)):
            line = f"{key:18}{value:>10.3g}"
            for peer in peers.values():
                line += f"{peer[key]:>12.3g}{peer[key] / value:>8.1f}" if key in peer else f"{'—':>12}{'':>8}"
            print(line)
    print("ratio: peer/ours; above 1, ours is faster or nearer to the truth")
    for size in (1_000, 10_000, 100_000):
        a, b = np.clip(np.random.default_rng(2).normal(100, 14, (2, size // 2)), 0, 200)
        promise = {"epsilon": 5.0, "delta": 1e-5, "upper": 200.0, "dummies": (0.0, 200.0)}
        private = PrivateWelch(**promise)
        test = WelchTest.planned(size=size, deviation=14.0, **promise)
        print(
            f"Welch, {size:>7} records: noisy t {milliseconds(lambda: private.release((a, b), rng=rng)):.2f} ms, "  # noqa: B023
            f"calibrated test {milliseconds(lambda: test.release((a, b), rng=rng)):.2f} ms (no peer has one)"  # noqa: B023
        )


if __name__ == "__main__":
    main()
