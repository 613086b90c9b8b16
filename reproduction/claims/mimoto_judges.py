"""What judges the claims of Mimoto's dissertation: from a row or a section to a finding."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from reproduction.claims.claim import Finding
from reproduction.claims.written_section import WrittenSection, number

RATES = ("0.9", "0.8", "0.7", "0.6", "0.5")


def anonymity(data_set: str, printed: int, *, exactly: bool = True) -> Any:
    """k by counting and by attack."""

    def judge(section: WrittenSection) -> Finding:
        _, counted, attacked, classes = (
            number(cell) for cell in section.row(data_set, after="k-anonymity of the data")
        )
        words = f"{counted:g} by counting, {attacked:g} by attack, {classes:g} classes"
        holds = counted == attacked and (counted == printed if exactly else counted >= printed)
        return Finding(holds, words)

    return judge


def _grid(section: WrittenSection, table: str) -> tuple[list[list[float]], list[list[float]]]:
    printed = [[number(cell) for cell in section.row(f"printed, {rate}", after=table)] for rate in RATES]
    ours = [[number(cell) for cell in section.row(f"**ours, {rate}**", after=table)] for rate in RATES]
    return printed, ours


def level(table: str, tolerance: float) -> Any:
    """All values of a table of n_q."""

    def judge(section: WrittenSection) -> Finding:
        printed, ours = _grid(section, table)
        gaps = [b - a for p, o in zip(printed, ours, strict=True) for a, b in zip(p, o, strict=True)]
        mean = sum(map(abs, gaps)) / len(gaps)
        words = (
            f"{len(gaps)} values, {min(gaps):+.1f} to {max(gaps):+.1f} from the printed ones, mean distance {mean:.1f}"
        )
        return Finding(max(map(abs, gaps)) <= tolerance, words)

    return judge


def rises_with_noise(table: str) -> Any:
    """n_q rises from ε = 1 to .5 at every rate; dips of a tenth are chance."""

    def judge(section: WrittenSection) -> Finding:
        _, ours = _grid(section, table)
        dips = [b / a - 1 for line in ours for a, b in pairwise(line)]
        shown = "; ".join(f"{line[0]:g} → {line[-1]:g}" for line in ours)
        return Finding(min(dips) > -0.1 and all(line[-1] > line[0] for line in ours), shown)

    return judge


def rises_with_sampling(table: str) -> Any:
    """n_q rises as fewer rows are sampled."""

    def judge(section: WrittenSection) -> Finding:
        _, ours = _grid(section, table)
        first, last = ours[0], ours[-1]
        larger = sum(b > a for a, b in zip(first, last, strict=True))
        words = f"{larger} of {len(first)} columns are larger at α = .5 than at .9"
        return Finding(all(b > a * 1.05 for a, b in zip(first, last, strict=True)), words)

    return judge


def category_noise_hides_more(section: WrittenSection) -> Finding:
    """Table 4.6 lies above Table 4.5."""
    low, high = (_grid(section, table)[1] for table in ("Table 4.5", "Table 4.6"))
    least = min(b / a for p, o in zip(low, high, strict=True) for a, b in zip(p, o, strict=True))
    return Finding(least > 1, f"at least {least:.0f} times")


def utility(section: WrittenSection) -> Finding:
    """Levels of Table 4.7."""
    rows = section.rows("printed n_q | data set")
    gaps = [number(cells[3]) - number(cells[2]) for cells in rows]
    shown = ", ".join(f"{cells[1]}: {cells[2]} / {cells[3]} ± {cells[4]}" for cells in rows)
    return Finding(max(map(abs, gaps)) < 0.05, shown)


def better_at_equal_risk(against: str) -> Any:
    """Data set 3 serves better than another at equal n_q."""

    def judge(section: WrittenSection) -> Finding:
        cells = section.row(against, after="Table 4.7")
        return Finding(number(cells[1]) > 0, f"{cells[1]} ± {cells[2]}, above in {cells[3]}; printed {cells[0]}")

    return judge


def as_good_at_equal_risk(against: str) -> Any:
    """Data set 3 serves about as well as another at equal n_q."""

    def judge(section: WrittenSection) -> Finding:
        cells = section.row(against, after="Table 4.7")
        return Finding(abs(number(cells[1])) < 0.03, f"{cells[1]} ± {cells[2]}; printed {cells[0]}")

    return judge


def noise_of_table_7_1(size: str, variance: str, tolerance: float) -> Any:
    """One value of Table 7.1 by Algorithm 8, with the inferred settings and the variance as printed."""

    def judge(section: WrittenSection) -> Finding:
        printed, loose, corrected, literal = (number(cell) for cell in section.row(size, variance)[:4])
        if variance == "20":  # the section reads this column as s² = 2
            words = f"{literal:g}; at s² = 2 it is {loose:g} (printed bound) and {corrected:g} (corrected)"
            return Finding(abs(literal / printed - 1) <= tolerance, words)
        words = f"{loose:g} by the printed bound, {corrected:g} by the corrected one"
        return Finding(min(abs(value / printed - 1) for value in (loose, corrected)) <= tolerance, words)

    return judge


def vanishes(section: WrittenSection) -> Finding:
    """The noise is O(m/(ε′√(n s²))): it falls by √10 with ten times the data."""
    values = [number(section.row(size, "2000")[2]) for size in ("100", "1000", "10000")]
    ratios = [a / b for a, b in pairwise(values)]
    return Finding(
        min(ratios) > 2.2,
        f"{', '.join(f'{v:g}' for v in values)} at s² = 2 000: the bound contains 2|t| and does not vanish",
    )


def type_one_error(section: WrittenSection) -> Finding:
    """Fig. 7.1: far above .05 unless ε′ is large."""
    rows = section.rows("Alg. 8: predicted")
    shown = ", ".join(f"{cells[2]} at ε′ = {cells[0]}" for cells in rows)
    calibrated = ", ".join(cells[6] for cells in rows)
    return Finding(all(number(cells[2]) > 0.2 for cells in rows), f"{shown}; calibrated by us {calibrated}")


def algorithm_8_is_private(section: WrittenSection) -> Finding:
    """Algorithm 8 is (ε′, 1e-5)-DP."""
    rows = section.rows("allowed ratio e^β")
    return Finding(
        all(number(cells[5]) <= 1e-5 for cells in rows),
        "true δ " + ", ".join(f"{cells[5]} at ε′ = {cells[0]}" for cells in rows),
    )


def smooth(section: WrittenSection) -> Finding:
    """S is β-smooth."""
    rows = section.rows("allowed ratio e^β")
    ratios = [(number(cells[2]) / number(cells[1]), number(cells[3]), cells[0]) for cells in rows]
    return Finding(
        all(a <= b for a, b, _ in ratios),
        ", ".join(f"ratio {a:.3f}, allowed {b:.3f} at ε′ = {e}" for a, b, e in ratios),
    )


def rarest_lead_most(section: WrittenSection) -> Finding:
    """Words of the highest I(w) lead to the name most often."""
    rows = [section.row(count, after="Chapter 6") for count in ("1", "2", "3")]
    found = [number(cells[3]) for cells in rows]
    return Finding(
        found[0] == max(found) and found[0] > found[2],
        f"{', '.join(f'{value:g}' for value in found)} at counts 1, 2, 3",
    )


def sanitised(section: WrittenSection) -> Finding:
    """After sanitising the attack finds nothing."""
    rows = {cells[0]: cells for cells in section.rows("7 sets of 3 words")}
    one, before = rows["one pass, as printed"], rows["as sanitised by hand"]
    words = (
        f"one pass, as printed, leaves {one[1]} of {before[1]} to the same searcher and {one[2]} of {before[2]} to one "
        "who searches for the whole document; to the fixed point 0"
    )
    return Finding(number(one[1]) == 0, words)


def index_rises(section: WrittenSection) -> Finding:
    """Fig. 6.3: success rises with w."""
    rows = section.rows("w | reports")
    found = [number(cells[2]) for cells in rows]
    return Finding(found == sorted(found), ", ".join(f"{cells[2]} at w = {cells[0]}" for cells in rows))
