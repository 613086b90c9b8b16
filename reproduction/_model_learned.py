"""Learned anonymisers: motion sensors, and students of generators that learn under a promise and without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

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

SETTINGS = {"weight": 0.5, "bottleneck": 0.02, "epochs": 5}
STRIDE = 40
PEOPLE = 24
STUDENTS, STEPS = 4_000, 400


def _judged(data: Any) -> dict[str, float]:
    """Fresh networks on windows as they left."""
    told = {kind: name_windows(data, kind, epochs=6, rng=seeded_rng(1)) for kind in ("activity", "person")}
    right = {kind: float((told[kind].argmax(axis=1) == getattr(data.test, kind)).mean()) for kind in told}
    often = np.bincount(data.train.person).argmax()
    chance = float((data.test.person == often).mean())
    return right | {"recording": float(recording_hits(told["person"], data).mean()), "chance": chance}


def _raw() -> dict[str, float]:
    return _judged(split_motion(load_motion(stride=STRIDE)))


def _anonymised() -> dict[str, float]:
    data, rng = split_motion(load_motion(stride=STRIDE)), seeded_rng(0)
    model = MotionAutoencoder(**SETTINGS).train(data.train.windows, data.train.activity, data.train.person, rng=rng)
    parts = {
        name: getattr(data, name)._replace(windows=model.release(getattr(data, name).windows, rng=rng))
        for name in ("train", "test")
    }
    made = type(data)(**parts)
    away = (made.test.windows - data.test.windows) / model.spread[:, None]
    found = _judged(made)
    return found | {"information": model.information, "distortion": float((away**2).mean())}


def _small(images: Any, labels: Any) -> pa.Table:
    """Digits of 7×7 as a table: 49 shades between 0 and 1, and the digit."""
    shades = images.reshape(-1, 7, 4, 7, 4).mean(axis=(2, 4)).reshape(len(images), 49) / 255
    made = {f"p{k}": shades[:, k] for k in range(49)}
    return pa.table(made | {"digit": [str(one) for one in labels.tolist()]})


def _student(epsilon: float | None) -> dict[str, float]:
    train, test = load_mnist(), load_mnist("test")
    group = Cohort(
        train=_small(train.images[:STUDENTS], train.labels[:STUDENTS]),
        test=_small(test.images[:2000], test.labels[:2000]),
    )
    domains = {f"p{k}": [0.0, 1.0, 4] for k in range(49)} | {"digit": [str(one) for one in range(10)]}
    options: dict[str, Any] = {"domains": domains, "steps": STEPS, "count": STUDENTS, "batch": 128, "hidden": 128}
    if epsilon is None:
        model: Any = NoiseLayerGan(noise=0.1, **options)
    else:
        model = PrivateGan(epsilon=epsilon, delta=1e-5, expected_records=STUDENTS, **options)
    made = model.release(group, rng=seeded_rng(0))
    found = StudentAccuracy(label="digit").measure(group, made, rng=seeded_rng(1))
    return {"accuracy": found.value, "real": found.reference, "kinds": len(set(made["digit"].to_pylist()))}


def rows() -> dict[str, Any]:
    """Every number of the chapter."""
    return {
        "anonymised": kept("motion, anonymised", _anonymised),
        "raw": kept("motion, raw", _raw),
        "students": {
            name: kept(f"student, {name}", lambda e=epsilon: _student(e))
            for name, epsilon in (("ε = 8", 8.0), ("ε = 2", 2.0), ("noise layer", None))
        },
    }


def chapter(found: dict[str, Any]) -> str:
    """The tables; what the budget did not allow is left out."""
    lines = [
        [name, *(f"{row[kind]:.3f}" for kind in ("activity", "person", "recording")),
         f"{row.get('distortion', 0.0):.2f}"]
        for name, row in (("raw", found["raw"]), ("auto-encoder", found["anonymised"])) if row is not None
    ]  # fmt: skip
    said = [
        f"MotionSense (Fischer §2.4.4), 25 Hz without gravity, windows of 64 samples, every {STRIDE}th;\n"
        f"{PEOPLE} people; trained on trials 1–9, judged on 11–16 by convolutional networks trained from nothing.\n"
        f"Settings {SETTINGS}.",
        table(["windows", "activity", "person, by a window", "person, by a recording", "squared distortion"], lines),
    ]
    row = found["anonymised"]
    if row is not None:
        bound = error_bound(row["information"], PEOPLE)
        fano = f"nobody errs in less than {bound:.0%} of windows" if bound else "that bounds no error of an adversary"
        said.append(
            f"The codes carry at most {row['information']:.2f} nats a window on average; by Fano's inequality\n"
            f"{fano}. A recording has many windows, whose scores are added up."
        )
    told = [
        [name, f"{one['accuracy']:.2f}", f"{one['real']:.2f}", str(one["kinds"])]
        for name, one in found["students"].items() if one is not None
    ]  # fmt: skip
    said += [
        f"Teacher and student (Fischer §2.4.3): a generator of {STUDENTS} digits of 7×7 with their labels,\n"
        f"{STEPS} steps; a forest is trained on what it makes and labels real digits. Chance is .10.",
        table(["generator", "student", "taught by real digits", "digits that it makes"], told),
    ]
    return "\n\n".join(said)


def claims(found: dict[str, Any], unfinished: str) -> list[Row]:
    """What is claimed, decided by the numbers."""
    made, raw, students = found["anonymised"], found["raw"], found["students"]
    out: list[Row] = []
    name = "MotionSense: activity above 90 %, identity below 10 % by a window (Fischer §4.4)"
    if made is None:
        out.append([name, unfinished])
    else:
        before = "" if raw is None else f" (raw {raw['activity']:.1%} and {raw['person']:.1%})"
        words = f"activity {made['activity']:.1%}, identity {made['person']:.1%}{before}, chance {made['chance']:.1%}"
        out.append([name, verdict(made["activity"] > 0.9 and made["person"] < 0.1, words)])
        out.append(
            [
                "the same for all windows of a recording together (not in the thesis)",
                verdict(made["recording"] < 0.1, f"identity {made['recording']:.1%}"),
            ]
        )
    if None in students.values():
        out.append(["DP-SGD GAN: a student learns from what it makes (no numbers are printed)", unfinished])
    else:
        best = max(students["ε = 8"]["accuracy"], students["ε = 2"]["accuracy"])
        words = ", ".join(f"{one['accuracy']:.2f} with {key}" for key, one in students.items())
        out.append(
            [
                "DP-SGD GAN: a student learns from what it makes (no numbers are printed)",
                verdict(best > 0.2, f"{words}; chance .10, taught by real digits {students['ε = 8']['real']:.2f}"),
            ]
        )
    return out
