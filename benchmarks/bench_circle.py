"""What exact rounding costs on the circle: Purkayastha noise on hours, as it is and rounded without error.

    python benchmarks/bench_circle.py

The mechanism adds the noise in doubles and rounds to its public grid. Here the same release is also made as the ideal
real-valued one rounded to that grid: the angle is −ln(1 − U(1 − e^{−κπ}))/κ for a real U of which 64 bits are drawn;
doubles decide the cell wherever an error bound allows it, and more bits of the same U in interval arithmetic where it
does not. Both in one run; CPU seconds.
"""

from __future__ import annotations

import math
import time
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from sfumato.direction import Purkayastha
from sfumato.noise.interval import Interval
from sfumato.noise.lazy_uniform import LazyUniform, decide, random_words

COUNT, REPEATS, SETTLED = 200_000, 5, 300
PERIOD = 24.0


def exact_cells(
    hours: NDArray[np.float64], kappa: float, cell: float, rng: np.random.Generator, slack: float = 1.0
) -> tuple[NDArray[np.float64], int]:
    """Hours on the grid, and how many of them doubles did not decide."""
    words = random_words(rng, hours.size)
    negative = (words & np.uint64(1)).astype(bool)  # the last bit is the side, the other 63 are those of U
    uniform = ((words >> np.uint64(1)).astype(np.float64) + 0.5) * 2.0**-63
    share, turn = -math.expm1(-kappa * math.pi), PERIOD / (2 * math.pi)
    left = 1.0 - uniform * share
    angle = -np.log(left) / kappa
    place = (hours + np.where(negative, -angle, angle) * turn) / cell
    nearest = np.rint(place)
    doubt = slack * (2.0**-50 * (1 / left + kappa * angle) * (turn / (kappa * cell)) + 2.0**-50 * np.abs(place))
    unsure = np.flatnonzero(np.abs(np.abs(place - nearest) - 0.5) <= doubt)
    for k in unsure:
        nearest[k] = _settle(float(hours[k]), kappa, cell, int(words[k]), rng)
    return np.mod(nearest * cell, PERIOD), unsure.size


_PI = "3.1415926535897932384626433832795028841971693993751"


def _settle(hour: float, kappa: float, cell: float, word: int, rng: np.random.Generator) -> int:
    uniform = LazyUniform(rng, (word >> 1) << 1 | int(rng.integers(2)))  # 63 bits of U and one more
    sign = -1 if word & 1 else 1

    def formula(digits: int) -> int:
        pi = Interval(Decimal(_PI[:42]), Decimal(_PI[:41] + "9"), digits)  # to 40 digits: more than a cell needs
        share = -(-pi * kappa).exp() + 1
        angle = -(-(uniform.interval(digits) * share) + 1).log() / kappa
        turns = angle * (PERIOD / 2) / pi * sign
        return ((turns + hour) / cell + 0.5).floor()

    return decide(formula, [uniform])


def main() -> None:
    rng = np.random.default_rng(1)
    hours = rng.uniform(0, PERIOD, COUNT)
    print(f"{COUNT} hours, best of {REPEATS}, nanoseconds a release (CPU)\n")
    print(f"{'κ':>8}{'as it is':>10}{'exact':>10}{'ratio':>8}{'undecided':>12}{'µs if undecided':>18}")
    for kappa in (0.5, 2.0, 10.0, 100.0):
        mechanism = Purkayastha(epsilon=kappa, kind="hour")
        cell = mechanism.cell
        mechanism.release(hours[:10], rng=rng)
        seconds: dict[str, list[float]] = {"plain": [], "exact": []}
        unsure = 0
        for _ in range(REPEATS):
            started = time.process_time()
            mechanism.release(hours, rng=rng)
            middle = time.process_time()
            unsure += exact_cells(hours, kappa, cell, rng)[1]
            seconds["plain"].append(middle - started)
            seconds["exact"].append(time.process_time() - middle)
        started = time.process_time()
        forced = exact_cells(hours[:SETTLED], kappa, cell, np.random.default_rng(7), slack=math.inf)[0]
        settled = time.process_time() - started
        assert (forced == exact_cells(hours[:SETTLED], kappa, cell, np.random.default_rng(7))[0]).all()
        plain, ours = (1e9 * min(seconds[name]) / COUNT for name in ("plain", "exact"))
        print(f"{kappa:8g}{plain:10.0f}{ours:10.0f}{ours / plain:8.2f}{unsure:12}{1e6 * settled / SETTLED:18.0f}")


if __name__ == "__main__":
    main()
