"""Déjà vu on panel cards: the gated audit, its controls, the blind designs, and one change at a time."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from tests.specimens.blind_designs import BLIND_DESIGNS

from reproduction._model_rows import Row, kept, table, verdict
from sfumato.errors import DataMissingError
from sfumato.model import CardExperiment, infer_labels, linear_probe, load_cifar10, load_mnist
from sfumato.model.core.learning import require_torch
from sfumato.model.dejavu.dejavu_test import compare_embeddings
from sfumato.model.dejavu.gallery import EmbeddedGallery, Embeddings
from sfumato.model.dejavu.small_encoder import SmallEncoder

EPOCHS = {0: (0.0, 0.04, 0.0), 50: (0.12, 0.14, 0.04), 100: (0.148, 0.24, 0.05), 200: (0.214, 0.42, 0.07),
          400: (0.399, 0.70, 0.13)}  # fmt: skip
LAST = max(EPOCHS)
FEW, SHORT = 100, 250
"""Cards and epochs of the variants: fewer, because there are many variants; few cards are remembered better."""
SEEDS = (0, 1)
VOTERS = (20, 50, 100, 200)
CORNER = 10
"""The side of the corner crop in pixels: three tenths of the image."""
VARIANTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "SimCLR, τ = .15, as in the table above": ({}, {}),
    "VICReg, λ = 25": ({}, {"criterion": "vicreg"}),
    "VICReg, λ = 5": ({}, {"criterion": "vicreg", "invariance": 5.0}),
    "VICReg, λ = 125": ({}, {"criterion": "vicreg", "invariance": 125.0}),
    "Barlow Twins": ({}, {"criterion": "barlow"}),
    "BYOL": ({}, {"criterion": "byol"}),
    "DINO": ({}, {"criterion": "dino"}),
    "supervised": ({}, {"criterion": "supervised"}),
    "τ = .05": ({}, {"temperature": 0.05}),
    "τ = .5": ({}, {"temperature": 0.5}),
    "jitter .4": ({}, {"jitter": 0.4}),
    "small network": ({}, {"channels": (8, 16, 32), "width": 32}),
    "large network": ({}, {"channels": (32, 64, 128), "width": 256}),
    "projector without hidden layer": ({}, {"inner": 0}),
    "projector with four hidden layers": ({}, {"inner": 4}),
    "N = 50": ({"size": 50}, {}),
    "N = 200": ({"size": 200}, {}),
}
"""What is changed of the cards, and of the training."""


@cache
def _pictures() -> tuple[Any, Any]:
    return load_mnist(), load_cifar10().images


def cards(**changes: Any) -> CardExperiment:
    """Digits of MNIST on backgrounds of CIFAR-10, or the shipped ones."""
    try:
        return CardExperiment(digits=_pictures()[0], backgrounds=_pictures()[1], **changes)
    except DataMissingError:
        return CardExperiment(**changes)


def _corner(images: Any) -> Any:
    """The corner away from the panel, which is on the left of every card: the lower right one."""
    return images[:, :, -CORNER:, -CORNER:]


def _main(seed: int) -> dict[str, Any]:
    """The main recipe: scores on the way, and the whole gated audit at the end."""
    experiment = cards(seed=seed)
    models: dict[int, list[Any]] = {epochs: [] for epochs in EPOCHS}

    def seen(epoch: int, encoder: Any) -> None:
        if epoch in models:
            models[epoch].append(copy.deepcopy(encoder))

    experiment.train(epochs=LAST, seen=seen)
    models[0] = list(experiment.train(epochs=0))
    found: dict[str, Any] = {}
    for epochs, pair in models.items():
        two = (pair[0], pair[1])
        scored, deep = experiment.score(two), experiment.score(two, layer="backbone")
        parts = scored.partition
        found[str(epochs)] = {
            "all": scored.score(),
            "fifth": scored.score(0.2),
            "backbone": deep.score(),
            "corner": _scored(experiment, two, _corner),
            "probe": _probe_gap(experiment, two),
            "partition": [parts.memorised, parts.misrepresented],
        }
    two = (models[LAST][0], models[LAST][1])
    audit = experiment.audit(two)
    fresh = audit.gate.fresh
    found["audit"] = {
        "blind": audit.gate.blind,
        "words": audit.words,
        "roles": list(audit.measured.role_scores),
        "interval": [audit.measured.interval.low, audit.measured.interval.high],
        "control": list(audit.gate.control or ()),
        "whole": list(audit.gate.whole),
        "fresh": list(fresh),
        "memorises": audit.measured.memorises,
    }
    found["voters"] = {str(k): experiment.score(two, neighbours=k).score() for k in VOTERS}
    middle = (_layer(two[0], 1), _layer(two[1], 1)), (_layer(two[0], 2), _layer(two[1], 2))
    found["layers"] = [experiment.score(pair, layer="backbone").score() for pair in middle]
    return found


def _scored(experiment: CardExperiment, models: Any, crop: Any) -> float:
    parts = experiment.parts
    shown = (parts["x"].images, crop(parts["a"].images), crop(parts["b"].images))
    made = [Embeddings(*(model.encode(part) for part in shown)) for model in models]
    embedded = EmbeddedGallery(a=made[0], b=made[1], labels=experiment.gallery.labels)
    return compare_embeddings(embedded).score()


def _probe_gap(experiment: CardExperiment, models: Any) -> float:
    """The mean gap of a linear probe on backbone embeddings of whole cards, trained on and fresh."""
    parts, gaps = experiment.parts, []
    for model, name in zip(models, ("a", "b"), strict=True):
        own, fresh = (model.encode(parts[one].images, layer="backbone") for one in (name, "t"))
        gaps.append(linear_probe(own, parts[name].labels, fresh, parts["t"].labels).gap)
    return float(np.mean(gaps))


def _whole(experiment: CardExperiment, models: Any) -> float:
    """How often whole fresh cards are recognised: below a half the test is blind."""
    shown = experiment.gallery
    return min(
        infer_labels(model.encode(shown.public), shown.public_labels, model.encode(shown.fresh)).accuracy(
            shown.fresh_labels
        )
        for model in models
    )


def _layer(model: SmallEncoder, hidden: int) -> SmallEncoder:
    """An encoder whose backbone reaches up to and including so many hidden layers of the projector."""
    chained = require_torch().nn.Sequential(model.backbone, *list(model.projector)[: 3 * hidden])
    return SmallEncoder(backbone=chained.eval(), projector=model.projector)


def _variant(changes: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    experiment = cards(**({"size": FEW} | changes))
    models = experiment.train(epochs=SHORT, **options)
    found = experiment.score(models)
    inner = range(options.get("inner", 2) + 1)
    cut = [(_layer(models[0], k), _layer(models[1], k)) for k in inner]
    layers = [experiment.score(pair, layer="backbone").score() for pair in cut]
    return {"roles": list(found.role_scores), "fifth": found.score(0.2), "layers": [*layers, found.score()],
            "whole": _whole(experiment, models)}  # fmt: skip


def _blind(name: str, seed: int) -> dict[str, Any]:
    design = BLIND_DESIGNS[name](seed=seed)
    found = design.audit(design.train(**design.options))
    return {"blind": found.gate.blind, "whole": list(found.gate.whole), "fresh": list(found.gate.fresh),
            "score": found.measured.score(), "reasons": found.gate.reasons}  # fmt: skip


def rows() -> dict[str, Any]:
    """The numbers of the main recipe, of the controls and of the blind designs."""
    main = {seed: kept(f"déjà vu, seed {seed}", lambda s=seed: _main(s)) for seed in SEEDS}
    control = {s: kept(f"positive control, seed {s}", lambda s=s: list(cards(seed=s).control)) for s in (0, 1, 2)}
    blind = {name: kept(f"blind: {name}", lambda n=name: _blind(n, 0)) for name in BLIND_DESIGNS}
    return {"main": main, "control": control, "blind": blind}


def variants() -> dict[str, Any]:
    """The numbers of everything that was changed, one at a time."""
    return {
        name: kept(f"variant {name}", lambda c=changes, o=options: _variant(c, o))
        for name, (changes, options) in VARIANTS.items()
    }


def _mean(found: dict[str, Any], epochs: int, what: str) -> float:
    return float(np.mean([run[str(epochs)][what] for run in found["main"].values()]))


def _all(found: dict[str, Any]) -> bool:
    return all(None not in part.values() for part in found.values())


def chapter(found: dict[str, Any], changed: dict[str, Any]) -> str:
    """The tables; what the budget did not allow is left out."""
    said = []
    if _all(found):
        lines: list[Row] = []
        for epochs, printed in EPOCHS.items():
            parts = np.mean([run[str(epochs)]["partition"] for run in found["main"].values()], axis=0)
            ours = " / ".join(f"{_mean(found, epochs, what):.3f}" for what in ("all", "fifth", "backbone"))
            shown = " / ".join(f"{value:g}" for value in printed)
            lines.append([str(epochs), shown, ours, f"{parts[0]:.2f} / {parts[1]:.2f}"])
        head = ["epochs", "reference: DV@100 / DV@20 / backbone", "ours", "memorised / misrepresented"]
        said.append(table(head, lines))
        for seed, run in found["main"].items():
            said.append(f"The whole audit after {LAST} epochs, seed {seed}: “{run['audit']['words']}”")
        pairs = [", ".join(f"{value:.2f}" for value in scores) for scores in found["control"].values()]
        said.append(f"Positive control (reference .47 to .66), DV@100 by role, three seeds: {'; '.join(pairs)}.")
        designs = [
            [name, ", ".join(f"{v:.2f}" for v in one["whole"]), ", ".join(f"{v:.2f}" for v in one["fresh"]),
             f"{one['score']:.2f}", "blind" if one["blind"] else "not called blind"]
            for name, one in found["blind"].items()
        ]  # fmt: skip
        head = ["designs that cannot see memory", "whole images", "fresh backgrounds", "score if read", "verdict"]
        said.append(table(head, designs))
    lines = []
    for name, row in changed.items():
        if row is not None:
            roles = ", ".join(f"{value:.2f}" for value in row["roles"])
            layers = ", ".join(f"{value:.2f}" for value in row["layers"])
            lines.append([name, roles, f"{row['fifth']:.2f}", layers, f"{row['whole']:.2f}"])
    head = ["change", "DV@100 by role", "DV@20", "by layer, backbone first", "whole images"]
    said.append(f"One change at a time, {FEW} cards, {SHORT} epochs, one seed each:\n\n" + table(head, lines))
    return "\n\n".join(said)


def _trend(holds: bool, words: str) -> str:
    return f"{'trend seen' if holds else 'trend not seen'}: {words}"


def claims(found: dict[str, Any], changed: dict[str, Any], unfinished: str) -> list[Row]:
    """What is claimed, decided by the numbers."""
    imagenet = ["numbers of Table 1.9b (ImageNet)", "cannot be checked here, because: no ImageNet, no accelerators"]
    if not _all(found):
        return [["déjà vu on panel cards", unfinished], imagenet]
    dv = {epochs: _mean(found, epochs, "all") for epochs in EPOCHS}
    top, deep = _mean(found, LAST, "fifth"), _mean(found, LAST, "backbone")
    return [*_main_claims(found, dv, top, deep), *_change_claims(changed, unfinished), imagenet]


def _main_claims(found: dict[str, Any], dv: dict[int, float], top: float, deep: float) -> list[Row]:
    audits = [run["audit"] for run in found["main"].values()]
    fresh = max(abs(run["fresh"][0] - run["fresh"][1]) for run in audits)
    least = min(min(scores) for scores in found["control"].values())
    voters = {k: float(np.mean([run["voters"][str(k)] for run in found["main"].values()])) for k in VOTERS}
    corner = {epochs: _mean(found, epochs, "corner") for epochs in EPOCHS}
    probe = {epochs: _mean(found, epochs, "probe") for epochs in EPOCHS}
    layers = [deep, *np.mean([run["layers"] for run in found["main"].values()], axis=0), dv[LAST]]
    seen = sum(one["blind"] for one in found["blind"].values())
    base, opened = dv[LAST], sum(not run["blind"] for run in audits)
    growing = all(a <= b for a, b in itertools.pairwise(dv.values()))
    return [
        ["positive control at least .25 in both roles", verdict(least >= 0.25, f"least of three seeds {least:.2f}")],
        [
            f"{LAST} epochs: DV@100 above .2, DV@20 above .4, the gate open, memory found",
            verdict(
                base > 0.2 and top > 0.4 and all(run["memorises"] and not run["blind"] for run in audits),
                f"DV@100 {base:.2f}, DV@20 {top:.2f}, {opened} of {len(audits)} gates open",
            ),
        ],
        [
            "controls at 0: untrained models, and models on images that neither saw",
            verdict(abs(dv[0]) < 0.05 and fresh < 0.06, f"untrained {dv[0]:.3f}, fresh at most {fresh:.3f}"),
        ],
        [
            "designs that cannot see memory are called blind",
            verdict(seen == len(found["blind"]), f"{seen} of {len(found['blind'])}"),
        ],
        [
            "déjà vu grows with epochs (Fig. 1.5)",
            _trend(growing, ", ".join(f"{value:.2f} at {epochs}" for epochs, value in dv.items())),
        ],
        [
            "the probe's gap hardly moves meanwhile (Fig. 1.5)",
            _trend(
                abs(probe[LAST] - probe[100]) < 0.05, ", ".join(f"{value:.3f} at {e}" for e, value in probe.items())
            ),
        ],
        [
            "the projector remembers more than the backbone, layer by layer (Fig. 1.8b)",
            _trend(all(a < b for a, b in itertools.pairwise(layers)), ", ".join(f"{value:.2f}" for value in layers)),
        ],
        ["the most confident fifth shows more (Fig. 1.4)", _trend(top > base, f"{top:.2f} beside {base:.2f}")],
        [
            "any K between 50 and the images of a class does",
            _trend(abs(voters[50] - voters[100]) < 0.1, ", ".join(f"{v:.2f} at K = {k}" for k, v in voters.items())),
        ],
        [
            "the corner crop follows, slightly lower (A.0.5; lower right corner here)",
            _trend(
                base / 2 < corner[LAST] <= base and corner[LAST] >= corner[100],
                ", ".join(f"{value:.2f} beside {dv[e]:.2f} at {e} epochs" for e, value in corner.items()),
            ),
        ],
    ]


def _change_claims(changed: dict[str, Any], unfinished: str) -> list[Row]:
    mean = {name: sum(row["roles"]) / 2 for name, row in changed.items() if row is not None}
    out: list[Row] = []
    same = next(iter(VARIANTS))

    def claim(name: str, needs: dict[str, str], holds: Callable[[list[float]], bool]) -> None:
        """``needs`` names the variants by what is said of them, in the order of the claim."""
        if any(one not in mean for one in needs.values()):
            out.append([name, unfinished])
        else:
            values = [mean[one] for one in needs.values()]
            words = ", ".join(f"{value:.2f} {said}" for said, value in zip(needs, values, strict=True))
            out.append([name, _trend(holds(values), words)])

    def rising(values: list[float]) -> bool:
        return all(a < b for a, b in itertools.pairwise(values))

    def peaked(values: list[float]) -> bool:
        return values[1] > max(values[0], values[2]) + 0.03  # about one standard error of 200 crops

    claim(
        "a deeper projector remembers more",
        {"without hidden layer": "projector without hidden layer", "with two": same,
         "with four": "projector with four hidden layers"},
        rising,
    )  # fmt: skip
    claim(
        "roughly constant in the size of the training set (Fig. 1.6)",
        {"at 50": "N = 50", "at 100": same, "at 200": "N = 200"},
        lambda values: max(values) - min(values) < 0.1,
    )
    claim(
        "a peak in λ of VICReg near 25 (Fig. 1.8a)",
        {"at 5": "VICReg, λ = 5", "at 25": "VICReg, λ = 25", "at 125": "VICReg, λ = 125"},
        peaked,
    )
    claim("a peak in τ of SimCLR near .15", {"at .05": "τ = .05", "at .15": same, "at .5": "τ = .5"}, peaked)
    claim(
        "order of the criteria as in Table 1.9b: BYOL, supervised, SimCLR, DINO, Barlow Twins, VICReg",
        {"BYOL": "BYOL", "supervised": "supervised", "SimCLR": same, "DINO": "DINO", "Barlow Twins": "Barlow Twins",
         "VICReg": "VICReg, λ = 25"},
        rising,
    )  # fmt: skip
    claim(
        "a larger network remembers more (Fig. 1.9a)",
        {"small": "small network", "middle": same, "large": "large network"},
        rising,
    )
    claim("colour jitter lowers it", {"with": "jitter .4", "without": same}, rising)
    vicreg = changed["VICReg, λ = 25"]
    name = (
        "almost all of VICReg's memory sits in the projector's last layers, SimCLR's also in the backbone (Fig. 1.8b)"
    )
    if vicreg is None or changed[same] is None:
        out.append([name, unfinished])
    else:
        shown = [[f"{value:.2f}" for value in row["layers"]] for row in (vicreg, changed[same])]
        late = vicreg["layers"][0] < vicreg["layers"][-1] / 2
        early = changed[same]["layers"][0] > changed[same]["layers"][-1] / 2
        out.append([name, _trend(late and early, f"VICReg {', '.join(shown[0])}; SimCLR {', '.join(shown[1])}")])
    return out
