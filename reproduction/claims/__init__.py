"""Claims of the four dissertations: one table each, judged by kept rows and by the sections of the book."""

from __future__ import annotations

from reproduction._rows import Recipe
from reproduction.claims.claim import VERDICTS, Claim, counts
from reproduction.claims.inventory import fischer, meehan, mimoto, weggenmann
from reproduction.claims.inventory.reasons import with_reasons
from reproduction.claims.row_tables import TABLES, row_tables

DISSERTATIONS: dict[str, list[Claim]] = {
    "Weggenmann 2023": with_reasons(weggenmann.CLAIMS),
    "Mimoto 2022": with_reasons(mimoto.CLAIMS),
    "Meehan 2023": with_reasons(meehan.CLAIMS),
    "Fischer 2020": with_reasons(fischer.CLAIMS),
}


def recipes() -> list[Recipe]:
    """The rows that judge claims or stand in the tables behind them, each once."""
    judging = [one.source for claims in DISSERTATIONS.values() for one in claims if isinstance(one.source, Recipe)]
    found = {one.name: one for one in [*judging, *(shown for _, shown, _ in TABLES)]}
    return [found[name] for name in sorted(found)]


def outdated() -> list[Recipe]:
    """The rows that are to be made: missing, or made by another recipe or from other data."""
    return [one for one in recipes() if one.to_make]


def summary(sections: dict[str, str]) -> str:
    """How many claims of each dissertation have each verdict."""
    found = {name: counts(claims, sections) for name, claims in DISSERTATIONS.items()}
    found["together"] = {kind: sum(one[kind] for one in found.values()) for kind in VERDICTS}
    kinds = [kind for kind in VERDICTS if found["together"][kind] or kind != VERDICTS[-1]]
    lines = ["| dissertation | claims | " + " | ".join(kinds) + " |", "|---" * (len(kinds) + 2) + "|"]
    for name, one in found.items():
        lines.append(f"| {name} | {sum(one.values())} | " + " | ".join(str(one[kind]) for kind in kinds) + " |")
    return "\n".join(lines)


def section(sections: dict[str, str]) -> str:
    """The Markdown of the claims, from what is kept; nothing is computed."""
    lines = [
        "## Claims",
        "",
        "Every printed table, figure and quantitative sentence of the four dissertations, with its place. A verdict is "
        "written by code from rows that are kept (`reproduction/rows`) or from the tables of the sections below; only "
        "the reasons (why something cannot be checked here, or was not reproduced) are written by hand. *Reproduced* "
        "means that the statement as given "
        "holds here; levels that rest on data or networks that nobody else has are claims of their own.",
    ]
    for name, claims in DISSERTATIONS.items():
        lines += ["", f"### Claims of {name}", "", "| where | printed | here |", "|---|---|---|"]
        for one in claims:
            printed = one.printed.replace("|", "\\|")
            lines.append(f"| {one.where} | {printed} | {one.verdict(sections)} |")
    return "\n".join([*lines, "", row_tables()])
