"""What judges the claims of Fischer's thesis: from a section to a finding."""

from __future__ import annotations

import contextlib
from typing import Any

from reproduction.claims.claim import Finding
from reproduction.claims.written_section import WrittenSection, number

LOSSES = "manual, printed · ε"


def constant_attention(size: str) -> Any:
    """The four utility losses of the Anonymizer at this m are those of constant attention."""

    def judge(section: WrittenSection) -> Finding:
        rows = [cells for cells in section.rows(LOSSES) if cells[0] == size]
        far = max(abs(number(cells[3]) / number(cells[4]) - 1) for cells in rows)
        shown = ", ".join(cells[3] for cells in rows)
        return Finding(far < 0.02, f"ε·loss {shown} printed, {rows[0][4]} by constant attention: within {far:.1%}")

    return judge


def manual_above(size: str) -> Any:
    """Manual attention costs more than the Anonymizer."""

    def judge(section: WrittenSection) -> Finding:
        rows = [cells for cells in section.rows(LOSSES) if cells[0] == size]
        least = min(number(cells[2]) / number(cells[3]) for cells in rows)
        inside = all(number(cells[4]) < number(cells[2]) < 1 for cells in rows)
        words = f"at least {least:.1f} times; between {rows[0][4]} (constant) and 1 (one coordinate), as it must"
        return Finding(least > 1 and inside, words)

    return judge


def privacy_costs_utility(section: WrittenSection) -> Finding:
    """Windows that a learned anonymiser lets out tell less of the person, and a little less of the activity."""
    rows = {cells[0]: (number(cells[1]), number(cells[2])) for cells in section.rows("person, by a window")}
    activity, person = rows["test, raw"]
    learned = [row for name, row in rows.items() if name.startswith("test, λ")]
    holds = bool(learned) and all(use < activity and risk < person for use, risk in learned)
    told = ", ".join(f"{risk:.2f} and {use:.3f}" for use, risk in learned)
    return Finding(holds, f"person and activity told raw {person:.2f} and {activity:.3f}, by seed {told}")


def bags(section: WrittenSection) -> Finding:
    """The three distances of Google News vectors."""
    rows = [section.row(name) for name in ("b₁, b₂", "b₁, b₃", "b₂, b₃")]
    shown = ", ".join(f"{ours} ({printed})" for printed, ours, _ in rows)
    return Finding(
        all(abs(number(r[0]) - number(r[1])) < 0.05 for r in rows),
        f"positional with GloVe instead of Google News: {shown}",
    )


def bags_order(section: WrittenSection) -> Finding:
    """b₁ and b₂ are nearest, b₂ and b₃ farthest."""
    positional, moved = ([number(section.row(name)[i]) for name in ("b₁, b₂", "b₁, b₃", "b₂, b₃")] for i in (1, 2))
    words = f"positional {positional}, Earth Mover's {moved}"
    return Finding(positional == sorted(positional) or moved == sorted(moved), words)


def positional_is_above(section: WrittenSection) -> Finding:
    """The identity is an optimal flow."""
    rows = [section.row(name) for name in ("b₁, b₂", "b₁, b₃", "b₂, b₃")]
    gaps = [number(cells[1]) - number(cells[2]) for cells in rows]
    return Finding(
        max(gaps) < 1e-6,
        "pairing by position is " + ", ".join(f"{gap:.2f}" for gap in gaps) + " longer than the best flow",
    )


def fish(section: WrittenSection) -> Finding:
    """fish 2."""
    (found,) = section.numbers(r"fish counted (\d+) times")
    return Finding(found == 2, f"fish counted {found:g} times, the order forgotten")


SETS = ("PAN 2011", "Reuters C50", "Invented letters")
"""Headings of the sets of mails and articles on which attention is tried."""


