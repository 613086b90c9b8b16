"""The sampling auditor against jax-privacy's, on the same releases of sound and of broken mechanisms, in one run.

Ours learns which event tells two inputs apart. The peer cuts a score that the caller brings, here the output itself
(for vectors their sum, for words their number), and takes the better of both directions and both tails, each at half
of the error probability. Seconds are CPU seconds without imports; a bound above the truth would be a mistake.

DP-Auditorium has no package in the registry, so it cannot take part in a run.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from peers import run_peer
from sfumato.auditor import AuditCase, audit
from sfumato.promise import PureDP

SAMPLES, SEEDS, CONFIDENCE = 20_000, 5, 0.99

PEER = """
import json, sys, time
import numpy as np
from jax_privacy import auditing

found = {}
started = time.process_time()
for name, arrays in json.load(open(FILE)).items():
    found[name] = []
    for path in arrays:
        both = np.load(path)
        score = {side: both[side].reshape(len(both[side]), -1).sum(axis=1) for side in ("x", "y")}
        best = -np.inf
        for first, second in (("x", "y"), ("y", "x")):
            auditor = auditing.CanaryScoreAuditor(score[first], score[second])
            best = max(best, auditor.epsilon_clopper_pearson(ALPHA / 2, one_sided=False))
        found[name].append(float(best))
print(json.dumps({"found": found, "seconds": time.process_time() - started}))
"""


def geometric(data: Any, scale: float, rng: np.random.Generator, step: float = 1.0) -> Any:
    """Two-sided geometric noise on a grid: exactly ε = 1/scale for inputs a unit apart."""
    share = 1 - math.exp(-step / scale)
    shape = (SAMPLES, *np.shape(data))
    return np.asarray(data) + step * (rng.geometric(share, shape) - rng.geometric(share, shape))


def avoiding(data: int, rng: np.random.Generator) -> Any:
    """One of six words, the closer the likelier, never the input."""
    weight = np.exp(-np.abs(np.arange(6) - data) / 5)
    weight[data] = 0
    return rng.choice(6, SAMPLES, p=weight / weight.sum())


def leaking(data: float, rng: np.random.Generator) -> Any:
    """Noise as promised, but one input in twenty is let through."""
    return np.where(rng.uniform(size=SAMPLES) < 0.05, data, geometric(data, 1.0, rng, 2.0**-10))


GRID = 2.0**-10
MECHANISMS: dict[str, tuple[float, float, Any, tuple[Any, Any]]] = {
    "geometric, sound": (1.0, 1.0, lambda x, r: geometric(x, 1.0, r), (0, 1)),
    "4 coordinates, sound": (1.0, 1.0, lambda x, r: geometric(x, 4.0, r, GRID), (np.zeros(4), np.ones(4))),
    "signs differ, sound": (1.0, 1.0, lambda x, r: geometric(x, 4.0, r, GRID), (np.zeros(4), np.array([1, -1, 1, -1]))),
    "3/4 of the noise": (1.0, 4 / 3, lambda x, r: geometric(x, 0.75, r), (0, 1)),
    "L2 for L1, 16 coordinates": (
        1.0,
        4.0,
        lambda x, r: geometric(x, 0.5, r, GRID),
        (np.zeros(16), np.full(16, 0.125)),
    ),
    "L2 for L1, signs differ": (
        1.0,
        4.0,
        lambda x, r: geometric(x, 0.5, r, GRID),
        (np.zeros(16), np.tile([0.125, -0.125], 8)),
    ),
    "plain-float Laplace": (1.0, math.inf, lambda x, r: x + r.laplace(0, 1, SAMPLES), (0.0, 1.0)),
    "never the input": (1.0, math.inf, avoiding, (2, 3)),
    "one in twenty let through": (1.0, math.log(0.05 / (0.95 * GRID / 2)), leaking, (0.0, 0.5)),
}


def main() -> None:
    ours: dict[str, list[float]] = {}
    files: dict[str, list[str]] = {}
    audit(_case("warm-up", 0), method="sampling", samples=400, rng=np.random.default_rng(0))  # imports scikit-learn
    with tempfile.TemporaryDirectory() as folder:
        seconds = 0.0
        for name in MECHANISMS:
            for seed in range(SEEDS):
                case = _case(name, seed)
                x, y = case.pairs[0]
                path = Path(folder) / f"{list(MECHANISMS).index(name)}-{seed}.npz"
                np.savez(path, x=case.sampler(x, SAMPLES, None), y=case.sampler(y, SAMPLES, None))
                files.setdefault(name, []).append(str(path))
                started = time.process_time()
                result = audit(case, samples=SAMPLES, confidence=CONFIDENCE, rng=np.random.default_rng(seed))
                seconds += time.process_time() - started
                ours.setdefault(name, []).append(result.found)
        index = Path(folder) / "index.json"
        index.write_text(json.dumps(files))
        code = PEER.replace("FILE", repr(str(index))).replace("ALPHA", repr(1 - CONFIDENCE))
        peer: dict[str, Any] = run_peer("jax-privacy", ["jax-privacy>=1.0"], code)
    print(f"{SAMPLES} releases of each input, {SEEDS} seeds, confidence {CONFIDENCE}; bounds are medians\n")
    print(f"{'mechanism':28}{'promised':>9}{'truth':>8} |{'ours':>12}{'caught':>8} |{'jax-privacy':>12}{'caught':>8}")
    for name, (promised, truth, _, _) in MECHANISMS.items():
        bounds = (ours[name], peer["found"][name])
        cells = [(float(np.median(b)), f"{sum(v > promised for v in b)}/{SEEDS}") for b in bounds]
        own, other = (f"{bound:12.3f}{caught:>8}" for bound, caught in cells)
        print(f"{name:28}{promised:9.3g}{truth:8.3g} |{own} |{other}")
    count = len(MECHANISMS) * SEEDS
    print(f"\nCPU seconds an audit: ours {seconds / count:.2f}, jax-privacy {peer['seconds'] / count:.2f}")
    print("(ours includes learning; the peer is given the score)")


def _case(name: str, seed: int) -> AuditCase:
    promised, _, sample, pair = MECHANISMS.get(name, next(iter(MECHANISMS.values())))
    draws = {repr(data): sample(data, np.random.default_rng([seed, side])) for side, data in enumerate(pair)}

    class Sampled:
        guarantee = PureDP(promised)

        def release(self, data: Any, *, rng: Any = None) -> Any:
            return draws[repr(data)][0]

    return AuditCase(
        mechanism=Sampled(), pairs=[pair], name=name, sampler=lambda data, count, rng: draws[repr(data)][:count]
    )


if __name__ == "__main__":
    sys.exit(main())
