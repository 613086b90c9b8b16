"""What judges the claims of Weggenmann's chapter 7: from a row to a finding."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from reproduction.claims.claim import Finding

# Fig. 7.9b: central Pur, VMF, WL and local Pur, VMF, WL, by ε
FIGURE_7_9B = {
    0.001: (6.002546, 5.959842, 5.971121, 5.991626, 6.003013, 5.949697),
    0.01: (5.959067, 6.034504, 6.011822, 5.713794, 5.789084, 5.989284),
    0.1: (5.832634, 5.939577, 6.063296, 3.351836, 3.820363, 5.839461),
    1.0: (4.990575, 5.253079, 5.570354, 0.320614, 0.406752, 0.695489),
    10.0: (1.196922, 1.896170, 1.187660, 0.035210, 0.052720, 0.034713),
    100.0: (0.121189, 0.537524, 0.120148, 0.003687, 0.014997, 0.003678),
    1000.0: (0.012263, 0.171658, 0.012125, 0.000369, 0.004654, 0.000369),
}


def rate(row: Any) -> Finding:
    """10⁴ to more than 10⁵ a second for low and medium n, usable to tens of thousands of dimensions."""
    of = {n: min(one["per_second"] for one in row if one["n"] == n) for n in {one["n"] for one in row}}
    shown = ", ".join(f"n = {n}: {of[n]:,.0f}" for n in sorted(of))
    return Finding(
        of[3] > 1e4 and of[100] > 1e4 and of[30_000] > 1, f"a CPU second, one thread, loaded machine: {shown}"
    )


def rate_falls(row: Any) -> Finding:
    """Falls with n, and clearly for κ ≳ 100."""
    of = {(one["n"], one["kappa"]): one["per_second"] for one in row}
    sizes = sorted({n for n, _ in of if n >= 25})
    falls = all(of[a, 1.0] > of[b, 1.0] for a, b in pairwise(sizes))
    ratio = sum(of[n, 1000.0] for n in sizes) / sum(of[n, 1.0] for n in sizes)
    return Finding(
        falls and ratio < 0.7, f"with n yes, with κ no: {ratio:.2f} of the rate from κ = 1 to 1 000 (another sampler)"
    )


def formulas(row: Any) -> Finding:
    """Means agree with samples."""
    worst = max(abs(one[key]) for one in row for key in ("vmf_z", "pur_z"))
    return Finding(worst < 4, f"{2 * len(row)} means of 100 000 draws, at most {worst:.1f} standard errors off")


def distribution(which: str) -> Any:
    """A distribution function agrees with samples, also as that of the cosine."""

    def judge(row: Any) -> Finding:
        gap, mix = (max(one[f"{which}_{key}"] for one in row) for key in ("gap", "mix_gap"))
        return Finding(
            gap < 0.0075 and mix < 1e-4, f"largest gap {gap:.4f} over {len(row)} laws (100 000 draws); cosine {mix:.0e}"
        )

    return judge


def smaller_error(row: Any) -> Finding:
    """Pur has less error than VMF at equal κ."""
    return Finding(all(one["pur_mean"] < one["vmf_mean"] for one in row), f"E[θ] in all {len(row)} pairs of n and κ")


def humbert(row: Any) -> Finding:
    """(7.20) as printed."""
    far = max(abs(one["printed"] - one["ours"]) for one in row)
    return Finding(far < 1e-7, f"{len(row)} values of n, κ and t within {far:.0e} of quadrature")


def polar_at(row: Any) -> Finding:
    """1.733 at κ = 2/π."""
    return Finding(abs(row["Polar at 2/pi"] - 1.733) < 5e-4, f"{row['Polar at 2/pi']:.4f} by a closed form")


def above(first: str, second: str) -> Any:
    """A baseline has a larger expected angle over the whole range of κ."""

    def judge(row: Any) -> Finding:
        gaps = [a - b for a, b in zip(row[first], row[second], strict=True)]
        return Finding(min(gaps) > 0, f"by {min(gaps):.4f} to {max(gaps):.4f} rad at 61 values of κ")

    return judge


def middle_bound(row: Any) -> Finding:
    """Thm 7.26: E_WL − E_Pur > κπ²/(e^{2κπ} − 1)."""
    wrong = [k for k, a, b in zip(row["kappa"], row["WL"], row["Pur2"], strict=True)
             if a - b <= k * math.pi**2 / math.expm1(2 * k * math.pi)]  # fmt: skip
    return Finding(not wrong, f"false at {len(wrong)} of {len(row['kappa'])} values of κ, all below {2 / math.pi:.3f}")


def fourfold(row: Any) -> Finding:
    """About 750 against more than 3 600."""
    pur, wrapped = row["n = 2, Pur"], row["n = 2, WL"]
    ratio = wrapped["1"] / pur["1"]
    holds = abs(pur["simulated"] / 750 - 1) < 0.1 and wrapped["simulated"] > 3600 * 0.95
    words = (
        f"{pur['simulated']:.0f} and {wrapped['simulated']:.0f} in 1 000 runs, {pur['1']:.0f} and {wrapped['1']:.0f}"
    )
    return Finding(holds, f"{words} asymptotically: {ratio:.2f}-fold")


def more_releases(row: Any) -> Finding:
    """Order of the laws on the circle at ε = 1."""
    names = ("n = 2, VMF, Δ₂", "n = 2, Pur", "n = 2, VMF", "n = 2, WL")
    sizes = [row[name]["1"] for name in names]
    clipped = row["n = 2, CL"]["1"]
    shown = ", ".join(f"{name.partition(', ')[2]} {size:.0f}" for name, size in zip(names, sizes, strict=True))
    return Finding(
        all(a < b for a, b in pairwise(sizes)) and clipped is None, f"{shown}, clipped Laplace never at κ = 1/π"
    )


def sphere_releases(row: Any) -> Finding:
    """The same on the sphere: Polar never."""
    names = ("n = 3, VMF, Δ₂", "n = 3, Pur", "n = 3, VMF")
    shown = ", ".join(
        f"{name.partition(', ')[2]} {row[name]['1']:.0f} ({row[name]['simulated']:.0f})" for name in names
    )
    return Finding(
        row["n = 3, Polar"]["1"] is None, f"{shown} asymptotically (1 000 runs); Polar never: E[cosθ] < 0 below κ = 1"
    )


def central(row: Any) -> Finding:
    """Central columns of Fig. 7.9b."""
    off = [
        abs(printed - mean) / error
        for epsilon, means, errors in zip(FIGURE_7_9B, row["central"], row["error"], strict=True)
        for printed, mean, error in zip(FIGURE_7_9B[epsilon][:3], means, errors, strict=True)
    ]
    return Finding(
        max(off) < 3.5, f"{len(off)} means of 10 000 runs, at most {max(off):.1f} standard errors from 12/π·E[θ]"
    )


def local(row: Any) -> Finding:
    """Local columns of Fig. 7.9b at ε ≥ 1, with the answers that fit best."""
    words, holds = [], False
    for name, rows in row["local"].items():
        off = [
            ours / printed - 1
            for epsilon, errors in zip(FIGURE_7_9B, rows, strict=True)
            for printed, ours in zip(FIGURE_7_9B[epsilon][3:], errors, strict=True)
            if epsilon >= 1
        ]
        words.append(f"{name}: {min(off):+.1%} to {max(off):+.1%}")
        holds = holds or max(map(abs, off)) < 0.05
    return Finding(holds, "; ".join(words) + " (3 000 runs, standard error 1.4 %)")


def uniform_guess(row: Any) -> Finding:
    """At small ε the error is 6 hours."""
    found = [value for rows in row["local"].values() for value in rows[0]]
    return Finding(all(abs(value - 6) < 0.25 for value in found), f"{min(found):.2f} to {max(found):.2f} h at ε = .001")


def outperform(row: Any) -> Finding:
    """p. 157: both clearly outperform WL across the entire range, local model; by the printed numbers themselves."""
    lost = [
        f"ε = {epsilon:g}"
        for epsilon, values in FIGURE_7_9B.items()
        if epsilon >= 0.1 and max(values[3:5]) >= values[5]
    ]
    mine = next(iter(row["local"].values()))
    ours = [f"ε = {e:g}" for e, v in zip(FIGURE_7_9B, mine, strict=True) if e >= 0.1 and max(v[:2]) >= v[2]]
    return Finding(not lost, f"false in its own table at {', '.join(lost)}; ours at {', '.join(ours)}")


def less_than_half(row: Any) -> Finding:
    """.407 and .321 are less than half of .695."""
    del row
    return Finding(max(0.406752, 0.320614) < 0.695489 / 2, ".321 is, .407 is not: half of .695 is .348")


def local_ranks_better(row: Any) -> Finding:
    """The local model ranks far better."""
    pairs = [(row["local, ε = 1"][name][0], row["central, ε = 1"][name][0]) for name in ("Pur", "VMF", "WL")]
    return Finding(
        all(a > b + 0.1 for a, b in pairs), "at ε = 1 " + ", ".join(f"{a:.2f} and {b:.2f}" for a, b in pairs)
    )


def rank_order(row: Any) -> Finding:
    """Local, ε = 1: WL < VMF < Pur under directional privacy."""
    found = {name: row["local, ε = 1"][name] for name in ("WL", "VMF", "Pur")}
    values = [mean for mean, _ in found.values()]
    shown = ", ".join(f"{name} {mean:.3f} ± {error:.3f}" for name, (mean, error) in found.items())
    return Finding(values == sorted(values), f"{shown} (3 000 runs, WL nominal)")


def rank_pure(row: Any) -> Finding:
    """VMF with Δ₂ is best under pure DP."""
    found = {name: row["local, ε = 1"][name][0] for name in ("VMF-d2", "Pur", "WL")}
    return Finding(
        max(found, key=lambda name: found[name]) == "VMF-d2", ", ".join(f"{k} {v:.3f}" for k, v in found.items())
    )


def rank_central(row: Any) -> Finding:
    """Central, ε = 10: Pur and WL alike, VMF behind."""
    found = {name: row["central, ε = 10"][name][0] for name in ("Pur", "VMF", "WL")}
    holds = found["VMF"] < min(found["Pur"], found["WL"]) and abs(found["Pur"] - found["WL"]) < 0.04
    return Finding(holds, ", ".join(f"{k} {v:.3f}" for k, v in found.items()))


def pure_winner(row: Any) -> Finding:
    """Central, pure: VMF with Δ₂ is best for ε ≲ 10^.25 among the printed laws."""
    last = max(one["epsilon"] for one in row if one["VMF-d2"] < min(one["Pur"], one["WL"]))
    return Finding(abs(last / 10**0.25 - 1) < 0.25, f"best of the three up to ε = {last:.1f}, where Pur passes it")


def _best(row: Any, metric: str, epsilons: tuple[float, ...], names: tuple[str, ...]) -> list[str]:
    return [min(names, key=lambda name: one[metric][name]) for one in row if one["epsilon"] in epsilons]


def large_epsilon(metric: str, other: str) -> Any:
    """Large ε: the Laplace variant is as good as Pur, and both are better than VMF."""

    def judge(row: Any) -> Finding:
        one = row[-1][metric]
        holds = abs(one[other] / one["Pur"] - 1) < 0.05 and one["VMF"] > one["Pur"]
        return Finding(
            holds, f"at ε = {row[-1]['epsilon']:g}: " + ", ".join(f"{k} {one[k]:.3g}" for k in ("Pur", other, "VMF"))
        )

    return judge


def best_at(metric: str, expected: str, epsilons: tuple[float, ...], names: tuple[str, ...]) -> Any:
    """Who is best at these ε."""

    def judge(row: Any) -> Finding:
        best = _best(row, metric, epsilons, names)
        shown = "; ".join(
            f"ε = {one['epsilon']:g}: " + ", ".join(f"{name} {one[metric][name]:.3g}" for name in names)
            for one in row
            if one["epsilon"] in epsilons
        )
        return Finding(all(name == expected for name in best), shown)

    return judge


def clipped_worst(row: Any) -> Finding:
    """Clipped Laplace is worst at small and medium ε."""
    several = [one["emd"] for one in row if one["epsilon"] <= 3]
    holds = all(one["CL as printed"] > max(one[name] for name in ("Pur", "VMF", "WL")) for one in several)
    printed = ", ".join(f"{one['CL as printed']:.2f} h beside {one['Pur']:.2f}" for one in several)
    honest = ", ".join(f"{one['CL']:.2f}" for one in several)
    return Finding(holds, f"{printed} at κ = ε/π, where it spends 2ε; at its true loss {honest}")


def polar_bump(row: Any) -> Finding:
    """Polar Laplace has more EMD than a uniform guess for .1 ≲ ε ≲ 10."""
    polar = {one["epsilon"]: one["emd"]["Polar"] for one in row}
    start = polar[min(polar)]
    top = max(polar, key=lambda epsilon: polar[epsilon])
    return Finding(
        0.1 < top <= 10 and polar[top] > 1.02 * start,
        f"{polar[top]:.0f} km at ε = {top:g}, {start:.0f} km at ε = {min(polar):g}",
    )


def vmf_worst_by_mae(row: Any) -> Finding:
    """By the MAE of bins VMF is worst and Pur ≈ Polar, at large ε."""
    several = [one for one in row if one["epsilon"] >= 10]
    holds = all(one["mae"]["VMF"] > max(one["mae"]["Pur"], one["mae"]["Polar"]) for one in several)
    alike = all(abs(one["mae"]["Polar"] / one["mae"]["Pur"] - 1) < 0.15 for one in several)
    shown = "; ".join(
        f"ε = {one['epsilon']:g}: " + ", ".join(f"{k} {one['mae'][k]:.1f}" for k in ("Pur", "Polar", "VMF"))
        for one in several
    )
    return Finding(holds and alike, f"millionths of a cell's share, {shown}")


def hour_mae(row: Any) -> Finding:
    """The same of the hours (Fig. 7.11): VMF has the largest MAE of Pur, VMF and WL at large ε."""
    several = [one for one in row if one["epsilon"] >= 10]
    holds = all(one["mae"]["VMF"] > max(one["mae"]["Pur"], one["mae"]["WL"]) for one in several)
    shown = "; ".join(
        f"ε = {one['epsilon']:g}: " + ", ".join(f"{k} {one['mae'][k]:.4f}" for k in ("Pur", "WL", "VMF"))
        for one in several
    )
    return Finding(holds, shown)


def _advantage(row: Any) -> dict[tuple[float, float], float]:
    return {(round(s, 3), round(t, 3)): second / first - 1 for s, t, first, second in row["grid"]}


def advantage(row: Any) -> Finding:
    """Pur's advantage is largest for .1 ≲ ℓ_t ≲ 1."""
    gains = _advantage(row)
    by_time = {t: max(gain for (_, u), gain in gains.items() if u == t) for t in sorted({t for _, t in gains})}
    best = max(by_time, key=lambda t: by_time[t])
    return Finding(
        0.1 <= best <= 1 and by_time[best] > 0,
        "largest by ℓ_t: " + ", ".join(f"{t:g} {gain:+.1%}" for t, gain in by_time.items()),
    )


