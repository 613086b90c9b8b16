"""Interactive plots of the report (plotly)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sfumato.study.frontier import Estimate, Frontier, Setting
from sfumato.study.report.sentences import total_words
from sfumato.study.threshold import Limits
from sfumato.study.wording import GREEK, shown
from sfumato.validate import extra

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = [
    "COLOURS",
    "GREY",
    "axis_range",
    "frontier_picture",
    "line_name",
    "log_axis",
    "log_utility",
    "measure_picture",
    "style",
]

# Mid-tones of the Okabe–Ito palette: told apart by colour-blind readers, and legible on white and on near-black.
COLOURS = ("#2f7fc1", "#d55e00", "#00936b", "#b8589a", "#b8860b", "#7a6fd0", "#56a0a8", "#8a6d5a")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "pentagon", "hexagon", "star")
GREY = "#7d838c"


def style(figure: go.Figure, *, height: int, legend: str = "above") -> go.Figure:
    """The look shared by all figures: no background, thin grid, legend above or below."""
    place = (
        {"y": 1.02, "yanchor": "bottom"} if legend == "above" else {"y": 0.0, "yanchor": "bottom", "yref": "container"}
    )
    named = [trace for trace in figure.data if trace.name and trace.showlegend is not False]
    below = 108 if legend == "below" and len(named) > 1 else 56
    figure.update_layout(
        template="none",
        colorway=COLOURS,
        height=height,
        margin={"l": 64, "r": 16, "t": 64 if figure.layout.title.text else 32, "b": below},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, sans-serif", "size": 13, "color": GREY},
        legend={"orientation": "h", "x": 0, **place},
        hoverlabel={"align": "left"},
    )
    figure.update_xaxes(gridcolor="rgba(125,131,140,.22)", zeroline=False, automargin=True)
    figure.update_yaxes(gridcolor="rgba(125,131,140,.22)", zeroline=False, automargin=True)
    return figure


def log_axis(values: Sequence[float], *, ratio: float = 50.0) -> bool:
    """Whether the values span so much that only a logarithmic axis shows them."""
    known = [value for value in values if not math.isnan(value)]
    return bool(known) and min(known) > 0 and max(known) / min(known) > ratio


def log_utility(plane: Frontier) -> bool:
    """Whether the utility is an error over orders of magnitude; shares and scores stay on a linear axis."""
    return plane.better == "lower" and log_axis([plane.use(point).mean for point in plane.points])


def axis_range(estimates: Sequence[Estimate], others: Sequence[float], *, log: bool, down: bool = False) -> list[float]:
    """An axis that shows all means, and the intervals as far as they do not squeeze the means together."""
    values = [e.mean for e in estimates] + list(others)
    values = [v for v in values if math.isfinite(v) and (v > 0 or not log)] or [1.0]
    scale = math.log10 if log else float
    low, high = min(map(scale, values)), max(map(scale, values))
    span = (high - low) or abs(high) or 1.0
    ends = [scale(v) for e in estimates for v in (e.low, e.high) if math.isfinite(v) and (v > 0 or not log)]
    low = max(min([low, *ends]), low - 0.25 * span) - 0.06 * span
    high = min(max([high, *ends]), high + 0.25 * span) + 0.06 * span
    return [high, low] if down else [low, high]


def frontier_picture(plane: Frontier, limits: Limits | None = None) -> go.Figure:
    """Risk to the right, utility upwards (the better way round), one line a mechanism, 95 % intervals as bars.

    ``limits`` say what an ε is called.
    """
    scale = limits or Limits()
    go = extra("plotly.graph_objects", "report")
    figure = go.Figure()
    for place, points in enumerate(_by_label(plane.points).values()):
        figure.add_trace(_line(go, plane, points, place, scale))
    log = log_utility(plane)
    raw_use = plane.use(plane.raw).mean
    if not log or raw_use > 0:
        figure.add_trace(
            go.Scatter(
                x=[plane.risk(plane.raw).mean],
                y=[raw_use],
                name="raw data",
                mode="markers",
                marker={"symbol": "star", "size": 14, "color": GREY},
                hovertemplate=_hover(plane, plane.raw, scale) + "<extra></extra>",
            )
        )
    else:
        text = f"raw data: {shown(raw_use)} ↑"  # beyond a logarithmic axis
        figure.add_annotation(
            x=plane.risk(plane.raw).mean, y=1, yref="paper", yanchor="top", text=text, showarrow=False
        )
        raw_use = math.nan
    if not math.isnan(plane.chance):
        figure.add_vline(
            x=plane.chance,
            line={"color": GREY, "dash": "dot", "width": 1.5},
            annotation={"text": "chance", "font": {"color": GREY}},
            annotation_position="bottom right",
        )
    risks = [plane.risk(point) for point in plane.points]
    uses = [plane.use(point) for point in plane.points]
    figure.update_xaxes(
        title=f"risk: {plane.attack} (← safer)",
        range=axis_range(risks, [plane.risk(plane.raw).mean, plane.chance], log=False),
    )
    figure.update_yaxes(
        title=f"utility: {plane.utility} (↑ better)",
        **_scale(log),
        range=axis_range(uses, [raw_use], log=log, down=plane.better == "lower"),
    )
    return style(figure, height=480)


def _scale(log: bool) -> dict[str, Any]:
    """A logarithmic axis marks powers of ten: plotly's digits between them read as values."""
    return {"type": "log", "dtick": 1, "exponentformat": "power"} if log else {"type": "linear"}


def _swept_axis(values: Sequence[float]) -> dict[str, Any]:
    """Ticks at the values that were tried, if they are few."""
    axis = _scale(log_axis(values, ratio=8.0))
    if len(values) <= 8:
        axis |= {"tickmode": "array", "tickvals": list(values), "ticktext": [shown(value) for value in values]}
    return axis


