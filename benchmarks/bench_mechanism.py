"""Throughput of the textbook mechanisms beside numpy, OpenDP, PyDP and diffprivlib, in one run.

    python benchmarks/bench_mechanism.py

Values a CPU second, the best of several repetitions. Peers run in environments of their own (see peers.py), on smaller
batches where they are slow; their rates do not depend on the batch size. Ours are grid-safe, exact and drawn from
AES-128 keyed by the operating system; numpy's plain floats are not safe and are the yardstick for speed only.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from peers import run_peer
from sfumato.mechanism import Exponential, Gaussian, Laplace, PlanarLaplace, RandomizedResponse
from sfumato.noise import secure_rng

OPENDP = """
import json, time
import numpy as np, opendp.prelude as dp
dp.enable_features("contrib")
space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
def rate(measure, data):
    measure(data[:100])
    start = time.process_time(); measure(data); return len(data) / (time.process_time() - start)
data = np.zeros(100_000)
laplace = dp.m.make_laplace(*space, scale=1.0)
space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l2_distance(T=float)
gaussian = dp.m.make_gaussian(*space, scale=1.0)
print(json.dumps({"laplace": rate(laplace, data), "gaussian": rate(gaussian, data[:30_000])}))
"""

PYDP = """
import json, time
from pydp.distributions import LaplaceDistribution, GaussianDistribution
def rate(draw, count):
    start = time.process_time()
    for _ in range(count):
        draw()
    return count / (time.process_time() - start)
laplace, gaussian = LaplaceDistribution(1.0, 1.0), GaussianDistribution(1.0)
print(json.dumps({"laplace": rate(laplace.sample, 200_000), "gaussian": rate(gaussian.sample, 200_000)}))
"""

DIFFPRIVLIB = """
import json, time, random
from diffprivlib.mechanisms import Exponential, Laplace, GaussianAnalytic
def rate(draw, count):
    draw()
    start = time.process_time()
    for _ in range(count):
        draw()
    return count / (time.process_time() - start)
scores = [random.random() for _ in range(10_000)]
chooser = Exponential(epsilon=1.0, sensitivity=1.0, utility=scores)
laplace = Laplace(epsilon=1.0, sensitivity=1.0)
gaussian = GaussianAnalytic(epsilon=1.0, delta=1e-5, sensitivity=1.0)
print(json.dumps({
    "draw": rate(chooser.randomise, 500),
    "input": rate(lambda: Exponential(epsilon=1.0, sensitivity=1.0, utility=scores).randomise(), 100),
    "laplace": rate(lambda: laplace.randomise(0.0), 50_000),
    "gaussian": rate(lambda: gaussian.randomise(0.0), 50_000),
}))
"""


def rate(work: Callable[[], object], count: int, repetitions: int = 7) -> float:
    """Items a CPU second, the best of some repetitions after one to warm up."""
    work()
    best = float("inf")
    for _ in range(repetitions):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return count / best


def main() -> None:
    rng = secure_rng()
    values = np.zeros(1_000_000)
    laplace, gaussian = Laplace(epsilon=1.0, sensitivity=1.0), Gaussian(epsilon=1.0, delta=1e-5, sensitivity=1.0)
    ours = {
        "Laplace, 10⁶ values": rate(lambda: laplace.release(values), values.size),
        "Gaussian, 10⁶ values": rate(lambda: gaussian.release(values), values.size),
    }
    plain = {
        "Laplace, 10⁶ values": rate(lambda: values + rng.laplace(size=values.size), values.size),
        "Gaussian, 10⁶ values": rate(lambda: values + rng.normal(size=values.size), values.size),
    }
    scores = rng.random((200, 10_000))
    ours["Exponential, 10⁴ candidates"] = rate(
        lambda: Exponential(epsilon=1.0, sensitivity=1.0).release(scores), len(scores)
    )
    points = np.zeros((500_000, 2))
    ours["planar Laplace, points"] = rate(lambda: PlanarLaplace(epsilon=0.01).release(points), len(points))
    plain["planar Laplace, points"] = rate(
        lambda: PlanarLaplace(epsilon=0.01, exact=False).release(points, rng=rng), len(points)
    )
    answers = rng.integers(0, 16, size=1_000_000)
    ours["randomised response, 16 answers"] = rate(
        lambda: RandomizedResponse(epsilon=1.0, categories=16).release(answers), answers.size
    )

    opendp = run_peer("opendp", ["opendp>=0.12", "numpy", "randomgen"], OPENDP)
    pydp = run_peer("pydp", ["python-dp>=1.1.4"], PYDP)
    diffprivlib = run_peer("diffprivlib", ["diffprivlib>=0.6.5", "scikit-learn<1.7"], DIFFPRIVLIB)
    rows = [
        ("Laplace, 10⁶ values", "numpy, plain floats", plain["Laplace, 10⁶ values"]),
        ("Laplace, 10⁶ values", "OpenDP", opendp["laplace"]),
        ("Laplace, 10⁶ values", "PyDP", pydp["laplace"]),
        ("Laplace, 10⁶ values", "diffprivlib", diffprivlib["laplace"]),
        ("Gaussian, 10⁶ values", "numpy, plain floats", plain["Gaussian, 10⁶ values"]),
        ("Gaussian, 10⁶ values", "OpenDP", opendp["gaussian"]),
        ("Gaussian, 10⁶ values", "PyDP", pydp["gaussian"]),
        ("Gaussian, 10⁶ values", "diffprivlib", diffprivlib["gaussian"]),
        ("Exponential, 10⁴ candidates", "diffprivlib, same scores again", diffprivlib["draw"]),
        ("Exponential, 10⁴ candidates", "diffprivlib, new scores", diffprivlib["input"]),
        ("planar Laplace, points", "numpy, plain floats", plain["planar Laplace, points"]),
        ("randomised response, 16 answers", "", float("nan")),
    ]
    print(f"{'':34} {'ours /s':>12}   {'peer':32} {'peer /s':>12} {'ratio':>8}")
    for name, peer, speed in rows:
        shown = f"{speed:12,.0f} {ours[name] / speed:8.2f}" if peer else ""
        print(f"{name:34} {ours[name]:12,.0f}   {peer:32} {shown}")


if __name__ == "__main__":
    main()
