"""Pictures for the report, and of copied images."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.io.atomic import atomic_path
from sfumato.model.copying.copying_test import audit_copying
from sfumato.noise import seeded_rng
from sfumato.study.study import Picture
from sfumato.validate import extra

if TYPE_CHECKING:
    from sfumato.mechanism.base import Mechanism
    from sfumato.model.copying.copying_report import CopyingReport
    from sfumato.model.core.cohort import Cohort
    from sfumato.study.outcome import Outcome

__all__ = ["copied_images_picture", "copies_picture", "copying_picture", "write_copies_picture"]

_GAP = 6  # pixels between images
_NAMES = 60  # pixels for the names of the rows
_MAGNIFIED = 96  # pixels that a small image is blown up to


def copying_picture(outcome: Outcome) -> Picture:
    """How often generated samples are closer than fresh ones, against the parameter that was varied."""
    go = extra("plotly.graph_objects", "report")
    figure = go.Figure()
    for label in outcome.labels:
        rows = outcome.select(label=label, measure="generated closer than fresh")
        places = sorted({row["varied"] for row in rows if row["varied"] is not None})
        values = [[row["value"] for row in rows if row["varied"] == place] for place in places]
        figure.add_scatter(x=places, y=[sum(v) / len(v) for v in values], name=label, mode="lines+markers")
    figure.add_hline(y=0.5, line_dash="dot")
    figure.update_xaxes(type="log", title=outcome.varied)
    figure.update_yaxes(title="generated closer than fresh", range=[0, 1])
    return Picture("Who copies", figure, "Above one half, generated samples are copies of training samples.")


def copies_picture(train: NDArray[Any], generated: NDArray[Any], found: CopyingReport, *, count: int = 10) -> Any:
    """The generated images closest to the training set, each above its nearest training image (a Pillow image)."""
    image, draw = extra("PIL.Image", "model"), extra("PIL.ImageDraw", "model")
    chosen = found.copied(count)
    rows = [[_pixels(generated[one]) for one in chosen], [_pixels(train[found.closest[one]]) for one in chosen]]
    low, high = (float(edge([edge(one) for row in rows for one in row])) for edge in (np.min, np.max))
    height, width = rows[0][0].shape[:2]
    scale = max(1, _MAGNIFIED // width)
    down, across = scale * height, scale * width
    size = (_NAMES + len(chosen) * (across + _GAP), 2 * (down + _GAP))
    sheet = image.new("RGB", size, "white")
    for line, (name, row) in enumerate(zip(("generated", "nearest\ntraining\nimage"), rows, strict=True)):
        top = line * (down + _GAP)
        draw.Draw(sheet).multiline_text((_GAP, top + down // 2), name, fill="black", anchor="lm")
        for place, one in enumerate(row):
            grey = np.rint((one - low) / ((high - low) or 1.0) * 255).astype(np.uint8)
            larger = image.fromarray(np.kron(grey, np.ones((scale, scale, 1), np.uint8)))
            sheet.paste(larger, (_NAMES + place * (across + _GAP), top))
    return sheet


def copied_images_picture(outcome: Outcome, *, group: Cohort, mechanism: Mechanism) -> Picture:
    """The samples of one generator that are closest to the training set, each above its nearest training image.

    They are the training set's own images: the picture is for the owner's eyes and never public.
    """
    go = extra("plotly.graph_objects", "report")
    made = np.asarray(mechanism.release(group, rng=seeded_rng(0)))
    found = audit_copying(group.train, group.test, made, cells=1, minimum=1, duplicates="keep")
    sheet = copies_picture(group.train, made, found)
    stream = io.BytesIO()
    sheet.save(stream, format="PNG")
    source = f"data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}"
    figure = go.Figure()
    figure.add_scatter(x=[0, sheet.width], y=[0, sheet.height], mode="markers", marker_opacity=0, hoverinfo="skip")
    figure.add_layout_image(
        {"source": source, "xref": "x", "yref": "y", "x": 0, "y": sheet.height, "sizex": sheet.width,
         "sizey": sheet.height, "sizing": "stretch", "layer": "below"}
    )  # fmt: skip
    figure.update_xaxes(visible=False, range=[0, sheet.width])
    figure.update_yaxes(visible=False, range=[0, sheet.height], scaleanchor="x")
    figure.update_layout(height=260, showlegend=False)
    verdict = "The generator copies its training set." if found.copies else "No copying was found."
    return Picture(
        "Samples beside the training set",
        figure,
        f"{mechanism!r}: above, the generated samples closest to the training set; below each, its nearest training "
        f"image. {verdict}",
    )


def _pixels(picture: NDArray[Any]) -> NDArray[np.float64]:
    """Rows, columns and three colours."""
    colours = picture[..., None] if picture.ndim == 2 else picture
    return np.broadcast_to(colours, (*colours.shape[:2], 3)).astype(float)


def write_copies_picture(path: Path, train: NDArray[Any], generated: NDArray[Any], found: CopyingReport) -> None:
    """Write :func:`copies_picture` as PNG."""
    picture = copies_picture(train, generated, found)
    with atomic_path(path) as beside:
        picture.save(beside, format="PNG")
