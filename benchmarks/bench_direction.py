"""Directional samplers against scipy and against the dissertation's own algorithm, in one run.

    python benchmarks/bench_direction.py

Rates are per CPU second (time.process_time, best of three) on one thread; the wall clock is not used, since other
work may share the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from scipy import stats
from threadpoolctl import threadpool_limits

from sfumato.direction import Purkayastha, VonMisesFisher
from sfumato.direction.mechanisms.purkayastha import PurkayasthaLaw
from sfumato.direction.mechanisms.von_mises_fisher import VonMisesFisherLaw
from sfumato.noise import secure_rng

KAPPA = 50.0


def rate(work: Callable[[], object], count: int, repeats: int = 3) -> float:
    """Items per CPU second, the best of some runs after a first one that compiles."""
    work()
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return count / max(best, 1e-9)


def shown(value: float) -> str:
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g} {unit}/s"
    return f"{value:.3g} /s"


def row(*cells: object) -> None:
    print("  ".join(f"{cell!s:>14}" for cell in cells))


def means(count: int, n: int, rng: np.random.Generator) -> np.ndarray:
    rows = rng.standard_normal((count, n))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def one_mean_a_record(rng: np.random.Generator) -> None:
    """The mechanism's case: every record has a mean of its own."""
    print(f"\nvon Mises–Fisher, one mean a record, κ = {KAPPA:g} (ours checks its input and snaps its output)")
    row("n", "ours", "ours, secure", "scipy", "ratio", "target")
    secure = secure_rng()
    for n, count, few, target in (
        (3, 200_000, 300, 200),
        (10, 100_000, 300, 200),
        (100, 20_000, 200, 200),
        (1000, 3000, 3, 2000),
    ):
        data = means(count, n, rng)
        mechanism = VonMisesFisher(epsilon=KAPPA)
        ours = rate(lambda d=data, m=mechanism: m.release(d, rng=rng), count)
        safe = rate(lambda d=data, m=mechanism: m.release(d, rng=secure), count)
        theirs = rate(
            lambda d=data[:few]: [stats.vonmises_fisher(mean, KAPPA).rvs(1, random_state=rng) for mean in d],
            few,
            repeats=1 if n == 1000 else 3,
        )
        row(n, shown(ours), shown(safe), shown(theirs), f"{ours / theirs:,.0f}×", f"≥ {target:,}×")


def one_mean_for_all(rng: np.random.Generator) -> None:
    print(f"\nvon Mises–Fisher, a single mean, κ = {KAPPA:g}")
    row("n", "ours", "scipy", "ratio", "target")
    for n, count in ((2, 300_000), (3, 300_000), (10, 100_000), (100, 20_000), (1000, 2_000)):
        mean = means(1, n, rng)[0]
        law = VonMisesFisherLaw(n, KAPPA)
        ours = rate(lambda law=law, m=mean, c=count: law.sample(m, rng, size=c), count)
        theirs = rate(lambda m=mean, c=count: stats.vonmises_fisher(m, KAPPA).rvs(c, random_state=rng), count)
        row(n, shown(ours), shown(theirs), f"{ours / theirs:.2f}×", "≥ 1×")


def purkayastha(rng: np.random.Generator) -> None:
    print(f"\nPurkayastha, one mean a record, κ = {KAPPA:g}")
    row("n", "ours", "normals alone", "cost", "target")
    for n, count in ((2, 300_000), (3, 300_000), (10, 100_000), (100, 20_000), (1000, 3_000)):
        data = means(count, n, rng)
        mechanism = Purkayastha(epsilon=KAPPA)
        ours = rate(lambda d=data, m=mechanism: m.release(d, rng=rng), count)
        normals = rate(lambda c=count, n=n: rng.standard_normal((c, n)), count)
        target = "≥ 2 M/s" if n <= 3 else ("≤ 2× normals" if n == 1000 else "")
        row(n, shown(ours), shown(normals), f"{normals / ours:.2f}×", target)
    print("\nPurkayastha angles: rejection under a hat (ours) against bisection (Algorithm 3)")
    row("n", "ours", "Algorithm 3", "ratio", "target")
    for n, count, few in (
        (2, 1_000_000, 20_000),
        (3, 1_000_000, 20_000),
        (25, 1_000_000, 4_000),
        (100, 1_000_000, 1_000),
        (1000, 1_000_000, 100),
    ):
        law = PurkayasthaLaw(n, KAPPA)
        ours = rate(lambda law=law, c=count: law.sample_angles(c, rng), count)
        slow = rate(lambda law=law, c=few: law.sample_angles_by_bisection(c, rng), few)
        row(n, shown(ours), shown(slow), f"{ours / slow:,.0f}×", "≥ 20×" if n >= 100 else "")
    print("\nPurkayastha vectors with angles by Algorithm 3 in place of the hat")
    row("n", "ours", "Algorithm 3", "ratio", "target")
    for n, count, few in ((100, 20_000, 1_000), (1000, 3_000, 200)):
        law, data = PurkayasthaLaw(n, KAPPA), means(count, n, rng)
        ours = rate(lambda law=law, d=data: law.sample(d, rng), count)

        def slow_vectors(law: PurkayasthaLaw = law, d: np.ndarray = data[:few]) -> None:
            theta = law.sample_angles_by_bisection(len(d), rng)
            tangent = rng.standard_normal(d.shape)
            tangent -= (tangent * d).sum(axis=1, keepdims=True) * d
            tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
            np.cos(theta)[:, None] * d + np.sin(theta)[:, None] * tangent

        theirs = rate(slow_vectors, few)
        row(n, shown(ours), shown(theirs), f"{ours / theirs:,.0f}×", "≥ 20×")


def densities() -> None:
    print("\nlog-density of von Mises–Fisher at its mode, κ = 50")
    row("n", "ours", "scipy")
    for n in (3, 100, 1000, 10_000):
        mean = np.eye(1, n)[0]
        with np.errstate(all="ignore"):
            theirs = float(stats.vonmises_fisher(mean, KAPPA).logpdf(mean[None])[0]) if n <= 1000 else np.nan
        row(
            n,
            f"{float(VonMisesFisherLaw(n, KAPPA).log_density(0.0)):.6g}",
            "too slow" if np.isnan(theirs) else f"{theirs:.6g}",
        )


def main() -> None:
    rng = np.random.default_rng(1)
    with threadpool_limits(1):
        one_mean_a_record(rng)
        one_mean_for_all(rng)
        purkayastha(rng)
        densities()


if __name__ == "__main__":
    main()