def _by_label(points: Sequence[Setting]) -> dict[str, list[Setting]]:
    grouped: dict[str, list[Setting]] = {}
    for point in points:
        grouped.setdefault(point.label, []).append(point)
    return grouped


def line_name(setting: Setting) -> str:
    """The name of a line in a legend: its label, and what stands behind its promise if that is no proof."""
    return setting.label if setting.proved else f"{setting.label} ({setting.kept_by})"


def _dash(setting: Setting) -> str:
    return "solid" if setting.proved else "dot" if setting.guaranteed else "dash"


def _line(go: Any, plane: Frontier, points: Sequence[Setting], place: int, limits: Limits) -> Any:
    colour = COLOURS[place % len(COLOURS)]
    symbol = SYMBOLS[place % len(SYMBOLS)]
    proved = points[0].proved
    efficient = plane.efficient
    return go.Scatter(
        x=[plane.risk(point).mean for point in points],
        y=[plane.use(point).mean for point in points],
        error_x=_bars([plane.risk(point) for point in points], colour),
        error_y=_bars([plane.use(point) for point in points], colour),
        name=line_name(points[0]),
        mode="lines+markers",
        line={"color": colour, "width": 2, "dash": _dash(points[0])},
        marker={
            "symbol": symbol if proved else f"{symbol}-open",
            "size": [11 if point in efficient else 7 for point in points],
            "color": colour,
            "line": {"width": 2 if not proved else 0, "color": colour},
        },
        hovertemplate=[_hover(plane, point, limits) + "<extra></extra>" for point in points],
    )


def _bars(estimates: Sequence[Estimate], colour: str) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": [0.0 if math.isnan(e.high) else e.high - e.mean for e in estimates],
        "arrayminus": [0.0 if math.isnan(e.low) else e.mean - e.low for e in estimates],
        "color": colour,
        "thickness": 1,
        "width": 0,
    }


def _hover(plane: Frontier, point: Setting, limits: Limits) -> str:
    said = "<br>".join(_escape(words) for words in (point.promise, *total_words(point, limits)))
    return (
        f"<b>{_escape(point.title)}</b><br>{said}<br>"
        f"risk {_interval(plane.risk(point))}<br>utility {_interval(plane.use(point))}"
    )


def _interval(value: Estimate) -> str:
    if math.isnan(value.low) or math.isnan(value.high):
        return shown(value.mean)
    return f"{shown(value.mean)} ({shown(value.low)} to {shown(value.high)})"


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def measure_picture(
    points: Sequence[Setting], measure: str, *, varied: str, raw: Setting | None, chance: float, better: str, log: bool
) -> go.Figure:
    """One measure against the swept parameter, one line a mechanism, 95 % intervals as bands, or bars if many."""
    go = extra("plotly.graph_objects", "report")
    figure = go.Figure()
    lines = {}
    for label, group in _by_label(points).items():
        lines[label] = sorted((p for p in group if math.isfinite(p.varied)), key=lambda point: point.varied)
    used = [point for line in lines.values() for point in line]
    estimates = [point.estimates[measure] for point in used]
    log = log and log_axis([value.mean for value in estimates])
    floor = min((e.mean for e in estimates), default=1.0) / 10 if log else -math.inf
    for place, (label, line) in enumerate(lines.items()):
        if line:
            bands = sum(map(bool, lines.values())) <= 3  # more of them would hide each other
            figure.add_traces(_band(go, label, line, measure, place, floor, bands=bands))
    references = [(raw.estimates[measure].mean if raw else math.nan, "raw data", "dash"), (chance, "chance", "dot")]
    references = [reference for reference in references if reference[0] > floor]  # NaN is not, nor 0 on a log axis
    for value, name, dash in references:
        figure.add_hline(
            y=value,
            line={"color": GREY, "dash": dash, "width": 1.5},
            annotation={"text": name, "font": {"color": GREY}},
            annotation_position="top left",
        )
    figure.update_xaxes(title=GREEK.get(varied, varied), **_swept_axis(sorted({point.varied for point in used})))
    figure.update_yaxes(
        title=better,
        **_scale(log),
        range=axis_range(estimates, [value for value, _, _ in references], log=log),
    )
    return style(figure, height=340)


def _band(
    go: Any, label: str, line: Sequence[Setting], measure: str, place: int, floor: float, *, bands: bool
) -> list[Any]:
    colour, symbol = COLOURS[place % len(COLOURS)], SYMBOLS[place % len(SYMBOLS)]
    estimates = [point.estimates[measure] for point in line]
    varied = [point.varied for point in line]
    traces = []
    if bands and not any(math.isnan(e.low) or math.isnan(e.high) for e in estimates):
        red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        traces.append(
            go.Scatter(
                x=varied + varied[::-1],
                y=[e.high for e in estimates] + [max(e.low, floor) for e in reversed(estimates)],
                mode="lines",
                fill="toself",
                fillcolor=f"rgba({red},{green},{blue},.16)",
                line={"width": 0},
                hoverinfo="skip",
                showlegend=False,
                legendgroup=label,
            )
        )
    traces.append(
        go.Scatter(
            x=varied,
            y=[e.mean for e in estimates],
            error_y=None if bands else _bars(estimates, colour),
            name=line_name(line[0]),
            legendgroup=label,
            mode="lines+markers",
            line={"color": colour, "width": 2, "dash": _dash(line[0])},
            marker={"symbol": symbol if line[0].proved else f"{symbol}-open", "size": 7, "color": colour},
            hovertemplate=[
                f"<b>{_escape(point.title)}</b><br>{_interval(e)}<extra></extra>"
                for point, e in zip(line, estimates, strict=True)
            ],
        )
    )
    return traces
