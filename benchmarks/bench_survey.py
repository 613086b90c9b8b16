"""Mallows sampling and the private shuffler: growth, a naive list, and the packaged ``mallows-models``.

CPU seconds on one thread, after one warm-up call that compiles. The peer's wheel does not import as installed (it looks
for a module ``permutil`` at the top level), so its own folder is put on the path first.
"""

from __future__ import annotations

import math
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from peers import run_peer
from sfumato.mechanism import RandomizedResponse
from sfumato.noise import secure_rng
from sfumato.survey import Groups, Shuffler, linked_order
from sfumato.survey.permutation.mallows import sample_mallows

PEER = """
import importlib.util, json, pathlib, sys, time
import numpy as np

spec = importlib.util.find_spec("mallows_models")
sys.path.insert(0, str(pathlib.Path(next(iter(spec.submodule_search_locations)))))
import mallows_kendall

rates = {}
for n, count in ((10, 2000), (100, 200), (1000, 20)):
    mallows_kendall.sample(m=1, n=n, theta=THETA)
    start = time.process_time()
    mallows_kendall.sample(m=count, n=n, theta=THETA)
    rates[str(n)] = count / (time.process_time() - start)
print(json.dumps(rates))
"""


def timed(call: Callable[[], Any], repeats: int = 1) -> tuple[float, float]:
    """The smallest CPU seconds and wall seconds of a call."""
    best, wall = math.inf, math.inf
    for _ in range(repeats):
        started, clock = time.process_time(), time.perf_counter()
        call()
        best, wall = min(best, time.process_time() - started), min(wall, time.perf_counter() - clock)
    return best, wall


def naive(n: int, theta: float, rng: np.random.Generator) -> list[int]:
    """Repeated insertion into a Python list."""
    items: list[int] = []
    depths = np.floor(-np.log1p(rng.random(n) * np.expm1(-theta * np.arange(1, n + 1))) / theta)
    for i, depth in enumerate(depths.clip(max=np.arange(n)).astype(int).tolist()):
        items.insert(i - depth, i)
    return items


def growth() -> None:
    print("\nOne Kendall–Mallows permutation, exact, cryptographic generator (θ = 10⁻³ and θ = 1/n)")
    print(f"{'n':>12} {'θ':>10} {'CPU s':>10} {'wall s':>10} {'ns/(n·log2 n)':>15}")
    for theta_of in (lambda n: 1e-3, lambda n: 1 / n):
        for n in (10**3, 10**4, 10**5, 10**6, 10**7):
            reference = np.arange(n)
            theta = theta_of(n)
            repeats = 5 if n < 10**6 else 1
            cpu, wall = timed(lambda r=reference, t=theta: sample_mallows(r, t, rng=secure_rng()), repeats)
            print(f"{n:>12,} {theta:>10.3g} {cpu:>10.4f} {wall:>10.4f} {cpu * 1e9 / (n * math.log2(n)):>15.2f}")
    for n in (10**6, 10**7):
        cpu, wall = timed(lambda m=n: sample_mallows(np.arange(m), 2.0, metric="hamming", rng=secure_rng()))
        print(f"{n:>12,} {'Hamming':>10} {cpu:>10.4f} {wall:>10.4f}")


def against_the_list() -> None:
    print("\nAgainst insertion into a Python list, which moves the items behind the place (few at large θ)")
    print(f"{'n':>12} {'θ':>10} {'list s':>10} {'ours s':>10} {'ratio':>8}")
    for n, theta in ((10**4, 1e-2), (10**4, 1e-4), (10**5, 1e-2), (10**5, 1e-5)):
        slow, _ = timed(lambda m=n, t=theta: naive(m, t, secure_rng()))
        fast, _ = timed(lambda m=n, t=theta: sample_mallows(np.arange(m), t, rng=secure_rng()), 5)
        print(f"{n:>12,} {theta:>10.0e} {slow:>10.4f} {fast:>10.4f} {slow / fast:>8.0f}")


def against_the_package() -> None:
    theta = 0.01
    print(f"\nAgainst mallows-models, permutations per CPU second (θ = {theta})")
    print(f"{'n':>12} {'peer':>12} {'ours':>12} {'ratio':>8}")
    rates = run_peer("mallows-models", ["mallows-models"], PEER.replace("THETA", str(theta)))
    for n, rate in rates.items():
        count = 200_000 // int(n) * 10
        cpu, _ = timed(lambda m=int(n), c=count: sample_mallows(np.arange(m), theta, size=c, rng=secure_rng()), 5)
        print(f"{n:>12} {rate:>12.1f} {count / cpu:>12.0f} {count / cpu / rate:>8.0f}")


def end_to_end(n: int = 10**6) -> None:
    print(f"\nAlgorithm 1 end to end: {n:,} owners on a square, radius groups of about 20, ε = 2.5, α = 4")
    rng = np.random.default_rng(0)
    places, answers = rng.random((n, 2)), rng.integers(0, 4, n)
    radius = math.sqrt(20 / (math.pi * n))
    total = 0.0
    made: dict[str, Any] = {}

    def step(name: str, call: Callable[[], Any]) -> Any:
        nonlocal total
        cpu, wall = timed(lambda: made.__setitem__(name, call()))
        total += cpu
        print(f"  {name:<28} {cpu:>8.2f} CPU s {wall:>8.2f} wall s")
        return made[name]

    groups = step("groups (KD-tree)", lambda: Groups.from_places(places, radius=radius))
    reports = step("randomised response", lambda: RandomizedResponse(epsilon=2.5, categories=4).release(answers))
    order = step("linked reference order", lambda: linked_order(groups, places))
    shuffler = Shuffler(alpha=4.0, groups=groups, order=order)
    step("exact sensitivity", lambda: shuffler.sensitivity)
    step("draw and apply", lambda: shuffler.release(reports))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"  {'in all':<28} {total:>8.2f} CPU s, peak memory {peak:.2f} GB")
    printed = shuffler.replace(sensitivity_form="printed")
    print(f"  width {shuffler.width}, exact Δ {shuffler.sensitivity:,}, printed Δ {printed.sensitivity:,}")


def main() -> None:
    sample_mallows(np.arange(100), 0.1, size=2)
    small = Groups.from_places(np.random.default_rng(0).random((50, 2)), radius=0.2)
    _ = Shuffler(alpha=1.0, groups=small).release(np.arange(50))
    RandomizedResponse(epsilon=1.0, categories=2).release(np.zeros(4, int))
    end_to_end()
    growth()
    against_the_list()
    against_the_package()


if __name__ == "__main__":
    main()
