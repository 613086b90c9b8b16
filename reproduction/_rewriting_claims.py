"""What Weggenmann's chapter 6 and Fischer print, decided by the rows that are finished: numbers side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reproduction._rewriting_judge import Row

Splits = Sequence[Mapping[str, Row | None]]
Cells = Mapping[str, Mapping[str, dict[str, float] | None]]
"""The cells of each corpus of mails by their names."""

FOUR = {"V-VAE": "V-VAE", "DP-VAE": "DP-VAE, σ = 1", "AVG-AAE": "AVG-AAE", "DP-AAE": "DP-AAE, σ = 14.2"}
"""The printed models by our rows; σ is what the dissertation found best."""
IMDB: dict[str, tuple[float, ...]] = {
    "original": (0.90, 0.90, 0.89, 0.89, 0.47, 0.47, 1.0, 157.9),
    "V-VAE": (0.77, 0.77, 0.75, 0.74, 0.37, 0.34, 0.24, 213.3),
    "DP-VAE": (0.14, 0.24, 0.07, 0.16, 0.00, 0.00, 0.09, 73.4),
    "AVG-AAE": (0.24, 0.31, 0.16, 0.24, 0.22, 0.34, 0.15, 72.6),
    "DP-AAE": (0.17, 0.29, 0.09, 0.21, 0.25, 0.38, 0.14, 58.3),
}
"""Table 6.1, IMDb, SVM: author accuracy and MCC, then sentiment MCC, each static and adaptive; METEOR; perplexity."""
_FIELDS = (
    "author_static", "author", "author_mcc_static", "author_mcc", "mood_static", "mood", "meteor", "perplexity",
)  # fmt: skip


def standing(splits: Splits) -> list[str]:
    """Table 6.1 beside ours: another corpus, so shapes count and not values."""
    done = {name: _mean(splits, FOUR.get(name, "unprotected")) for name in IMDB}
    one = next((found for found in done.values() if found is not None), None)
    lines = [
        "| | author accuracy static / adaptive | author MCC | sentiment MCC | METEOR | perplexity | splits |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, printed in IMDB.items():
        lines.append(f"| {name}, printed (10 authors, chance .10) | {_cells(printed)} | |")
        found = done[name]
        if found is None:
            lines.append(f"| {name}, here | not finished in the time given |" + " |" * 5)
        else:
            lines.append(
                f"| {name}, here | {_cells(tuple(found[field] for field in _FIELDS))} | {found['splits']:.0f} |"
            )
    if one is None:
        return lines
    about = (
        f"Here {one['people']:.0f} authors, majority {one['majority']:.3f}, sentiment majority "
        f"{one['mood_majority']:.3f}, n = {one['tested']:.0f} test texts a split: two standard errors of an accuracy "
        f"near a third are {2 * _error(one):.3f}."
    )
    return [about, "", *lines]


def _cells(values: Sequence[float]) -> str:
    pairs = [f"{values[k]:.2f} / {values[k + 1]:.2f}" for k in (0, 2, 4)]
    return " | ".join([*pairs, f"{values[6]:.2f}", f"{values[7]:.0f}"])


def _mean(splits: Splits, name: str) -> dict[str, float] | None:
    """The means of a row over the splits that are finished."""
    done = [row for found in splits if (row := found.get(name)) is not None]
    if not done:
        return None
    wanted = (*_FIELDS, "majority", "people", "tested", "mood_majority")
    return {field: float(np.mean([getattr(row, field) for row in done])) for field in wanted} | {"splits": len(done)}


def _error(row: Mapping[str, float]) -> float:
    """The standard error of an accuracy at the majority, over all splits."""
    return math.sqrt(row["majority"] * (1 - row["majority"]) / (row["tested"] * row["splits"]))


@dataclass(frozen=True)
class Claim:
    """A printed finding, the rows it needs, and by how much it holds: at least 0 means that it does.

    ``test`` gives the margin, its standard error (0 where nothing is compared with chance), and the numbers in words.
    """

    text: str
    needs: tuple[str, ...]
    test: Callable[[dict[str, Any]], tuple[float, float, str]]

    def verdict(self, splits: Splits) -> str:
        """One of the three verdicts."""
        found = {name: _mean(splits, name) for name in self.needs}
        missing = [name for name, row in found.items() if row is None]
        if missing:
            return f"cannot be checked here, because not finished: {'; '.join(missing)}"
        margin, error, told = self.test(found)
        return f"{_decided(margin, error)}: {told}"


def _decided(margin: float, error: float) -> str:
    if error and abs(margin) < 2 * error:
        return f"cannot be checked here, because the difference {margin:+.3f} is within two standard errors"
    return "reproduced" if margin >= 0 else "not reproduced"


def _apart(first: Mapping[str, float], second: Mapping[str, float], field: str) -> tuple[float, float]:
    return first[field] - second[field], math.sqrt(2) * _error(first)


def _adaptive(found: dict[str, Any]) -> tuple[float, float, str]:
    gains = {name: row["author_mcc"] - row["author_mcc_static"] for name, row in found.items()}
    return min(gains.values()), 0.0, "MCC adaptive − static " + ", ".join(f"{n} {g:+.2f}" for n, g in gains.items())


def _extremes(found: dict[str, Any]) -> tuple[float, float, str]:
    values = {name: row["author_mcc"] for name, row in found.items()}
    most, least = (values[FOUR[name]] for name in ("V-VAE", "DP-VAE"))
    margin = min(most - max(values.values()), min(values.values()) - least)
    return margin, 0.0, "author MCC " + ", ".join(f"{name} {value:.2f}" for name, value in values.items())


def _above_chance(found: dict[str, Any]) -> tuple[float, float, str]:
    (row,) = found.values()
    margin = row["author"] - row["majority"]
    return margin, _error(row), f"accuracy {row['author']:.3f}, majority {row['majority']:.3f}"


def _no_sentiment(found: dict[str, Any]) -> tuple[float, float, str]:
    (row,) = found.values()
    return 0.1 - abs(row["mood"]), 0.0, f"sentiment MCC {row['mood']:.3f} (printed .00 and .07)"


def _trade_off(found: dict[str, Any]) -> tuple[float, float, str]:
    raw = found["unprotected"]

    def score(row: Mapping[str, float]) -> float:
        return row["mood"] / raw["mood"] - row["author_mcc"] / raw["author_mcc"]

    ours = {name: score(found[FOUR[name]]) for name in ("DP-AAE", "AVG-AAE")}
    told = ", ".join(f"{name} {value:.2f}" for name, value in ours.items())
    margin = ours["DP-AAE"] - ours["AVG-AAE"]
    return margin, math.sqrt(2) * _error(raw) / raw["mood"], f"trade-off {told} (printed .57 and .45)"


def _meteor(found: dict[str, Any]) -> tuple[float, float, str]:
    values = {name: found[FOUR[name]]["meteor"] for name in FOUR}
    margin = min(values["V-VAE"] - max(values["AVG-AAE"], values["DP-AAE"]), values["AVG-AAE"] - values["DP-VAE"])
    return margin, 0.0, ", ".join(f"{name} {value:.2f}" for name, value in values.items())


def _fluent(found: dict[str, Any]) -> tuple[float, float, str]:
    raw, noisy = found["unprotected"]["perplexity"], found[FOUR["DP-VAE"]]["perplexity"]
    return raw - noisy, 0.0, f"{noisy:.0f} against {raw:.0f} (printed 73 and 158)"


def _falls(found: dict[str, Any]) -> tuple[float, float, str]:
    values = {name: row["mood"] for name, row in found.items()}
    first, *_, last = values
    margin, error = _apart(found[first], found[last], "mood")
    return margin, error, "sentiment MCC " + ", ".join(f"{name} {value:.2f}" for name, value in values.items())


def _stays(found: dict[str, Any]) -> tuple[float, float, str]:
    values = [row["mood"] for row in found.values()]
    kept, error = 0.05 - (max(values) - min(values)), math.sqrt(2) * _error(next(iter(found.values())))
    return kept, error, "sentiment MCC " + ", ".join(f"{name} {row['mood']:.2f}" for name, row in found.items())


_ALL = tuple(FOUR.values())
WEGGENMANN = (
    Claim("Table 6.1: adaptive attackers are at least as strong as static ones, for all four models", _ALL, _adaptive),
    Claim("Table 6.1: V-VAE and DP-VAE are the opposite extremes for the author", _ALL, _extremes),
    Claim("Table 6.1: the DP-VAE does not reach chance (.24 of ten authors)", (FOUR["DP-VAE"],), _above_chance),
    Claim("Table 6.1: the DP-VAE keeps no sentiment", (FOUR["DP-VAE"],), _no_sentiment),
    Claim("Table 6.1: DP-AAE has the better trade-off than AVG-AAE", ("unprotected", *_ALL), _trade_off),
    Claim("Table 6.1: METEOR falls from V-VAE over the AAEs to the DP-VAE", _ALL, _meteor),
    Claim("Table 6.1: DP-VAE text is more fluent than the original", ("unprotected", FOUR["DP-VAE"]), _fluent),
    Claim(
        "Fig. 6.4: the DP-VAE loses sentiment as σ grows",
        tuple(f"DP-VAE, σ = {sigma}" for sigma in ("0.1", "0.3", "1", "10")), _falls,
    ),
    Claim(
        "Fig. 6.4: the DP-AAE keeps it, whatever σ (within .05)",
        tuple(f"DP-AAE, σ = {sigma}" for sigma in ("1", "14.2", "38.8")), _stays,
    ),
)  # fmt: skip


def weggenmann(splits: Splits) -> dict[str, str]:
    """Each printed finding of chapter 6 with its verdict."""
    return {claim.text: claim.verdict(splits) for claim in WEGGENMANN}


def fischer(cells: Cells, people: Mapping[str, tuple[int, int]]) -> dict[str, str]:
    """Each printed finding on attention with its verdict on every corpus; ``people``: senders and test pieces."""
    found: dict[str, str] = {}
    for name, own in cells.items():
        senders, tested = people[name]
        at = f"{name}, n = {tested}, chance {1 / senders:.3f}"
        error = math.sqrt(0.25 / tested)
        order = "the basic network has less than half of the Identificator, the Bi-LSTM the most"
        found[f"Table 9, {at}: {order}"] = _by(own, ("clean",), _table_nine)
        for level in dict.fromkeys(key.split(", ε = ")[1] for key in own if key.startswith("manual")):
            manual, constant, learned = (f"{kind}, ε = {level}" for kind in ("manual", "constant A", "Anonymizer"))
            found[f"Tables 5–8, {at}, ε = {level}: the Anonymizer's loss is that of constant A (2 %)"] = _by(
                own, (learned, constant), _same_loss
            )
            found[f"Figs 33–42, {at}, ε = {level}: manual is read more easily than the Anonymizer"] = _by(
                own, (manual, learned), lambda a, b, error=error: _read(a, b, error)
            )
            found[f"Tables 2–4, {at}, ε = {level}: manual ends at hub words"] = _by(own, (manual, constant), _hubs)
            found[f"Attention finds names, {at}, ε = {level}: names change more often than other words (by .02)"] = _by(
                own, (manual,), _names
            )
    return found


def _by(own: Mapping[str, Any], names: tuple[str, ...], test: Callable[..., tuple[float, float, str]]) -> str:
    missing = [name for name in names if own.get(name) is None]
    if missing:
        return f"cannot be checked here, because not finished: {'; '.join(missing)}"
    margin, error, told = test(*(own[name] for name in names))
    return f"{_decided(margin, error)}: {told}"


def _table_nine(cell: dict[str, float]) -> tuple[float, float, str]:
    basic, attentive, reader = cell["basic"], cell["identificator"], cell["bilstm"]
    told = f"{basic:.3f}, {attentive:.3f}, {reader:.3f} (printed .09, .92, .97)"
    return min(attentive - 2 * basic, reader - attentive), 0.0, told


def _same_loss(learned: dict[str, float], constant: dict[str, float]) -> tuple[float, float, str]:
    apart = learned["loss"] / constant["loss"] - 1
    return 0.02 - abs(apart), 0.0, f"{learned['loss']:.4f} and {constant['loss']:.4f}, {apart:+.1%}"


def _read(manual: dict[str, float], learned: dict[str, float], error: float) -> tuple[float, float, str]:
    margin = manual["matrix"] - learned["matrix"]
    return margin, math.sqrt(2) * error, f"accuracy {manual['matrix']:.3f} and {learned['matrix']:.3f}"


def _hubs(manual: dict[str, float], constant: dict[str, float]) -> tuple[float, float, str]:
    margin = manual["hubs"] - 1.2 * constant["hubs"]
    return margin, 0.0, f"share of the ten commonest words {manual['hubs']:.3f}, constant A {constant['hubs']:.3f}"


def _names(cell: dict[str, float]) -> tuple[float, float, str]:
    return (
        cell["names"] - cell["others"] - 0.02,
        0.0,
        f"{cell['names']:.3f} of the names, {cell['others']:.3f} of the others",
    )
