"""What exact rounding costs: releases on the public grid, without error and by doubles alone, in one run.

    python benchmarks/bench_circle.py

A release is the ideal real-valued one rounded to a public grid: doubles find the cell where a bound on their error
allows it, interval arithmetic from more bits of the same random reals where it does not. Beside it the same law is
drawn in doubles and rounded to the same grid without asking for the error. CPU time, best of some repeats; the last
columns say how many releases doubles left open, and what one of these costs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import sfumato.direction.core.certified as certified
from sfumato.direction import ClippedLaplace, Purkayastha, SphericalCap, VonMisesFisher, WrappedLaplace
from sfumato.direction.core.coordinates import as_vectors, vector_to_latlon, wrap_into
from sfumato.direction.core.sphere import snap_step

REPEATS = 5


def cases() -> list[tuple[str, Any, Any]]:
    rng = np.random.default_rng(1)
    hours = rng.uniform(0, 24, 100_000)
    found: list[tuple[str, Any, Any]] = []
    for kappa in (0.5, 10.0, 1e4):
        found.append((f"Purkayastha, hours, κ = {kappa:g}", Purkayastha(epsilon=kappa, kind="hour"), hours))
    found.append(("VonMisesFisher, hours, κ = 2", VonMisesFisher(epsilon=2.0, kind="hour"), hours))
    found.append(("WrappedLaplace, hours, ε = 2", WrappedLaplace(epsilon=2.0, kind="hour"), hours))
    found.append(("SphericalCap, hours, ε = 2", SphericalCap(pure=2.0, kind="hour"), hours))
    found.append(("ClippedLaplace, hours, ε = 2", ClippedLaplace(pure=2.0, kind="hour"), hours))
    for n, count in ((3, 50_000), (50, 10_000), (300, 2_000)):
        rows = rng.standard_normal((count, n))
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        found.append((f"Purkayastha, n = {n}, κ = 20", Purkayastha(epsilon=20.0), rows))
        found.append((f"VonMisesFisher, n = {n}, κ = 20", VonMisesFisher(epsilon=20.0), rows))
    places = np.stack([rng.uniform(-80, 80, 50_000), rng.uniform(-180, 180, 50_000)], axis=1)
    found.append(("Purkayastha, places, 200 m", Purkayastha(level=1.0, radius=200 / 6.371e6, kind="latlon"), places))
    return found


def in_doubles(mechanism: Any) -> Callable[..., Any]:
    """The same release with the rounding of doubles in it."""
    raw = mechanism.replace(snap=False)

    def on_circle(data: Any, *, rng: Any) -> Any:
        return wrap_into(np.rint(raw.release(data, rng=rng) / mechanism.cell) * mechanism.cell, 24.0)

    def on_sphere(data: Any, *, rng: Any) -> Any:
        means = as_vectors("data", data, mechanism.kind)
        n = means.shape[1]
        drawn = mechanism.law(n).sample(means, rng, step=snap_step(n, mechanism._sharpness(n)))
        return vector_to_latlon(drawn) if mechanism.kind == "latlon" else drawn

    return on_circle if mechanism.kind == "hour" else on_sphere


class Count:
    """Counts the releases that doubles leave open, and the time they take."""

    def __init__(self, name: str) -> None:
        self.inner, self.calls, self.seconds = getattr(certified, name), 0, 0.0
        setattr(certified, name, self)

    def __call__(self, *args: Any) -> Any:
        started = time.process_time()
        result = self.inner(*args)
        self.calls, self.seconds = self.calls + 1, self.seconds + time.process_time() - started
        return result


def main() -> None:
    counters = [Count("_circle_cell"), Count("_sphere_cell")]
    print(f"nanoseconds a record (CPU), best of {REPEATS}\n")
    print(f"{'':34}{'doubles':>9}{'exact':>9}{'ratio':>7}{'left open':>12}{'of':>10}{'µs each':>9}")
    for name, mechanism, data in cases():
        best: dict[bool, float] = {}
        for counter in counters:
            counter.calls, counter.seconds = 0, 0.0
        for exactly, release in ((False, in_doubles(mechanism)), (True, mechanism.release)):
            times = []
            release(data[:10], rng=np.random.default_rng(0))
            for repeat in range(REPEATS):
                started = time.process_time()
                release(data, rng=np.random.default_rng(repeat))
                times.append(time.process_time() - started)
            best[exactly] = 1e9 * min(times) / len(data)
        opened = sum(counter.calls for counter in counters)
        each = 1e6 * sum(counter.seconds for counter in counters) / opened if opened else 0.0
        total = REPEATS * len(data)
        ratio = best[True] / best[False]
        print(f"{name:34}{best[False]:9.0f}{best[True]:9.0f}{ratio:7.2f}{opened:12}{total:10}{each:9.0f}")


if __name__ == "__main__":
    main()
