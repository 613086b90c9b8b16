"""Learned anonymisers: motion sensors, and students of generators that learn under a promise and without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.ensemble import RandomForestClassifier

from reproduction._model_rows import Row, kept, table, verdict
from sfumato.model import (
    Cohort,
    MotionAutoencoder,
    NoiseLayerGan,
    PrivateGan,
    StudentAccuracy,
    error_bound,
    load_mnist,
    load_motion,
    split_motion,
)
from sfumato.model.anonymisers.window_attack import name_windows, recording_hits
from sfumato.noise import seeded_rng

GRID = tuple({"weight": weight, "bottleneck": 0.02, "epochs": 5} for weight in (0.5, 1.0))
STRIDE = 40
PEOPLE = 24
SEEDS = (0, 1, 2)
STEPS = 2_000
TEACHERS: dict[str, tuple[float | None, int]] = {
    "DP-SGD, ε = 8": (8.0, 60_000),
    "DP-SGD, ε = 2": (2.0, 60_000),
    "DP-SGD, ε = 8, 4 000 digits": (8.0, 4_000),
    "noise layer, no promise": (None, 60_000),
}


def _judged(data: Any, seed: int) -> dict[str, float]:
    """Adversaries trained from nothing on windows as they left: a network and, for the person, a forest too."""
    told = {kind: name_windows(data, kind, epochs=6, rng=seeded_rng(seed + 100)) for kind in ("activity", "person")}
    right = {kind: float((told[kind].argmax(axis=1) == getattr(data.test, kind)).mean()) for kind in told}
    flat = [part.windows.reshape(len(part.windows), -1) for part in (data.train, data.test)]
    forest = RandomForestClassifier(n_estimators=100, min_samples_leaf=2, random_state=seed, n_jobs=1)
    guessed = forest.fit(flat[0], data.train.person).predict_proba(flat[1])
    recording = max(float(recording_hits(scores, data).mean()) for scores in (told["person"], np.log(guessed + 1e-4)))
    person = max(right["person"], float((guessed.argmax(axis=1) == data.test.person).mean()))
    chance = float((data.test.person == np.bincount(data.train.person).argmax()).mean())
    return right | {"person": person, "recording": recording, "chance": chance}


def _inner(data: Any) -> Any:
    """The training trials alone, split in two: settings are chosen here, and the test trials are not looked at.

    Of an activity with two trials or more the last is held out; jogging has one, of which everybody's last third is,
    without the windows that reach over the cut.
    """
    part = data.train
    held, left_out = np.zeros(len(part.trial), bool), np.zeros(len(part.trial), bool)
    for kind in np.unique(part.activity):
        trials = np.unique(part.trial[part.activity == kind])
        if len(trials) > 1:
            held |= part.trial == trials[-1]
            continue
        for who in np.unique(part.person):
            own = np.flatnonzero((part.activity == kind) & (part.person == who))
            cut = 2 * len(own) // 3
            held[own[cut:]] = True
            left_out[own[cut - 1 : cut]] = True  # 64 samples every 40: one window reaches over
    return type(data)(train=part.of(~held & ~left_out), test=part.of(held))


def _raw() -> dict[str, float]:
    return _judged(split_motion(load_motion(stride=STRIDE)), 0)


def _anonymised(data: Any, settings: dict[str, Any], seed: int) -> dict[str, float]:
    rng = seeded_rng(seed)
    model = MotionAutoencoder(**settings).train(data.train.windows, data.train.activity, data.train.person, rng=rng)
    parts = {
        name: getattr(data, name)._replace(windows=model.release(getattr(data, name).windows, rng=rng))
        for name in ("train", "test")
    }
    made = type(data)(**parts)
    away = (made.test.windows - data.test.windows) / model.spread[:, None]
    found = _judged(made, seed)
    return found | {"information": model.information, "distortion": float((away**2).mean())}


def _chosen(tried: dict[str, Any]) -> str:
    """Of the settings that keep nine activities in ten, the one that hides best; else the one that keeps most."""
    kept_enough = [name for name, row in tried.items() if row["activity"] > 0.92]
    if kept_enough:
        return min(kept_enough, key=lambda name: tried[name]["person"])
    return max(tried, key=lambda name: tried[name]["activity"])


def _words(settings: dict[str, Any]) -> str:
    return f"λ = {settings['weight']:g}, β = {settings['bottleneck']:g}"


def _motion() -> dict[str, Any]:
    """Settings tried on the training trials alone, then the chosen one on the test trials with several seeds."""
    named = {_words(settings): settings for settings in GRID}
    tried = {
        name: kept(
            f"motion, tried {name}",
            lambda o=options: _anonymised(_inner(split_motion(load_motion(stride=STRIDE))), o, 0),
        )
        for name, options in named.items()
    }
    if None in tried.values():
        return {"tried": tried, "chosen": None, "seeds": {}}
    best = _chosen(tried)
    seeds = {
        seed: kept(
            f"motion, {best}, seed {seed}",
            lambda s=seed: _anonymised(split_motion(load_motion(stride=STRIDE)), named[best], s),
        )
        for seed in SEEDS
    }
    return {"tried": tried, "chosen": best, "seeds": seeds}


def _small(images: Any, labels: Any) -> pa.Table:
    """Digits of 7×7 as a table: 49 shades between 0 and 1, and the digit."""
    shades = images.reshape(-1, 7, 4, 7, 4).mean(axis=(2, 4)).reshape(len(images), 49) / 255
    made = {f"p{k}": shades[:, k] for k in range(49)}
    return pa.table(made | {"digit": [str(one) for one in labels.tolist()]})


def _student(epsilon: float | None, records: int) -> dict[str, float]:
    train, test = load_mnist(), load_mnist("test")
    group = Cohort(
        train=_small(train.images[:records], train.labels[:records]),
        test=_small(test.images[:2000], test.labels[:2000]),
    )
    domains = {f"p{k}": [0.0, 1.0, 4] for k in range(49)} | {"digit": [str(one) for one in range(10)]}
    options: dict[str, Any] = {
        "domains": domains, "label": "digit", "steps": STEPS, "count": 4_000, "hidden": 128, "latent": 16
    }  # fmt: skip
    if epsilon is None:
        model: Any = NoiseLayerGan(noise=0.1, **options)
    else:
        model = PrivateGan(epsilon=epsilon, delta=1e-5, expected_records=records, rate=0.01, **options)
    made = model.release(group, rng=seeded_rng(0))
    found = StudentAccuracy(label="digit").measure(group, made, rng=seeded_rng(1))
    return {"accuracy": found.value, "real": found.reference}


def rows() -> dict[str, Any]:
    """Every number of the chapter."""
    return {
        "motion": _motion(),
        "raw": kept("motion, raw", _raw),
        "students": {
            name: kept(f"student, {name}", lambda e=epsilon, n=records: _student(e, n))
            for name, (epsilon, records) in TEACHERS.items()
        },
    }


def chapter(found: dict[str, Any]) -> str:
    """The tables; what the budget did not allow is left out."""
    motion, lines = found["motion"], []
    named = [(f"validation, {name}", row) for name, row in motion["tried"].items()]
    named += [(f"test, {motion['chosen']}, seed {seed}", row) for seed, row in motion["seeds"].items()]
    for name, row in [("test, raw", found["raw"]), *named]:
        if row is not None:
            shown = [f"{row[kind]:.3f}" for kind in ("activity", "person", "recording", "chance")]
            lines.append([name, *shown, f"{row.get('distortion', 0.0):.2f}"])
    said = [
        f"MotionSense (Fischer §2.4.4), 25 Hz without gravity, windows of 64 samples, every {STRIDE}th;\n"
        f"{PEOPLE} people. Settings are chosen inside trials 1–9 (the last trial of an activity, or the last third of\n"
        "its only one, is held out), then trained on trials 1–9 and judged on 11–16. A person is named by the better\n"
        "of a convolutional network and a forest, both trained from nothing on windows as they left.",
        table(["windows", "activity", "person, by a window", "by a recording", "chance", "squared distortion"], lines),
    ]
    rows = [row for row in motion["seeds"].values() if row is not None]
    if rows:
        most = max(row["information"] for row in rows)
        bound = error_bound(most, PEOPLE)
        fano = f"nobody errs in less than {bound:.0%} of windows" if bound else "that bounds no error of an adversary"
        said.append(
            f"The codes carry at most {most:.2f} nats a window on average; by Fano's inequality\n"
            f"{fano}. A recording has many windows, whose scores are added up."
        )
    told = [
        [name, f"{one['accuracy']:.2f}", f"{one['real']:.2f}"]
        for name, one in found["students"].items() if one is not None
    ]  # fmt: skip
    said += [
        "Teacher and student (Fischer §2.4.3): a generator of digits of 7×7, told the label, from 60 000 real ones\n"
        f"where nothing else is said; {STEPS} steps of the discriminator, δ = 1e-5. A forest is trained on 4 000 made\n"
        "digits and labels real ones. Chance is .10.",
        table(["generator", "student", "taught by real digits"], told),
    ]
    return "\n\n".join(said)


def claims(found: dict[str, Any], unfinished: str) -> list[Row]:
    """What is claimed, decided by the numbers."""
    seeds, raw, students = found["motion"]["seeds"], found["raw"], found["students"]
    out: list[Row] = []
    name = "MotionSense: activity above 90 %, identity below 10 % by a window (Fischer §4.4)"
    if not seeds or None in seeds.values():
        out.append([name, unfinished])
    else:
        spread = {
            kind: f"{min(row[kind] for row in seeds.values()):.1%} to {max(row[kind] for row in seeds.values()):.1%}"
            for kind in ("activity", "person", "recording", "chance")
        }
        before = "" if raw is None else f" (raw {raw['activity']:.1%} and {raw['person']:.1%})"
        words = (
            f"activity {spread['activity']}, identity {spread['person']} over {len(seeds)} seeds{before}, "
            f"chance {spread['chance']}; settings chosen on held-out training trials"
        )
        holds = all(row["activity"] > 0.9 and row["person"] < 0.1 for row in seeds.values())
        out.append([name, verdict(holds, words)])
        together = all(row["recording"] < 0.1 for row in seeds.values())
        out.append(
            [
                "the same for all windows of a recording together (not in the thesis)",
                verdict(together, f"identity {spread['recording']}"),
            ]
        )
    name = "DP-SGD GAN: a student learns from what it makes (no numbers are printed)"
    if None in students.values():
        out.append([name, unfinished])
    else:
        words = ", ".join(f"{one['accuracy']:.2f} with {key}" for key, one in students.items())
        real = students["DP-SGD, ε = 8"]["real"]
        holds = students["DP-SGD, ε = 8"]["accuracy"] > 0.5
        out.append([name, verdict(holds, f"{words}; chance .10, taught by real digits {real:.2f}")])
    return out
