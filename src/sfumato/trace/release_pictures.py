"""Pictures of one release for its owner: map, covariance of the noise, and what a promise costs over r and ε."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import SfumatoError
from sfumato.io.atomic import atomic_path
from sfumato.study.report.rendering import in_script, packed_plotly
from sfumato.study.study import Picture
from sfumato.trace.attacks.evidence import Belief
from sfumato.trace.attacks.sighting import Interval
from sfumato.trace.core.kernel import Matrix, Vector
from sfumato.validate import extra

if TYPE_CHECKING:
    from sfumato.trace.core.hidden_place import HiddenPlace

__all__ = ["cost_picture", "covariance_picture", "release_picture", "write_pictures"]

_TRUE, _RELEASED, _ATTACKER, _HIDDEN = "#b9b9b9", "#0072B2", "#D55E00", "#b00020"
_NINETY_FIVE = 5.991  # of χ² with two degrees of freedom
_LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
_MOST_DRAWN = 5000
_TICKS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]
_SCRIPT = """(async () => {
  const packed = Uint8Array.from(atob(document.getElementById("plotly").textContent), (c) => c.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const library = document.createElement("script");
  library.textContent = await new Response(unpacked).text();
  document.head.append(library);
  JSON.parse(document.getElementById("figures").textContent).forEach((figure, k) =>
    Plotly.newPlot("plot" + k, figure.data, figure.layout, { displayModeBar: false }));
})();"""
_FONT = {"family": "system-ui, sans-serif", "size": 13, "color": "#222222"}


def release_picture(
    times: Vector, truth: Matrix, seen: Matrix, hidden: Sequence[Interval], regions: Sequence[Belief] = ()
) -> Picture:
    """A map without tiles: the true path, what was released, and where the attacker looks for what is hidden.

    For the owner's eyes only: it shows the path.

    Parameters
    ----------
    times : ndarray of shape (n,)
    truth, seen : ndarray of shape (n, 2)
        Metres; NaN in ``seen`` for a point that was left out.
    hidden : sequence of (start, end)
    regions : sequence of Belief
        What the attacker believes of each.
    """
    go = extra("plotly.graph_objects", "report")
    inside = np.zeros(len(times), bool)
    for start, end in hidden:
        inside |= (times >= start) & (times <= end)
    figure = go.Figure()
    for number, belief in enumerate(regions):
        ring = _ring(belief.mean, math.sqrt(_NINETY_FIVE * belief.variance))
        looks = {"fill": "toself", "fillcolor": "rgba(213,94,0,0.16)", "line": {"color": _ATTACKER, "width": 1.5}}
        name = "where the attacker looks (95 %)"
        figure.add_trace(_curve(ring, mode="lines", name=name, legendgroup="a", showlegend=number == 0, **looks))
    # a screen shows no more: of a long path every k-th point is drawn, and all that is said counts every point
    drawn = np.unique(np.linspace(0, len(times) - 1, min(len(times), _MOST_DRAWN)).astype(np.intp))
    figure.add_trace(_curve(truth[drawn], mode="lines", line={"color": _TRUE, "width": 6}, name="true path"))
    gaps = ~np.isfinite(seen).all(axis=1)
    few = {"size": 5 if len(drawn) < 1000 else 3, "color": _RELEASED}
    thin = {"color": _RELEASED, "width": 1.2}
    figure.add_trace(
        _curve(seen[drawn], mode="lines+markers", line=thin, marker=few, name="released", connectgaps=False)
    )
    cross = {"symbol": "x", "size": 9, "color": _HIDDEN, "line": {"color": "white", "width": 1}}
    middles = _middles(times, truth, hidden)
    figure.add_trace(_curve(middles, mode="markers", marker=cross, name="hidden place"))
    _as_map(figure, _frame(truth, seen, regions))
    cut = f" {int(gaps.sum())} of {len(seen)} points were left out." if gaps.any() else ""
    words = "For the owner only: it shows the true path. Distances are in metres, north is up." + cut
    return Picture("The release and what an attacker makes of it", figure, words)


def covariance_picture(times: Vector, covariance: Matrix, *, most: int = 200) -> Picture:
    """The covariance of the noise as a heat map, in metres: √|Σᵢⱼ| with its sign (Meehan, App. E.1.1).

    Long paths are thinned to ``most`` points.
    """
    go = extra("plotly.graph_objects", "report")
    few = np.unique(np.linspace(0, len(times) - 1, min(most, len(times))).astype(int))
    part = covariance[np.ix_(few, few)]
    metres = (np.sign(part) * np.sqrt(np.abs(part))).astype(np.float32)
    minutes = (times[few] - times[0]) / 60
    top = float(np.abs(metres).max()) or 1.0
    bar = {"title": {"text": "metres", "side": "right"}, "thickness": 14}
    heat = go.Heatmap(x=minutes, y=minutes, z=metres, zmin=-top, zmax=top, colorscale="RdBu", colorbar=bar)
    figure = go.Figure(heat)
    figure.update_layout(template="plotly_white", height=560, width=640, font=_FONT, margin={"t": 20, "l": 70, "b": 60})
    figure.update_xaxes(title_text="minutes", constrain="domain", showgrid=False)
    figure.update_yaxes(title_text="minutes", scaleanchor="x", autorange="reversed", constrain="domain", showgrid=False)
    words = "Points of one colour are moved together, so that averaging them does not help."
    return Picture("How the noise at two times hangs together", figure, words)


def cost_picture(
    times: Vector,
    places: Sequence[HiddenPlace],
    *,
    radii: Sequence[float] = (100.0, 200.0, 500.0),
    epsilons: Sequence[float] = (0.25, 0.5, 1.0, 2.0, 4.0),
    prior: Any = None,
) -> Picture:
    """The error that place noise costs, over r and ε: the frontier of promise against error for these times.

    It depends on the times and the hidden visits, not on the path.
    """
    from sfumato.trace.mechanisms.place_noise import PlaceNoise

    go = extra("plotly.graph_objects", "report")
    figure = go.Figure()
    for colour, radius in zip(_LINES, radii, strict=False):
        errors = []
        for epsilon in epsilons:
            try:
                noise = PlaceNoise(places=places, times=times, epsilon=epsilon, radius=radius, prior=prior)
                errors.append(noise.plane_error)
            except SfumatoError:  # out of reach at any error: a gap in the line
                errors.append(math.nan)
        line = {"color": colour, "width": 2}
        dots = {"mode": "lines+markers", "line": line, "marker": {"size": 7}}
        figure.add_trace(go.Scatter(x=list(epsilons), y=errors, name=f"r = {radius:g} m", **dots))
    figure.update_layout(template="plotly_white", height=420, width=720, font=_FONT, margin={"t": 20})
    figure.update_xaxes(
        type="log", title_text="ε (less is safer)", tickvals=list(epsilons), ticktext=[f"{e:g}" for e in epsilons]
    )
    figure.update_yaxes(type="log", title_text="root mean square error, metres", tickvals=_TICKS, ticktext=_TICKS)
    words = "Each line is a distance within which two places are not told apart. The errors are those of all points."
    return Picture("What a promise costs", figure, words)


def write_pictures(pictures: Sequence[Picture], path: str | Path, *, title: str) -> None:
    """Write pictures as one page that needs no network (HTML); the library that draws them stands packed in it."""
    from html import escape

    extra("plotly.graph_objects", "report")
    figures = [picture.figure.to_json() for picture in pictures]
    shown = [
        f'<h2>{escape(one.title)}</h2><div class="plot" id="plot{number}"></div><p>{escape(one.caption)}</p>'
        for number, one in enumerate(pictures)
    ]
    style = "body{font:16px/1.5 system-ui,sans-serif;max-width:960px;margin:2em auto;padding:0 1em;color:#222}"
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{style}</style>'
    held = f'<script type="text/plain" id="plotly">{packed_plotly()}</script>'
    held += f'<script type="application/json" id="figures">[{in_script(",".join(figures))}]</script>'
    body = f"<h1>{escape(title)}</h1>{''.join(shown)}{held}<script>{_SCRIPT}</script>"
    page = f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>'
    with atomic_path(path) as beside:
        beside.write_text(page, encoding="utf-8")


def _curve(points: Matrix, **looks: Any) -> Any:
    go = extra("plotly.graph_objects", "report")
    x, y = np.asarray(points, np.float32).T  # to a centimetre: half the page
    return go.Scatter(x=x, y=y, hoverinfo="skip", **looks)


def _ring(centre: Vector, radius: float) -> Matrix:
    turn = np.linspace(0, 2 * np.pi, 73)
    return np.asarray(centre + radius * np.stack([np.cos(turn), np.sin(turn)], axis=1))


def _middles(times: Vector, truth: Matrix, hidden: Sequence[Interval]) -> Matrix:
    middles = np.array([(start + end) / 2 for start, end in hidden])
    return np.stack([np.interp(middles, times, axis) for axis in truth.T], axis=1)


def _frame(truth: Matrix, seen: Matrix, regions: Sequence[Belief]) -> tuple[Vector, Vector]:
    """The corners of the map: the true path and nearly all of the release, with a margin; not all of a wide region."""
    low, high = truth.min(0), truth.max(0)
    kept = seen[np.isfinite(seen).all(axis=1)]
    if len(kept):
        low, high = (
            np.minimum(low, np.quantile(kept, 0.005, axis=0)),
            np.maximum(high, np.quantile(kept, 0.995, axis=0)),
        )
    for belief in regions:
        reach = min(math.sqrt(_NINETY_FIVE * belief.variance), 0.5 * float((high - low).max()))
        low, high = np.minimum(low, belief.mean - reach), np.maximum(high, belief.mean + reach)
    margin = 0.05 * float((high - low).max()) + 50
    return low - margin, high + margin


def _as_map(figure: Any, corners: tuple[Vector, Vector]) -> None:
    """Equal scales, no axes, and a bar that shows the scale."""
    low, high = corners
    wide = float(high[0] - low[0])
    unit = 10 ** math.floor(math.log10(wide / 3))
    bar = unit * max(m for m in (1, 2, 5) if m * unit <= wide / 3)
    label = f"{bar / 1000:g} km" if bar >= 1000 else f"{bar:g} m"
    y = float(low[1] + 0.02 * (high[1] - low[1]))
    x = float(low[0] + 0.02 * wide)
    figure.add_shape(type="line", x0=x, x1=x + bar, y0=y, y1=y, line={"color": "#444444", "width": 3})
    text = {"x": x + bar / 2, "y": y, "text": label, "yshift": 12, "showarrow": False, "font": {"color": "#444444"}}
    figure.add_annotation(**text)
    height = int(min(max(880 * float(high[1] - low[1]) / wide, 320), 900))
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    figure.update_layout(template="plotly_white", height=height + 80, width=920, font=_FONT, legend=legend)
    figure.update_layout(margin={"l": 10, "r": 10, "t": 40, "b": 10})
    for axes, k in ((figure.update_xaxes, 0), (figure.update_yaxes, 1)):
        axes(range=[low[k], high[k]], showgrid=False, zeroline=False, showticklabels=False, constrain="domain")
    figure.update_yaxes(scaleanchor="x")
