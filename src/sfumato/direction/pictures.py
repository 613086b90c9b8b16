"""Figures of the room: densities on the circle and the sphere, and error curves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sfumato.mechanism.clipped_laplace import ClippedLaplace
from sfumato.mechanism.polar_laplace import PolarLaplace
from sfumato.mechanism.purkayastha import Purkayastha
from sfumato.mechanism.spherical_cap import SphericalCap
from sfumato.mechanism.von_mises_fisher import VonMisesFisher
from sfumato.mechanism.wrapped_laplace import WrappedLaplace
from sfumato.study.plots import COLOURS, style
from sfumato.study.shapes import Picture
from sfumato.validate import extra

__all__ = ["circle_picture", "error_picture", "sphere_picture"]

_PURE = 2.0


def circle_picture(outcome: Any = None) -> Picture:
    """Densities of a protected time of day around 7 h, all at pure ε = 2."""
    go = extra("plotly.graph_objects", "report")
    hours = np.linspace(0, 24, 481)
    figure = go.Figure()
    for name, mechanism in _on_circle(_PURE).items():
        density = np.exp(mechanism.law(2).log_density(np.abs(np.mod(hours - 7 + 12, 24) - 12) * 2 * math.pi / 24))
        figure.add_scatterpolar(r=density, theta=hours * 15, mode="lines", name=name)
    ticks = {"tickvals": list(range(0, 360, 45)), "ticktext": [f"{h} h" for h in range(0, 24, 3)]}
    clock = {"direction": "clockwise", "rotation": 90, **ticks}
    figure.update_polars(angularaxis=clock, radialaxis={"showticklabels": False})
    return Picture(
        "Where a protected 7 o'clock may come out",
        style(figure, height=460),
        f"Densities on the circle at pure ε = {_PURE:g}. The cap is flat on both levels, the von Mises–Fisher law is "
        "smooth, Purkayastha and Laplace have a peak; the largest and the smallest density differ by e^ε at most.",
    )


def sphere_picture(outcome: Any = None) -> Picture:
    """Densities on the globe around 48° N, 11° E, at ε = 4 per radian."""
    go = extra("plotly.graph_objects", "report")
    phi, lam = np.linspace(-math.pi / 2, math.pi / 2, 61), np.linspace(-math.pi, math.pi, 121)
    grid = np.stack(
        [
            np.cos(phi)[:, None] * np.cos(lam),
            np.cos(phi)[:, None] * np.sin(lam),
            np.broadcast_to(np.sin(phi)[:, None], (61, 121)),
        ],
        axis=-1,
    )
    centre = np.array([math.cos(0.84) * math.cos(0.19), math.cos(0.84) * math.sin(0.19), math.sin(0.84)])
    angles = np.arccos(np.clip(grid @ centre, -1, 1))
    figure = go.Figure()
    names = []
    shown: list[Any] = [Purkayastha(epsilon=4.0), VonMisesFisher(epsilon=4.0), PolarLaplace(kappa=4.0)]
    for number, mechanism in enumerate(shown):
        names.append(type(mechanism).__name__)
        density = mechanism.law(3).log_density(np.clip(angles, 1e-3, math.pi - 1e-3)) / math.log(10)
        figure.add_surface(
            x=grid[..., 0] + 2.4 * number,
            y=grid[..., 1],
            z=grid[..., 2],
            surfacecolor=density,
            cmin=-6,
            cmax=0.5,
            colorscale="Viridis",
            showscale=number == 0,
            colorbar={"title": "log₁₀ density", "thickness": 12, "len": 0.6},
            name=names[-1],
            hovertemplate=names[-1] + "<br>log₁₀ density %{surfacecolor:.2f}<extra></extra>",
        )
    hidden = {"visible": False}
    camera = {"eye": {"x": 0.6, "y": 1.9, "z": 1.1}}
    scene = {"xaxis": hidden, "yaxis": hidden, "zaxis": hidden, "aspectmode": "data", "camera": camera}
    figure.update_layout(scene=scene)
    return Picture(
        "Where a protected place may come out",
        style(figure, height=460),
        f"Log-densities on the sphere at 4 per radian: {', '.join(names)}. The polar Laplace noise lights up again at "
        "the antipode, where its density is infinite: that is why it has no guarantee.",
    )


def error_picture(outcome: Any = None) -> Picture:
    """Expected arc-length error against pure ε, on the circle and on the sphere."""
    go = extra("plotly.graph_objects", "report")
    subplots = extra("plotly.subplots", "report")
    epsilons = np.geomspace(0.1, 30, 40)
    figure = subplots.make_subplots(cols=2, shared_yaxes=True, subplot_titles=("circle, n = 2", "sphere, n = 3"))
    for column, n in ((1, 2), (2, 3)):
        labels = list(_on_circle(1.0)) if n == 2 else [name for name in _on_circle(1.0) if "Laplace" not in name]
        for label in labels:
            error = [_on_circle(epsilon)[label].law(n).mean_angle for epsilon in epsilons]
            colour = COLOURS[list(_on_circle(1.0)).index(label)]
            figure.add_trace(
                go.Scatter(
                    x=epsilons,
                    y=error,
                    name=label,
                    mode="lines",
                    line={"color": colour},
                    legendgroup=label,
                    showlegend=n == 2,
                ),
                row=1,
                col=column,
            )
    starts = np.linspace(0, 2 * math.pi, 25)[:-1]
    clipped = [np.mean([ClippedLaplace(pure=e).expected_error(a) for a in starts]) for e in epsilons]
    dotted = {"dash": "dot", "color": COLOURS[6]}
    figure.add_trace(go.Scatter(x=epsilons, y=clipped, name="clipped Laplace", mode="lines", line=dotted), row=1, col=1)
    figure.update_xaxes(type="log", title="pure ε")
    figure.update_yaxes(type="log", title="expected error (rad)", col=1)
    return Picture(
        "What each mechanism costs",
        style(figure, height=420),
        "Expected arc length between a direction and its release at equal pure ε. The cap is optimal; among the "
        "mechanisms whose loss shrinks with distance, von Mises–Fisher leads for small ε and, on the circle, the tight "
        "wrapped Laplace for large.",
    )


def _on_circle(pure: float) -> dict[str, Any]:
    return {
        "spherical cap": SphericalCap(pure=pure),
        "von Mises–Fisher": VonMisesFisher(pure=pure),
        "Purkayastha": Purkayastha(pure=pure),
        "wrapped Laplace, tight": WrappedLaplace(pure=pure),
        "wrapped Laplace, nominal": WrappedLaplace(pure=pure, calibration="nominal"),
    }