def classifiers(section: WrittenSection) -> Finding:
    """Table 9 as an order: the basic network is far behind, the Identificator near the Bi-LSTM."""
    found = section.every(r"Table 9\): basic network ([\d.]+), Identificator ([\d.]+), Bi-LSTM ([\d.]+)")
    if not found:
        raise LookupError("no accuracies without noise")
    shown = "; ".join(", ".join(f"{value:.3f}" for value in one) for one in found)
    return Finding(all(ffn < 0.5 * own and own > 0.8 * lstm for ffn, own, lstm in found), shown)


def _column(section: WrittenSection, column: int) -> dict[str, dict[str, float]]:
    """A column of the tables of attention by set and variant, as far as it is there; 2 is the Bi-LSTM on matrices."""
    found: dict[str, dict[str, float]] = {}
    for name in SETS:
        for cells in section.rows("variant | ε · loss", after=name):
            with contextlib.suppress(LookupError):
                found.setdefault(name, {})[cells[0]] = number(cells[column])
    if not found:
        raise LookupError("no attack that was finished")
    return found


def manual_is_identified(section: WrittenSection) -> Finding:
    """Manual output is identified with far more than chance at the largest ε of each set."""
    chances = dict(zip(("Invented letters", "Reuters C50", "PAN 2011"), (0.1, 0.1, 1 / 39), strict=True))
    found = {name: next(iter(rows.items())) for name, rows in _column(section, 2).items() if rows}
    shown = "; ".join(f"{name}: {variant} {value:.3f}" for name, (variant, value) in found.items())
    return Finding(all(value > 3 * chances[name] for name, (_, value) in found.items()), shown)


def _compared(section: WrittenSection, column: int, other: str) -> list[tuple[float, float, str]]:
    """Manual attention beside another variant at equal ε, in one column."""
    pairs = [
        (rows[manual], rows[beside], f"{name}, {manual.partition(', ')[2]}")
        for name, rows in _column(section, column).items()
        for manual in rows
        if manual.startswith("manual") and (beside := manual.replace("manual", other)) in rows
    ]
    if not pairs:
        raise LookupError(f"no pair of manual attention and {other}")
    return pairs


def _told(pairs: list[tuple[float, float, str]]) -> str:
    return "; ".join(f"{where}: {first:.3f} and {second:.3f}" for first, second, where in pairs)


def anonymizer_hides_more(section: WrittenSection) -> Finding:
    """The Anonymizer's output is attacked less well than manual output at equal ε."""
    pairs = _compared(section, 2, "Anonymizer")
    return Finding(all(manual > other for manual, other, _ in pairs), _told(pairs))


def hub_words(section: WrittenSection) -> Finding:
    """The ten commonest words are a larger share of manual output than of constant attention's."""
    pairs = _compared(section, 4, "constant A")
    return Finding(all(manual > 1.2 * other for manual, other, _ in pairs), _told(pairs))


def finds_names(section: WrittenSection) -> Finding:
    """Manual attention changes names more often than other words."""
    names, others = _column(section, 5), _column(section, 6)
    pairs = [
        (value, others[name][variant], f"{name}, {variant}")
        for name, rows in names.items()
        for variant, value in rows.items()
        if variant.startswith("manual") and variant in others.get(name, {})
    ]
    if not pairs:
        raise LookupError("no share of changed names")
    return Finding(all(first > second for first, second, _ in pairs), _told(pairs))


def names_survive(section: WrittenSection) -> Finding:
    """Manual output replaces nearly all words at the smallest ε, which still is above .001, and few names above it."""
    names, others = _column(section, 5), _column(section, 6)
    manual = [variant for variant in names["PAN 2011"] if variant.startswith("manual")]
    if len(manual) < 2:
        raise LookupError("no two ε of manual output")
    most, least = manual[0], manual[-1]
    words = [f"{variant}: {names['PAN 2011'][variant]:.0%} and {others['PAN 2011'][variant]:.0%}" for variant in manual]
    gone = min(names["PAN 2011"][least], others["PAN 2011"][least]) >= 0.95
    return Finding(
        gone and names["PAN 2011"][most] < 0.5, "names and other words replaced, PAN 2011, " + ", ".join(words)
    )
