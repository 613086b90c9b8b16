"""The frontier as a picture in a file (matplotlib): PNG, SVG or PDF."""

from __future__ import annotations

import base64
import importlib.util
import io
import math
from pathlib import Path
from typing import Any, BinaryIO

from sfumato.io.atomic import atomic_path
from sfumato.study.frontier import Frontier, Setting
from sfumato.study.report.plots import COLOURS, GREY, axis_range, line_name, log_utility
from sfumato.validate import choice, extra

__all__ = ["can_draw", "frontier_image", "save_frontier"]

_MARKERS = ("o", "s", "D", "^", "v", "p", "h", "*")


def can_draw() -> bool:
    """Whether pictures in files can be had: matplotlib is an extra of its own."""
    return importlib.util.find_spec("matplotlib") is not None


def save_frontier(plane: Frontier, path: str | Path) -> None:
    """Draw risk against utility into ``path``; its ending (.png, .svg, .pdf) says how."""
    suffix = choice("ending of the file", Path(path).suffix, (".png", ".svg", ".pdf"))
    with atomic_path(path) as beside, beside.open("wb") as stream:
        _save(plane, stream, suffix[1:], ink="black")


def frontier_image(plane: Frontier) -> str:
    """The frontier as an address that holds the picture itself, for pages without scripts; legible on any ground.

    Empty without matplotlib: the tables say the same.
    """
    if not can_draw():
        return ""
    stream = io.BytesIO()
    _save(plane, stream, "svg", ink=GREY)
    return "data:image/svg+xml;base64," + base64.b64encode(stream.getvalue()).decode()


def _save(plane: Frontier, stream: BinaryIO, kind: str, *, ink: str) -> None:
    matplotlib = extra("matplotlib", "figures")
    from matplotlib.figure import Figure  # without pyplot: no global state, no window system

    inked = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    look = {"svg.hashsalt": "sfumato", "svg.fonttype": "none", "font.family": "sans-serif"} | dict.fromkeys(inked, ink)
    no_date = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with matplotlib.rc_context(look):
        figure = Figure(figsize=(8.8, 4.6), layout="constrained")
        _draw(plane, figure.add_subplot())
        figure.savefig(stream, format=kind, dpi=160, metadata=no_date, transparent=kind != "png")


def _draw(plane: Frontier, axes: Any) -> None:
    labels = list(dict.fromkeys(point.label for point in plane.points))
    for place, label in enumerate(labels):
        points = [point for point in plane.points if point.label == label]
        proved = points[0].proved
        colour = COLOURS[place % len(COLOURS)]
        axes.errorbar(
            [plane.risk(point).mean for point in points],
            [plane.use(point).mean for point in points],
            xerr=_bars(points, plane.attack),
            yerr=_bars(points, plane.utility),
            label=line_name(points[0]),
            color=colour,
            marker=_MARKERS[place % len(_MARKERS)],
            markerfacecolor=colour if proved else "none",
            linestyle="-" if proved else ":" if points[0].guaranteed else "--",
            elinewidth=0.8,
        )
    log = log_utility(plane)
    raw_risk, raw_use = plane.risk(plane.raw).mean, plane.use(plane.raw).mean
    if raw_use > 0 or not log:
        axes.plot([raw_risk], [raw_use], linestyle="none", marker="*", markersize=13, color=GREY, label="raw data")
    if not math.isnan(plane.chance):
        axes.axvline(plane.chance, color=GREY, linestyle=":", label="chance")
    if log:
        axes.set_yscale("log")
    risks, uses = ([point.estimates[name] for point in plane.points] for name in (plane.attack, plane.utility))
    axes.set_xlim(axis_range(risks, [raw_risk, plane.chance], log=False))
    limits = axis_range(uses, [raw_use], log=log, down=plane.better == "lower")
    axes.set_ylim([10**limit for limit in limits] if log else limits)
    axes.set_xlabel(f"risk: {plane.attack}  (← safer)")
    axes.set_ylabel(f"utility: {plane.utility}  (↑ better)")
    axes.grid(color=GREY, alpha=0.2)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))  # beside the lines, never on them


def _bars(points: list[Setting], measure: str) -> list[list[float]]:
    estimates = [point.estimates[measure] for point in points]
    below = [0.0 if math.isnan(e.low) else e.mean - e.low for e in estimates]
    above = [0.0 if math.isnan(e.high) else e.high - e.mean for e in estimates]
    return [below, above]
