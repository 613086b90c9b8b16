"""The kept rows behind the claims, as tables: what was measured, with its spread."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from reproduction._rows import Recipe
from reproduction.claims import check_in_rows as check_ins
from reproduction.claims import direction_rows as directions
from reproduction.claims import survey_rows as shuffling


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    head = list(head)
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)])


def _colours(row: Any) -> str:
    lines = []
    for one in row:
        radius = "–" if one["radius"] in (0.0, None) else f"{one['radius']:g}"
        places = f"{one['travels']:,.0f}" if "travels" in one else "–"
        lines.append([one["order"], radius, places, *(f"{value:.2f}" for value in one["accuracy"]), one["cpu"]])
    return _table(["order", "r", "1/θ", "8 colours", "4 crescents", "2 clusters", "CPU s"], lines)


def _attacker(row: Any) -> str:
    return _table(["release", "right"], [[one["release"], f"{one['mean']:.3f} ± {one['spread']:.3f}"] for one in row])


def _rho(row: Any) -> str:
    names = [name for name in row[0] if name != "release"]
    lines = [[one["release"], *(f"{one[name][0]:.3f} ± {one[name][1]:.3f}" for name in names)] for one in row]
    told = {"rho": "ρ", "lambda": "λ", "rho of the rare": "ρ, > 50K", "bayes": "Bayesian attacker"}
    return _table(["release", *(told[name] for name in names)], lines)


def _stays(row: Any) -> str:
    lines = []
    for one in row:
        travels = "–" if one["travels"] is None else f"{one['travels']:,.0f}"
        scores = (f"{one[name][0]:.3f} ± {one[name][1]:.3f}" for name in ("rho", "lambda"))
        lines.append([one["release"], travels, *scores])
    return _table(["release", "1/θ", "ρ", "λ"], lines)


def _communities(row: Any) -> str:
    lines = []
    for one in row:
        travels = "–" if one["travels"] is None else f"{one['travels']:,.0f}"
        scores = (f"{one[name][0]:.3f} ± {one[name][1]:.3f}" for name in ("rho", "told"))
        lines.append([f"{one['across']:g}", one["groups"], travels, *scores])
    return _table(["random friendships a person", "groups", "1/θ", "ρ of the rarer answer", "regions told"], lines)


def _friends(row: Any) -> str:
    about = f"{row['people']:,} people, {row['friendships']:,} friendships; "
    about += f"{row['share']:.0%} live near the commonest city."
    lines = [[name, f"{mean:.3f} ± {spread:.3f}"] for name, (mean, spread) in row["rho"].items()]
    return about + "\n\n" + _table(["groups", "ρ of the rarer answer"], lines)


def _widths(row: Any) -> str:
    head = ["groups", "n", "share or r", "best order", "BFS", "BFS as listed", "Cuthill–McKee", "random"]
    return _table(head, [[one["case"], one["n"], one["of"], *(f"{w:.0f}" for w in one["widths"])] for one in row])


def _ranks(row: Any) -> str:
    names = list(next(iter(row.values())))
    lines = [[name, *(f"{one[law][0]:.3f} ± {one[law][1]:.3f}" for law in names)] for name, one in row.items()]
    return _table(["model", *names], lines)


def _sizes(row: Any) -> str:
    def cell(value: float | None) -> str:
        return "never" if value is None else f"{value:,.0f}"

    lines = []
    for name, one in row.items():
        runs = cell(one["simulated"]) if "simulated" in one else "–"
        lines.append([name, *(cell(one.get(epsilon)) for epsilon in ("0.1", "1", "10")), runs])
    return _table(["law", "ε = .1", "ε = 1", "ε = 10", "ε = 1, 1 000 runs"], lines)


def _rates(row: Any) -> str:
    kappas = sorted({one["kappa"] for one in row})
    rate = {(one["n"], one["kappa"]): one["per_second"] for one in row}
    lines = [[n, *(f"{rate[n, kappa]:,.0f}" for kappa in kappas)] for n in sorted({one["n"] for one in row})]
    return _table(["n", *(f"κ = {kappa:g}" for kappa in kappas)], lines)


def _errors(digits: str) -> Callable[[Any], str]:
    def shown(row: Any) -> str:
        names = list(row[0]["emd"])
        lines = []
        for one in row:
            cells = [f"{one['emd'][name]:{digits}} / {one['mae'][name]:.4g}" for name in names]
            lines.append([f"{one['epsilon']:g}", *cells])
        return _table(["ε", *names], lines)

    return shown


def _busy(row: Any) -> str:
    lines = [
        [f"{place:.3g}", f"{hour:.3g}", f"{first:.3f}", f"{second:.3f}", f"{second / first - 1:+.1%}"]
        for place, hour, first, second in row["grid"]
    ]
    moved = ", ".join(f"{share:.1%} at ℓ_s = {level:.3g}" for level, share in row["moved"])
    about = f"{row['check-ins']:,} check-ins at {row['venues']:,} venues. Check-ins that change their venue: {moved}."
    return about + "\n\n" + _table(["ℓ_s", "ℓ_t", "Pur", "WL and Polar", "more error"], lines)


def _moved(row: Any) -> str:
    about = (
        "Half of the places have another within the gap. At the 1 000 busiest venues (the table above) places stand "
        "farther apart, so that less moves."
    )
    lines = []
    for one in row:
        for name in ("by visits", "each place once"):
            shares = (f"{share:.1%}" for _, share in one[name])
            lines.append([f"{one['metres']:,.0f} m", one["places"], f"{one['gap']:.1f} m", name, *shares])
    levels = [f"ℓ_s = {level:.3g}" for level, _ in row[0]["by visits"]]
    return about + "\n\n" + _table(["around the centre", "places", "gap", "counted", *levels], lines)


TABLES: tuple[tuple[str, Recipe, Callable[[Any], str]], ...] = (
    (
        "Fig. 4.1 at its size: accuracy of what is learned from 20 000 reports (α = 1, ε = 2.55)",
        shuffling.colour_map_at_20000,
        _colours,
    ),
    (
        "Fig. 4.1: a Gaussian-process attacker of 800 reports, 1 000 owners (α = 1; three draws)",
        shuffling.gaussian_process_attacker,
        _attacker,
    ),
    ("PUDF-like: 29 000 made-up hospital stays (α = 4, r* = 10 km; three trials)", shuffling.hospital_stays, _stays),
    ("Adult (ε = 2.5, r* = 1 year; three trials)", shuffling.adult_incomes, _rho),
    (
        "In Twitch's place: friends on Gowalla, 25 random people within two steps vote (α = 4; five trials)",
        shuffling.friendship_graph,
        _friends,
    ),
    (
        "Twitch-like: 9 000 made-up people in communities (α = 4; five trials)",
        shuffling.community_graphs,
        _communities,
    ),
    ("D.1.16 in full: widths of reference orders (ten trials)", shuffling.reference_widths, _widths),
    ("Fig. 7.4: directions of Purkayastha's law in a CPU second", directions.sampling_rate, _rates),
    ("Fig. 7.8 whole: releases until the mean is within .1 rad", directions.sample_sizes, _sizes),
    ("Fig. 7.10: Spearman's ρ of four group means, 3 000 runs", directions.rank_agreement, _ranks),
    (
        "Fig. 7.11: hours at the 100 busiest places, EMD in hours / MAE of a bin's share",
        check_ins.hour_profiles,
        _errors(".3f"),
    ),
    (
        "Fig. 7.12: maps of 40 users, EMD in km / MAE in millionths of a cell's share",
        check_ins.place_maps,
        _errors(".0f"),
    ),
    ("Figs 7.13–7.15: hours of venues in Austin, EMD in hours", check_ins.busy_places, _busy),
    ("Check-ins in Austin that change their venue by noise within 10 m", check_ins.moved_check_ins, _moved),
)


def row_tables() -> str:
    """A table for each of the rows that have one."""
    parts = ["### The rows behind them"]
    for title, recipe, shown in TABLES:
        kept = recipe.kept
        parts.append(f"#### {title}\n\n" + (shown(kept["row"]) if kept else "No row yet."))
    return "\n\n".join(parts)
