"""Figures for the report: densities on the circle and the sphere, and error curves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sfumato.direction.mechanisms.clipped_laplace import ClippedLaplace
from sfumato.direction.mechanisms.polar_laplace import PolarLaplace
from sfumato.direction.mechanisms.purkayastha import Purkayastha
from sfumato.direction.mechanisms.spherical_cap import SphericalCap
from sfumato.direction.mechanisms.von_mises_fisher import VonMisesFisher
from sfumato.direction.mechanisms.wrapped_laplace import WrappedLaplace
from sfumato.study.report.plots import COLOURS, style
from sfumato.study.study import Picture
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
    figure.update_polars(angularaxis=clock, radialaxis={"showticklabels": False}, domain={"y": [0, 0.86]})
    return Picture(
        "Where a protected 7 o'clock may come out",
        style(figure, height=460),
        f"Densities on the circle at pure ε = {_PURE:g}. The cap is flat on both levels, the von Mises–Fisher law is "
        "smooth, Purkayastha and Laplace have a peak; the largest density is at most exp(ε) times the smallest.",
    )


def sphere_picture(outcome: Any = None) -> Picture:
    """Densities on the sphere at 2 per radian, seen from above the place and from the other side."""
    go = extra("plotly.graph_objects", "report")
    phi, lam = np.linspace(-math.pi / 2, math.pi / 2, 41)[:, None], np.linspace(-math.pi, math.pi, 81)
    globe = np.stack(np.broadcast_arrays(np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)))
    place = np.array([0.3, 0.9, 0.3]) / math.sqrt(0.99)  # towards the viewer, who looks along y
    angles = np.arccos(np.clip(np.tensordot(place, globe, 1), -1, 1))
    shown: dict[str, Any] = {
        "Purkayastha": Purkayastha(epsilon=2.0),
        "von Mises–Fisher": VonMisesFisher(epsilon=2.0),
        "polar Laplace": PolarLaplace(kappa=2.0),
    }
    figure = go.Figure()
    labels = []
    for number, (name, mechanism) in enumerate(shown.items()):
        for row, seen in enumerate((angles, math.pi - angles)):
            x, z = 2.4 * (1 - number), -2.4 * row
            side = "from the other side" if row else "from above the place"
            if row == 0 or number == 1:
                text = f"the same {side}" if row else name
                labels.append({"x": x, "y": 0, "z": z + 1.2, "text": text, "showarrow": False})
            figure.add_surface(
                x=globe[0] + x,
                y=globe[1],
                z=globe[2] + z,
                surfacecolor=mechanism.law(3).log_density(np.clip(seen, 1e-2, math.pi - 1e-2)) / math.log(10),
                cmin=-3.5,
                cmax=0.7,
                colorscale="Viridis",
                lighting={"ambient": 1.0, "diffuse": 0.0, "specular": 0.0},
                showscale=number == row == 0,
                colorbar={"title": "log₁₀ density", "thickness": 12, "len": 0.7},
                hovertemplate=f"{name}, {side}<br>log₁₀ density %{{surfacecolor:.2f}}<extra></extra>",
            )
    hidden = {"visible": False}
    camera = {"eye": {"x": 0, "y": 1.1, "z": 0}, "projection": {"type": "orthographic"}}
    shape = {"aspectmode": "manual", "aspectratio": {"x": 6.8 / 2.5, "y": 2 / 2.5, "z": 4.4 / 2.5}}
    axes = {"xaxis": hidden, "yaxis": hidden, "zaxis": hidden}
    figure.update_layout(scene={**axes, **shape, "camera": camera, "annotations": labels})
    return Picture(
        "Where a protected place may come out",
        style(figure, height=520),
        "Log-densities on the sphere at 2 per radian; turn them with the mouse. The polar Laplace noise lights up "
        "again at the antipode, where its density is infinite: that is why it has no guarantee.",
    )


def error_picture(outcome: Any = None) -> Picture:
    """Expected arc-length error against pure ε, on the circle and on the sphere."""
    go = extra("plotly.graph_objects", "report")
    subplots = extra("plotly.subplots", "report")
    epsilons = np.geomspace(0.1, 30, 30)
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
    starts = np.linspace(0, 2 * math.pi, 13)[:-1]
    clipped = [np.mean([ClippedLaplace(pure=e).expected_error(a) for a in starts]) for e in epsilons]
    dotted = {"dash": "dot", "color": COLOURS[6]}
    figure.add_trace(go.Scatter(x=epsilons, y=clipped, name="clipped Laplace", mode="lines", line=dotted), row=1, col=1)
    figure.update_xaxes(type="log", title="pure ε")
    figure.update_yaxes(title="expected error (rad)", col=1)
    below = {"legend": {"y": -0.22, "yanchor": "top"}, "margin": {"t": 40, "b": 130}}
    return Picture(
        "What each mechanism costs",
        style(figure, height=460).update_layout(below),
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
