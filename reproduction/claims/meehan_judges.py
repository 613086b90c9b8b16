"""What judges the claims of Meehan's dissertation: from a row or a section to a finding."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from reproduction.claims.claim import Finding
from reproduction.claims.written_section import WrittenSection, number


def partition(section: WrittenSection) -> Finding:
    shares = [cells[-1].split(" / ") for cells in section.rows("memorised / misrepresented")]
    memorised, wrong = number(shares[-1][0]), max(number(one[1]) for one in shares)
    return Finding(
        memorised > 0.15 and wrong < 0.05, f"memorised {memorised:.2f} at the end, misrepresented up to {wrong:.2f}"
    )


def moons(section: WrittenSection) -> Finding:
    low, middle, high = (number(section.row(sigma)[1]) for sigma in ("0.01", "0.13", "0.5"))
    return Finding(low < -3 and high > 3 and abs(middle) < 3, f"C_T {low:.1f}, {middle:.1f} and {high:.1f}")


def most_likely(section: WrittenSection) -> Finding:
    best = next(cells for cells in section.rows("σ, grey levels") if "most likely" in cells[0])
    return Finding(-13 <= number(best[1]) < 0, f"C_T {number(best[1]):.1f} at the most likely bandwidth")


def depth_mass(section: WrittenSection) -> Finding:
    rows = section.rows("deep | depth")
    worst = max(abs(number(cells[3]) - number(cells[4])) for cells in rows)
    shown = ", ".join(cells[4] for cells in rows)
    return Finding(worst <= 0.0006, f"{shown}; largest difference {worst:.4f}")


def posts(section: WrittenSection) -> Finding:
    (found,) = section.numbers(r"(\d+) posts \(by-date train")
    return Finding(
        abs(found / 11_239 - 1) < 0.02, f"{found:.0f} posts by our splitter of sentences, {found / 11_239 - 1:+.1%}"
    )


def both_at_chance(section: WrittenSection) -> Finding:
    truncated, words = (
        number(section.row(name)[3]) for name in ("truncation, d = 256", "word by word (ε per distance)")
    )
    return Finding(
        max(truncated, words) < 0.111 + 0.1, f"truncation {truncated:.2f}, word by word {words:.2f}, chance .11"
    )


def guess(section: WrittenSection) -> Finding:
    macro, accuracy = section.numbers(r"1/r = ([\d.]+) \(its accuracy Σq² = ([\d.]+)")
    return Finding(abs(macro - accuracy) < 0.005, f"the accuracy Σq² is {accuracy:.3f}, macro-F1 is {macro:.3f}")


def examples(name: str, expected: Any) -> Any:
    return lambda row: Finding(row[name] == expected, f"{row[name]}")


def sensitivity(row: Any) -> Finding:
    return Finding(
        row["exact sensitivity"] == 28, f"{row['exact sensitivity']} exactly; ω(ω+1)/2 = 28 is an upper bound"
    )


def theorem_6(row: Any) -> Finding:
    worst = max(found - promised for _, promised, found in row)
    return Finding(
        worst < 1e-9, f"{len(row)} cases, log-ratio at most {max(found for *_, found in row):.4f} where α = 1.3"
    )


def colours(row: Any, order: str, radius: float | None) -> list[float]:
    return next(one["accuracy"] for one in row if one["order"] == order and one["radius"] == radius)


def extremes(row: Any) -> Finding:
    local, uniform = colours(row, "local privacy only", 0.0), colours(row, "uniform shuffle", None)
    return Finding(local[0] > 0.9 and uniform[0] < 0.2, f"8-way {local[0]:.2f} and {uniform[0]:.2f} of 20 000 people")


def coarse_last(row: Any) -> Finding:
    places = [one for one in row if one["order"] == "linked at twice the radius"]
    last = [max((one["radius"] for one in places if one["accuracy"][i] >= 0.9), default=0.0) for i in range(3)]
    shown = "; ".join(f"r = {one['radius']:g} " + "/".join(f"{v:.2f}" for v in one["accuracy"]) for one in places)
    return Finding(last[0] <= last[1] <= last[2] and last[0] < last[2], f"8/4/2-way at α = 1: {shown}")


def process(row: Any) -> Finding:
    value = {one["release"]: one for one in row}
    shown = ", ".join(f"{name} {one['mean']:.2f} ± {one['spread']:.2f}" for name, one in value.items())
    falling = [one["mean"] for one in row]
    return Finding(all(a > b for a, b in pairwise(falling)) and falling[0] > 0.5 and falling[-1] < 0.25, shown)


def hospitals(row: Any) -> Finding:
    """ρ at r*, with what is left to learn, where hospitals are large and where they are small."""
    value = {one["release"]: one for one in row}
    words, times = [], []
    for sites in (200, 2000):
        local, there = (value[f"{sites} hospitals, {name}"] for name in ("local privacy only", "r = 10 km"))
        times.append(local["rho"][0] / max(there["rho"][0], 1e-3))
        rho = " → ".join(f"{one['rho'][0]:.3f} ± {one['rho'][1]:.3f}" for one in (local, there))
        kept = f"λ {local['lambda'][0]:.2f} → {there['lambda'][0]:.2f}"
        words.append(f"{sites} hospitals: ρ {rho}, {times[-1]:.1f} times, {kept}")
    small = {
        name: value[f"2000 hospitals, {name}"] for name in ("local privacy only", "r = 1 km", "r = 2 km", "uniform")
    }
    first = small["local privacy only"]["rho"][0]
    near = ", ".join(
        f"{first / small[name]['rho'][0]:.1f} at {name.removeprefix('r = ')}" for name in ("r = 1 km", "r = 2 km")
    )
    words.append(f"as the uniform shuffle does; {near}, where the shuffle is not uniform")
    return Finding(min(times) >= 1.8, "on stand-ins, " + "; ".join(words))


def same_site(row: Any) -> Finding:
    rho = {one["release"]: one["rho"][0] for one in row}
    pairs = [
        [rho[f"{sites} hospitals, {name}"] for name in ("r = 0 km", "local privacy only")] for sites in (200, 2000)
    ]
    told = ", ".join(f"ρ {there:.3f} at r = 0, {local:.3f} by local privacy" for there, local in pairs)
    return Finding(all(there < local for there, local in pairs), f"at 200 and at 2 000 hospitals: {told}")


def adult_r1(row: Any) -> Finding:
    """Adult, groups of everybody within a year."""
    value = {one["release"]: one for one in row}
    local, there = value["local privacy only"], value["r = 1 year, α = 4"]
    times, same = local["rho"][0] / there["rho"][0], abs(local["lambda"][0] - there["lambda"][0]) < 0.02
    words = f"ρ {local['rho'][0]:.3f} → {there['rho'][0]:.3f}, λ {local['lambda'][0]:.3f} → {there['lambda'][0]:.3f}"
    return Finding(same and times > 1.4, f"{words}: groups of about 2 500 make the shuffle uniform")


def adult_nearest(row: Any) -> Finding:
    """Adult, groups of the nearest; ρ of those above 50K, since votes are right about the majority anyhow."""
    value = {one["release"]: one for one in row}
    local, there = value["local privacy only"], value["11 nearest, α = 4"]
    before, after = local["rho of the rare"], there["rho of the rare"]
    same = abs(local["lambda"][0] - there["lambda"][0]) < 0.02
    rho = f"ρ of those above 50K {before[0]:.3f} ± {before[1]:.3f} → {after[0]:.3f} ± {after[1]:.3f}"
    words = f"11 nearest: {rho}, λ {local['lambda'][0]:.3f} → {there['lambda'][0]:.3f}"
    return Finding(same and before[0] > 1.7 * after[0], words)


def adult_alpha(row: Any) -> Finding:
    bayes = [next(one["bayes"] for one in row if one["release"] == f"11 nearest, α = {alpha}") for alpha in (1, 4, 16)]
    shown = ", ".join(f"{mean:.3f} ± {spread:.3f}" for mean, spread in bayes)
    return Finding(bayes[0][0] <= bayes[1][0] <= bayes[2][0], f"the Bayesian attacker at α = 1, 4, 16: {shown}")


def friends(row: Any) -> Finding:
    rho = row["rho"]
    shown = ", ".join(f"{name} {mean:.3f} ± {spread:.3f}" for name, (mean, spread) in rho.items())
    falls = rho["2 steps"][0] < rho["local privacy only"][0]
    return Finding(falls, f"{row['people']:,} people, {row['friendships']:,} friendships of Gowalla: ρ {shown}")


def communities(row: Any) -> Finding:
    """Whether groups by path length may lower ρ and keep the regions, and what random friendships do to that."""
    value = {(one["across"], one["groups"]): one for one in row}
    local, there = value[0.0, "local privacy only"], value[0.0, "1 step"]
    few, uniform = value[0.001, "1 step"], value[0.001, "uniform"]
    rho = f"ρ {local['rho'][0]:.2f} → {there['rho'][0]:.2f}, {there['told'][0]:.0%} of the regions told"
    other, alike = (f"ρ {one['rho'][0]:.2f} and {one['told'][0]:.0%}" for one in (few, uniform))
    words = f"communities alone, 1 step: {rho}; with one random friendship for 1 000 people {other} (uniform: {alike})"
    return Finding(there["rho"][0] < local["rho"][0] / 1.8 and there["told"][0] > 0.9, words)


def preserved(row: Any) -> Finding:
    worst = max(abs(one["ours"] - one["reference"]) for one in row)
    mean = sum(abs(one["ours"] - one["reference"]) for one in row) / len(row)
    return Finding(worst <= 0.06, f"{len(row)} values of η, mean difference {mean:.3f}, largest {worst:.3f}")


def rises(row: Any, by: str) -> Finding:
    lines: dict[Any, list[float]] = {}
    for one in sorted(row, key=lambda one: one[by]):
        lines.setdefault(tuple(one[k] for k in ("alpha", "width", "size") if k != by), []).append(one["ours"])
    several = [line for line in lines.values() if len(line) > 1]
    sign = -1 if by == "width" else 1
    holds = all(sign * (b - a) >= -0.02 for line in several for a, b in pairwise(line))
    shown = "; ".join(" → ".join(f"{value:.2f}" for value in line) for line in several[:4])
    return Finding(holds, shown)


def banded(row: Any) -> Finding:
    bands = [one["widths"] for one in row if one["case"] == "bands"]
    listed, numbered = (max(one[i] / one[0] for one in bands) for i in (2, 1))
    return Finding(
        listed <= 2.5, f"at most {listed:.2f} if groups list their members along the line, {numbered:.2f} by number"
    )


def random_order(row: Any) -> Finding:
    least = min(one["widths"][4] / one["n"] for one in row if one["of"] > 0)
    return Finding(least > 0.9, f"at least {least:.2f}·n")


def line(row: Any) -> Finding:
    lines = [one for one in row if one["case"] == "[0, 1]" and one["of"] > 0]
    ratio = [one["widths"][1] / one["widths"][0] for one in lines]
    shown = "; ".join(
        f"n = {one['n']}, r = {one['of']:g}: {one['widths'][1]:.0f} and {one['widths'][0]:.0f}"
        for one in lines
        if one["n"] == 1000
    )
    return Finding(max(ratio) <= 2.75, f"BFS and best: {shown}")


def no_radius(row: Any) -> Finding:
    return Finding(
        all(one["widths"][0] == 1 for one in row if one["of"] == 0), "0: the definition counts steps, not elements"
    )


def figure_5_2(case: str, other: int) -> Any:
    """SDP_A's 2σ against the baseline in this column, at every length."""

    def judge(section: WrittenSection) -> Finding:
        rows = [cells for cells in section.rows("uniform | ours | conc.") if cells[0] == case]
        pairs = [(number(cells[7]), number(cells[other])) for cells in rows]
        shown = ", ".join(f"{a:.3f} and {b:.3f}" for a, b in pairs)
        return Finding(all(a > b for a, b in pairs), f"2σ {shown} at l_eff {', '.join(cells[1] for cells in rows)}")

    return judge


