"""What judges the claims of Weggenmann's chapter 5: from a section on words to a finding."""

from __future__ import annotations

from typing import Any

from reproduction.claims.claim import Finding
from reproduction.claims.written_section import WrittenSection, number


def bounds(section: WrittenSection) -> Finding:
    """Fig. 5.1 against the values of Theorem 5.4."""
    printed = {"10": (9.084, 9.995), "20": (14.591, 19.449), "47.5": (28.345, 34.059)}
    found = {epsilon: [number(cell) for cell in section.row(epsilon, after="Fig. 5.1")[1:3]] for epsilon in printed}
    far = max(abs(a - b) for epsilon in printed for a, b in zip(printed[epsilon], found[epsilon], strict=True))
    return Finding(far < 1e-3, f"at ε = 10, 20, 47.5 and L = 100, 30 000 within {far:.4f}")


def needed(section: WrittenSection) -> Finding:
    """Cor. 5.7."""
    (found,) = section.numbers(r"one word of 30 000: ε ≥ ([\d.]+) \(20\.62")
    return Finding(abs(found - 20.62) < 0.005, f"ε ≥ {found:.2f}")


def enumeration(section: WrittenSection) -> Finding:
    """The tight loss is attained."""
    worst, tight = (number(section.row(name)[1]) for name in ("worst log-ratio", "n·ℓ"))
    return Finding(
        abs(worst - tight) < 1e-4, f"all outputs of L = 4, n = 3 enumerated: {worst:.4f} and nℓ = {tight:.4f}"
    )


def tight_loss(section: WrittenSection) -> Finding:
    """ℓ ≈ 25.4 at ε = 47.5."""
    (found,) = section.numbers(r"ℓ = ([\d.]+) per word")
    return Finding(abs(found / 25.4 - 1) < 0.03, f"ℓ = {found:.2f} of our lemmas with the rating clipped to [0, 1]")


def halved(section: WrittenSection) -> Finding:
    """About half of the nominal loss."""
    (found,) = section.numbers(r"ℓ = ([\d.]+) per word")
    return Finding(abs(found / 47.5 - 0.5) < 0.1, f"{found / 47.5:.0%} of 47.5")


def _kept(section: WrittenSection, method: str, scenario: str = "Top10/Any") -> tuple[float, float]:
    cells = section.row(scenario, method, after="E2: the methods")
    return number(cells[2]), number(cells[3])


def syntf_shares(section: WrittenSection) -> Finding:
    """SynTF keeps 87 % of the analyst's F1 and 66 % of the attacker's."""
    analyst, attacker = _kept(section, "SynTF")
    return Finding(abs(analyst - 0.87) < 0.04 and abs(attacker - 0.66) < 0.04, f"{analyst:.0%} and {attacker:.0%}")


def scrubbing_shares(section: WrittenSection) -> Finding:
    """scrubadub keeps 92 % and 90 %."""
    cells = section.row("scrubadub")
    analyst, attacker = number(cells[0]), number(cells[1])
    holds = abs(analyst - 0.92) < 0.04 and abs(attacker - 0.90) < 0.04
    return Finding(holds, f"scrubadub 2.0.1 itself keeps {analyst:.0%} and {attacker:.0%}")


def levels(method: str, printed: tuple[float, float]) -> Any:
    """Weighted F1 of analyst and attacker on Top10/Any against the printed ones."""

    def judge(section: WrittenSection) -> Finding:
        cells = section.row(method, "weighted", after="E2: the methods")
        mean = section.row(method, "mean over classes", after="E2: the methods")
        ours = [number(cell.split(" / ")[0]) for cell in cells]
        other = [number(cell.split(" / ")[0]) for cell in mean]
        holds = any(all(abs(a - b) < 0.03 for a, b in zip(one, printed, strict=True)) for one in (ours, other))
        words = " or ".join(f"{one[0]:.2f} and {one[1]:.2f}" for one in (ours, other))
        return Finding(holds, f"{words} (weighted, or mean over classes; which was printed is not said)")

    return judge


def stronger_than_scrubbing(section: WrittenSection) -> Finding:
    """SynTF hurts the attack more than scrubbing in all four scenarios."""
    names = ("Top5/Any", "Top10/Any", "Top5/Multi", "Top10/Multi")
    pairs = [(_kept(section, "SynTF", name)[1], _kept(section, "scrubbing", name)[1]) for name in names]
    return Finding(all(a < b for a, b in pairs), ", ".join(f"{a:.0%} and {b:.0%}" for a, b in pairs))


def strongest(section: WrittenSection) -> Finding:
    """The gap between analyst and attacker, when the attacker knows the method."""
    analyst, attacker = section.numbers(r"best analyst keeps (\d+%), the strongest attacker (\d+%)")
    return Finding(analyst - attacker > 0.1, f"{analyst:.0%} and {attacker:.0%} when the attacker knows the method")


def scenarios(section: WrittenSection) -> Finding:
    """Table 5.1: least numbers of posts."""
    rows = [section.row(name, after="Table 5.1") for name in ("Top5/Any", "Top10/Any", "Top5/Multi", "Top10/Multi")]
    shown = ", ".join(f"{ours} ({printed})" for printed, ours in rows)
    return Finding(all(printed == ours for printed, ours in rows), shown)


def authors(section: WrittenSection) -> Finding:
    """5735 authors."""
    every, training = section.numbers(r"(\d+) addresses in all, (\d+) in the")
    return Finding(abs(training / 5735 - 1) < 0.02, f"{training:.0f} in the training split, {every:.0f} in all")


def pairs_of_classifiers(who: str, release: str, tolerance: float) -> Any:
    """A row of Fig. 5.3a against its reference."""

    def judge(section: WrittenSection) -> Finding:
        cells = section.row("naive Bayes (5.3a)", release, who)
        both = [(number(cell), number(cell.partition("(")[2])) for cell in cells]
        shown = ", ".join(f"{a:.2f} ({b:.2f})" for a, b in both)
        return Finding(all(abs(a - b) <= tolerance for a, b in both), shown)

    return judge
