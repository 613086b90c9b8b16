"""How good the auditor is, beside jax-privacy's auditor and a classifier in the way of DP-Sniper, in one run.

    python benchmarks/bench_audit.py peers     bounds on the same releases of sound and of broken mechanisms
    python benchmarks/bench_audit.py mutants   mutants of the textbook mechanisms: which auditor catches which
    python benchmarks/bench_audit.py alarms    1 000 audits of sound mechanisms: how many are called broken
    python benchmarks/bench_audit.py alarms RECORD [COUNT]
    python benchmarks/bench_audit.py house RECORD [SECONDS]

Without an argument the first three. With RECORD, every audit of ``alarms`` is written there when it is done, and the
next start goes on from there. ``house`` hunts the mutants of every registered mechanism as ``sfumato audit --mutants``
does, writes each case to RECORD when it is done, and leaves out the mistakes further down the list of a case that has
taken SECONDS of CPU time (60). The peer of jax-privacy cuts a score that the caller brings, here the output itself (for
vectors their sum, for words their number), and takes the better of both directions and both tails, each at half of the
error probability. The classifier (Bichsel et al. 2021) learns the score with a logistic regression on half of the
releases, cuts it where one release in a hundred of the other input lies, and bounds the ratio on the other half by
Clopper-Pearson. Both see releases only; ours also compares them with the law that the mechanism claims. Seconds are
CPU seconds without imports; a bound above the truth would be a mistake.

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
from threadpoolctl import threadpool_limits

from peers import run_peer
from sfumato.auditor import AuditCase, audit
from sfumato.auditor.examples import audit_cases
from sfumato.auditor.features import floats_or_none
from sfumato.auditor.kill_rate import Kill, hunt, kill_table
from sfumato.auditor.mutate import Mutant
from sfumato.auditor.sampling import clopper_pearson
from sfumato.noise import seeded_rng
from sfumato.promise import PureDP
from sfumato.study import find_rooms

SAMPLES, SEEDS, CONFIDENCE = 20_000, 5, 0.99
HUNT_CONFIDENCE = 1 - 1e-6
ALARM_AUDITS = 1_000

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


def compare_bounds() -> None:
    """Bounds of ours and of the peer on the same releases."""
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
        peer = _peer(index, 1 - CONFIDENCE)
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


def _peer(index: Path, alpha: float) -> dict[str, Any]:
    code = PEER.replace("FILE", repr(str(index))).replace("ALPHA", repr(alpha))
    return run_peer("jax-privacy", ["jax-privacy>=1.0"], code)


def classifier_bound(x: Any, y: Any, alpha: float) -> float:
    """The larger of both directions of a lower bound on ε from a learned event, in the way of DP-Sniper."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    sides = [np.asarray(side, float).reshape(len(side), -1) for side in (x, y)]
    half = len(x) // 2
    best = 0.0
    for first, second in (sides, sides[::-1]):
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
        model.fit(np.concatenate([first[:half], second[:half]]), np.repeat([1, 0], half))
        cut = np.quantile(model.decision_function(second[:half]), 0.99)
        inside = [int((model.decision_function(side[half:]) >= cut).sum()) for side in (first, second)]
        low, _ = clopper_pearson(inside[0], half, alpha / 4)
        _, high = clopper_pearson(inside[1], half, alpha / 4)
        if low[0] > 0:
            best = max(best, float(np.log(low[0] / high[0])))
    return best


def compare_mutants() -> None:
    """Mutants of the textbook mechanisms with a pure promise that truly break it, under the three auditors.

    Of those whose releases come in batches: the peers are given 20 000 of each input.
    """
    cases = [case for case in audit_cases() if isinstance(case.mechanism.guarantee, PureDP) and case.sampler]
    kills: list[Kill] = []
    bounds: dict[str, list[float]] = {}
    files: dict[str, list[str]] = {}
    seconds = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            for number, kill in enumerate(hunt(case, confidence=HUNT_CONFIDENCE, rng=np.random.default_rng(1))):
                if not kill.mutant.breaks:
                    continue
                x, y = case.pairs[0]
                drawn = [kill.mutant.case.draw(data, SAMPLES, np.random.default_rng([2, number])) for data in (x, y)]
                numbers = [floats_or_none(outputs, "iufb") for outputs in drawn]
                if any(n is None for n in numbers):
                    continue
                kills.append(kill)
                label = kill.mutant.case.label
                path = Path(folder) / f"{len(kills)}.npz"
                np.savez(path, x=numbers[0], y=numbers[1])
                files[label] = [str(path)]
                started = time.process_time()
                bounds[label] = [classifier_bound(*numbers, 1 - HUNT_CONFIDENCE)]
                seconds += time.process_time() - started
        index = Path(folder) / "index.json"
        index.write_text(json.dumps(files))
        peer = _peer(index, 1 - HUNT_CONFIDENCE)
    promised = {kill.mutant.case.label: kill.mutant.case.mechanism.guarantee.epsilon for kill in kills}
    print(f"mutants that break a pure promise by 5 % or more; {SAMPLES} releases of each input for the peers;")
    print("one false alarm in 10^6 for each\n")
    print(f"{'mistake':30}{'mutants':>8}{'ours':>8}{'jax-privacy':>13}{'classifier':>12}")
    for kind in [*dict.fromkeys(kill.mutant.kind for kill in kills), "all"]:
        group = [kill for kill in kills if kind in ("all", kill.mutant.kind)]
        labels = [kill.mutant.case.label for kill in group]
        ours = sum(kill.caught for kill in group)
        theirs = [sum(found[name][0] > promised[name] for name in labels) for found in (peer["found"], bounds)]
        print(f"{kind:30}{len(group):8}{ours:8}{theirs[0]:13}{theirs[1]:12}")
    own = sum(kill.seconds for kill in kills)
    print(f"\nCPU seconds: ours {own:.0f} (with drawing), jax-privacy {peer['seconds']:.0f}, classifier {seconds:.0f}")


