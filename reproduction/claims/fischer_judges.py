"""What judges the claims of Fischer's thesis: from a section to a finding."""

from __future__ import annotations

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
