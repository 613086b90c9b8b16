"""Map for the report: the true path, what each method publishes, and where an adversary locates the secrets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import seeded_rng
from sfumato.study.report.panels import panels, scores
from sfumato.study.report.plots import COLOURS
from sfumato.study.study import Picture
from sfumato.trace.attacks.belief import believed
from sfumato.trace.core.kernel import Kernel
from sfumato.trace.core.secret import Secret
from sfumato.trace.data.day import STREETS, Day
from sfumato.validate import extra

if TYPE_CHECKING:
    from sfumato.study.outcome import Outcome

__all__ = ["map_picture"]

_NINETY_FIVE = 5.991  # of χ² with two degrees of freedom


def map_picture(
    day: Day, secrets: Sequence[Secret], prior: Kernel, shown: Mapping[str, Any], outcome: Outcome, *, words: str
) -> Picture:
    """One panel with the true day, and one for each method.

    Parameters
    ----------
    day : Day
        A made-up one: the map of a real person must not be published.
    secrets : sequence of Secret
    prior : Kernel
        What the adversary expects of a path.
    shown : mapping of str to Mechanism
        The methods; each must be one of the study's.
    outcome : Outcome
    words : str
        What the methods have in common, for the caption.
    """
    headings = {"the true day": f"{len(day.times)} points, {len(secrets)} of them secret"}
    headings |= {label: scores(outcome, mechanism) for label, mechanism in shown.items()}
    figure, places = panels(headings, height=420)
    hidden = np.array([secret.indices[0] for secret in secrets])
    low, high = day.route.min(0) - 900, day.route.max(0) + 900
    mark = {"symbol": "x", "size": 10, "color": "#b00020", "line": {"color": "white", "width": 1}}
    methods = [None, *shown.values()]
    for number, (place, mechanism) in enumerate(zip(places, methods, strict=True)):
        first = mechanism is None
        legend = {"showlegend": first}
        lines = [_line(_street_lines(low, high), line={"color": "#e4e4e4", "width": 1}, showlegend=False)]
        if not first:
            colour = COLOURS[(number - 1) % len(COLOURS)]
            release = mechanism.release(day.path, rng=seeded_rng(3))
            lines += _discs(*believed(prior, day.times, release, mechanism), hidden, colour)
        way = {"color": "#222222", "width": 2.0 if first else 1.2}
        lines.append(_line(day.route, line=way, name="true way", legendgroup="true", **legend))
        if first:
            names, corners = _named_places(day)
            lines.append(_line(corners, mode="text", text=names, textposition="top center", showlegend=False))
        else:
            thin, dots = {"color": _faint(colour, 0.75), "width": 1}, {"size": 3, "color": colour}
            lines.append(_line(release, mode="lines+markers", line=thin, marker=dots, showlegend=False))
        lines.append(
            _line(day.path[hidden], mode="markers", marker=mark, name="secret stop", legendgroup="secret", **legend)
        )
        figure.add_traces(lines, rows=place["row"], cols=place["col"])
        figure.update_yaxes(scaleanchor="x" if first else f"x{number + 1}", **place)
    for axes, k in ((figure.update_xaxes, 0), (figure.update_yaxes, 1)):
        axes(range=[low[k], high[k]], constrain="domain", showgrid=False, zeroline=False, showticklabels=False)
    return Picture(
        "Where the adversary looks",
        figure,
        f"{words} In colour what is published, with a disc in which an adversary who knows how people move finds each "
        "secret stop with 95 % probability: the larger the disc, the better the stop is hidden. A small disc beside "
        "the stop means that this adversary is sure and wrong, since the day is not quite what the prior expects; "
        f"another one may be right. The thin lines are the streets, {STREETS:.0f} m apart.",
    )


def _line(points: NDArray[np.float64], **looks: Any) -> Any:
    go = extra("plotly.graph_objects", "report")
    return go.Scatter(x=points[:, 0], y=points[:, 1], hoverinfo="skip", **{"mode": "lines", **looks})


def _discs(
    centres: NDArray[np.float64], spread: NDArray[np.float64], hidden: NDArray[np.int64], colour: str
) -> list[Any]:
    """Where the adversary expects each secret stop, with 95 % probability."""
    looks = {"fill": "toself", "fillcolor": _faint(colour, 0.22), "line": {"color": colour, "width": 1.5}}
    turn = np.linspace(0, 2 * np.pi, 73)
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    radii = np.sqrt(_NINETY_FIVE * spread[hidden])
    return [
        _line(centre + radius * circle, showlegend=False, **looks)
        for centre, radius in zip(centres[hidden], radii, strict=True)
    ]


def _named_places(day: Day) -> tuple[list[str], NDArray[np.float64]]:
    """The places of the day by the name of the first stop there."""
    named: dict[tuple[float, ...], str] = {}
    for name, ends in day.stops.items():
        point = day.path[np.abs(day.times - sum(ends) / 2).argmin()]
        named.setdefault(tuple(STREETS * np.round(point / STREETS)), name)
    return list(named.values()), np.array(list(named))


def _street_lines(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """All streets as one line, interrupted between them."""
    parts = []
    for axis in (0, 1):
        for at in np.arange(np.ceil(low[axis] / STREETS), np.floor(high[axis] / STREETS) + 1) * STREETS:
            ends = np.array([[at, low[1 - axis]], [at, high[1 - axis]], [np.nan, np.nan]])
            parts.append(ends if axis == 0 else ends[:, ::-1])
    return np.concatenate(parts)


def _faint(colour: str, share: float) -> str:
    """A hexadecimal colour made transparent."""
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share})"