def little_by_place(row: Any) -> Finding:
    """… and depends little on ℓ_s."""
    gains = _advantage(row)
    middle = {s: gain for (s, t), gain in gains.items() if t == 0.316}
    moved = ", ".join(f"{level:.3g}: {share:.1%}" for level, share in row["moved"])
    shown = ", ".join(f"ℓ_s = {s:g}: {gain:+.1%}" for s, gain in middle.items())
    return Finding(
        max(middle.values()) - min(middle.values()) < 0.03,
        f"{shown}; check-ins that change their venue by ℓ_s, {moved}",
    )


def examples_of_places(row: Any) -> Finding:
    """Figs 7.14, 7.15 at ℓ_s = ℓ_t = 10^−.5."""
    first, second = next((f, s) for a, t, f, s in row["grid"] if round(a, 3) == 0.316 and round(t, 3) == 0.316)
    return Finding(
        first < second,
        f"EMD of the hours of {row['venues']:,} venues {first:.3f} h with Pur, {second:.3f} h with WL and Polar",
    )


def flipped_mean(row: Any) -> Finding:
    """π and 2."""
    holds = abs(row["angle"] - math.pi) < 1e-6 and abs(row["chord"] - 2) < 1e-6
    return Finding(holds, f"{row['angle']:.4f} rad, chord {row['chord']:.4f}")


def chord_gain(row: Any) -> Finding:
    """π/2."""
    return Finding(abs(row["angle"] / row["chord"] - math.pi / 2) < 1e-6, f"{row['angle'] / row['chord']:.4f}")