def every_time(section: WrittenSection) -> Finding:
    rows = section.rows("trace, ours")
    pairs = [(number(cells[5]), number(cells[7])) for cells in rows]
    return Finding(all(a >= b - 1e-3 for a, b in pairs), "2σ " + ", ".join(f"{a:.3f} and {b:.3f}" for a, b in pairs))


def misjudged(section: WrittenSection) -> Finding:
    changes = []
    for cells in section.rows("SDP_A (ref.) | ours | optimum"):
        rough, right, smooth = (number(one) for one in cells[3].split(" / "))
        changes += [rough / right - 1, smooth / right - 1]
    return Finding(
        max(map(abs, changes)) < 0.2,
        f"2σ changes by {min(changes):+.0%} to {max(changes):+.0%} when the true length is half or 1.5 times",
    )


def median_length(name: str, printed: float) -> Any:
    """The median of the effective length, within a twentieth."""

    def judge(section: WrittenSection) -> Finding:
        median = float(section.row(name)[1].split("/")[1])
        return Finding(abs(median / printed - 1) < 0.05, f"{median:.2f}")

    return judge


def lengths(name: str, tolerance: float, other: str = "") -> Any:
    """Quartiles of the effective length, and those of another series beside them."""

    def judge(section: WrittenSection) -> Finding:
        printed, ours, used = section.row(name)[:3]
        both = list(zip((float(q) for q in printed.split("/")), (float(q) for q in ours.split("/")), strict=True))
        beside = f"; {other}: {section.row(other)[1]}" if other else ""
        return Finding(max(abs(b / a - 1) for a, b in both) <= tolerance, f"{ours} from {used} series{beside}")

    return judge