def count_alarms(record: Path | None = None, audits: int = ALARM_AUDITS) -> None:
    """Audits of sound, tight mechanisms at the default effort, with seeds of their own.

    Each is written to ``record`` when it is done, and one that is there already is not done again: stop and go on at
    will. Audits are at confidence 0.99; an alarm at one in a million would also be one here.
    """
    chosen = {"Laplace", "Laplace, whole numbers", "Laplace, vector", "BoundedNumber", "Gaussian, given σ"}
    chosen |= {"RandomizedResponse", "RandomizedResponse, labels", "Exponential, monotonic", "PlanarLaplace"}
    chosen |= {"SmoothGaussian, tuned"}
    cases = [case for case in audit_cases() if case.label in chosen]
    lines = record.read_text().splitlines() if record is not None and record.exists() else []
    done = {(entry["case"], entry["seed"]): entry for entry in map(json.loads, lines)}
    for number in range(audits):
        case, seed = cases[number % len(cases)], number // len(cases)
        if (case.label, seed) in done:
            continue
        started = time.process_time()
        result = audit(case, confidence=CONFIDENCE, rng=np.random.default_rng([seed, 77]))
        entry = {
            "case": case.label,
            "seed": seed,
            "verdict": result.verdict,
            "why": result.why,
            "seconds": time.process_time() - started,
        }
        done[case.label, seed] = entry
        if record is not None:
            with record.open("a") as file:
                file.write(json.dumps(entry) + "\n")
    found = [done[cases[number % len(cases)].label, number // len(cases)] for number in range(audits)]
    alarms = [entry for entry in found if entry["verdict"] == "broken"]
    allowed = (1 - CONFIDENCE) * len(found)
    print(f"confidence {CONFIDENCE:g}: {len(alarms)} false alarms in {len(found)} audits of {len(cases)} mechanisms")
    print(f"(at most {allowed:.0f} expected), {sum(entry['seconds'] for entry in found):.0f} CPU s")
    for entry in alarms:
        print(f"  {entry['case']} (seed {entry['seed']}): {entry['why']}")


def hunt_house(record: Path, limit: float = 60.0) -> None:
    """Mutants of every registered mechanism, case by case, each from the same seed as on the command line."""
    registered = [*audit_cases(), *(case for room in find_rooms().values() for case in room.audits())]
    cases = {case.label: case for case in registered}
    lines = record.read_text().splitlines() if record.exists() else []
    done = {entry["case"]: entry for entry in map(json.loads, lines)}
    for label, case in cases.items():
        if label in done:
            continue
        started, kills, cut = time.process_time(), [], ""
        with threadpool_limits(limits=1):
            for kill in hunt(case, confidence=HUNT_CONFIDENCE, rng=seeded_rng(0)):
                fate = {"kind": kill.mutant.kind, "breaks": kill.mutant.breaks, "argument": kill.mutant.argument}
                kills.append({**fate, "caught": kill.caught, "by": kill.by, "seconds": kill.seconds})
                if time.process_time() - started > limit:
                    cut = kill.mutant.kind
                    break
        done[label] = {"case": label, "cut": cut, "seconds": time.process_time() - started, "kills": kills}
        with record.open("a") as file:
            file.write(json.dumps(done[label], default=bool) + "\n")  # numpy's truth values too
    kills = [
        Kill(Mutant(k["kind"], cases[label], k["breaks"], k["argument"]), k["caught"], k["by"], k["seconds"])
        for label in cases
        for k in done[label]["kills"]
    ]
    mutable = [label for label in cases if done[label]["kills"]]
    print(f"{len(mutable)} of {len(cases)} cases have mutants; {sum(d['seconds'] for d in done.values()):.0f} CPU s\n")
    print("| mistake | mutants | breaking | caught | share | within 5 % | unknown | CPU s |\n" + "|---" * 8 + "|")
    for row in kill_table(kills):
        counts = [row[name] for name in ("mutants", "breaking", "caught")]
        rest = [row["within"], row["unknown"], round(row["seconds"])]
        print("| " + " | ".join(map(str, [row["mistake"], *counts, f"{100 * row['share']:.1f} %", *rest])) + " |")
    missed = [f"{k.mutant.kind}: {k.mutant.case.label}" for k in kills if k.mutant.breaks and not k.caught]
    alarmed = [k for k in kills if k.mutant.breaks is False]
    print("\nnot caught:", *missed, sep="\n  ")
    print("cut short:", *[f"{label} (after {done[label]['cut']})" for label in cases if done[label]["cut"]], sep="\n  ")
    print(f"{sum(k.caught for k in alarmed)} of {len(alarmed)} that stay within the promise do not follow their law")


PARTS = {"peers": compare_bounds, "mutants": compare_mutants, "alarms": count_alarms}


def main(arguments: list[str]) -> None:
    if len(arguments) > 1 and arguments[0] == "alarms":
        count_alarms(Path(arguments[1]), *map(int, arguments[2:]))
        return
    if len(arguments) > 1 and arguments[0] == "house":
        hunt_house(Path(arguments[1]), *map(float, arguments[2:]))
        return
    for name in arguments or list(PARTS):
        PARTS[name]()
        print()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
