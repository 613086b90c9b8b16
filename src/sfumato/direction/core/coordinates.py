"""Kinds of directions, and their conversion to unit vectors and back.

========  =======================================  ==========================
kind      a record is                              ambient dimension
========  =======================================  ==========================
vector    a unit vector, along the last axis       length of that axis
angle     an angle in radians, [0, 2π)             2
hour      a time of day in hours, [0, 24)          2
week      hours since Monday 0:00, [0, 168)        2
latlon    latitude and longitude in degrees        3
========  =======================================  ==========================
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.direction.core.sphere import angle_between, chord_between
from sfumato.errors import bad_input
from sfumato.io.geography import EARTH_RADIUS
from sfumato.promise.metric import register_metric
from sfumato.validate import finite_array, positive

__all__ = [
    "CIRCLES",
    "Kind",
    "angle_to_time",
    "angle_to_vector",
    "arc_words",
    "check_unit",
    "latlon_to_vector",
    "metres_to_radians",
    "metric_name",
    "period_of",
    "scaled_vector",
    "time_to_angle",
    "unit_vector",
    "vector_to_angle",
    "vector_to_latlon",
    "wrap_into",
]

Floats = NDArray[np.float64]
Kind = Literal["vector", "angle", "hour", "week", "latlon"]
CIRCLES: tuple[Kind, ...] = ("angle", "hour", "week")
"""The kinds on a circle: every column is a direction of its own."""
TURN = 2 * math.pi
UNIT_TOLERANCE = 1e-6


def period_of(kind: Kind) -> float:
    """The length of the circle that a kind is measured on."""
    return {"hour": 24.0, "week": 168.0}.get(kind, TURN)


def wrap_into(values: ArrayLike, period: float = TURN) -> Floats:
    """The representative in [0, period); unlike a bare modulo it never returns the period itself.

    >>> float(wrap_into(25.5, 24.0))
    1.5
    """
    wrapped = np.mod(np.asarray(values, dtype=np.float64), period)
    return np.where(wrapped >= period, 0.0, wrapped)


def check_period(name: str, values: ArrayLike, period: float, *, wrap: bool) -> Floats:
    """Finite values in [0, period), or any with ``wrap``."""
    array = finite_array(name, values)
    if wrap:
        return wrap_into(array, period)
    if not ((array >= 0) & (array < period)).all():
        worst = array[(array < 0) | (array >= period)].flat[0]
        raise bad_input(name, float(worst), f"values in [0, {period:.6g})", "wrap=True (--wrap) takes them modulo it")
    return array


def check_unit(name: str, values: ArrayLike, *, normalise: bool = False) -> Floats:
    """Unit vectors along the last axis, exact to rounding.

    A length within 1e-6 of 1 (say, of float32 embeddings) counts as rounding and is divided out; any other length is
    an error unless ``normalise`` asks for the direction only. The zero vector has none.
    """
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        array: Floats = values  # NaN and infinity show in the length, so one pass over the data is enough
    else:
        array = finite_array(name, values)
    if array.ndim == 0 or array.shape[-1] < 2:
        raise bad_input(name, array.shape, "vectors of at least 2 coordinates along the last axis")
    squares = np.einsum("...i,...i->...", array, array)
    low = (1 - UNIT_TOLERANCE) ** 2
    high = (1 + UNIT_TOLERANCE) ** 2
    if not ((squares >= low) & (squares <= high)).all():  # also False for NaN
        array = finite_array(name, array)
        if normalise:
            scale = np.abs(array).max(axis=-1, keepdims=True)  # keeps squares of tiny and huge coordinates finite
            if (scale == 0).any():
                raise bad_input(name, 0.0, "a vector with a direction", "remove zero vectors first")
            array = array / scale
            squares = np.einsum("...i,...i->...", array, array)
        else:
            norms = np.linalg.norm(array, axis=-1)
            worst = float(np.ravel(norms)[np.argmax(np.abs(norms - 1))])
            remedy = "remove zero vectors first" if worst == 0 else "pass normalise=True to keep the direction only"
            raise bad_input(f"length of {name}", worst, "unit vectors (1 ± 1e-6)", remedy)
    if (np.abs(squares - 1) > 1e-15).any():
        array = array / np.sqrt(squares)[..., None]
    return array


def unit_vector(embedding: ArrayLike) -> Floats:
    """The direction of each vector along the last axis; refuses zero vectors.

    >>> unit_vector([[3.0, 4.0]])
    array([[0.6, 0.8]])
    """
    return check_unit("embedding", embedding, normalise=True)


def scaled_vector(vector: ArrayLike, length: float) -> Floats:
    """Unit vectors at a common, public length: the way back from directions to embeddings.

    The length of a single embedding is as private as its direction; release it apart, or use one length for all.

    >>> scaled_vector([[0.6, 0.8]], 10.0)
    array([[6., 8.]])
    """
    return check_unit("vector", vector) * positive("length", length)


def time_to_angle(time: ArrayLike, period: float = 24.0, *, wrap: bool = False) -> Floats:
    """A time in [0, period) as an angle in [0, 2π).

    >>> float(time_to_angle(6.0)) == math.pi / 2
    True
    """
    period = positive("period", period)
    return check_period("time", time, period, wrap=wrap) * (TURN / period)


def angle_to_time(angle: ArrayLike, period: float = 24.0) -> Floats:
    """An angle, taken modulo 2π, as a time in [0, period)."""
    period = positive("period", period)
    return wrap_into(finite_array("angle", angle) * (period / TURN), period)


def angle_to_vector(angle: ArrayLike) -> Floats:
    """(cos, sin) along a new last axis."""
    array = finite_array("angle", angle)
    return np.stack((np.cos(array), np.sin(array)), axis=-1)


def vector_to_angle(vector: ArrayLike) -> Floats:
    """The angle in [0, 2π) of vectors in the plane."""
    array = finite_array("vector", vector)
    if array.ndim == 0 or array.shape[-1] != 2:
        raise bad_input("vector", array.shape, "2 coordinates along the last axis")
    return wrap_into(np.arctan2(array[..., 1], array[..., 0]))


def latlon_to_vector(latlon: ArrayLike) -> Floats:
    """(cosφ cosλ, cosφ sinλ, sinφ) of latitude φ and longitude λ in degrees, along the last axis.

    >>> latlon_to_vector([[90.0, 0.0]]).round(12)
    array([[0., 0., 1.]])
    """
    array = finite_array("latlon", latlon)
    if array.ndim == 0 or array.shape[-1] != 2:
        raise bad_input("latlon", array.shape, "latitude and longitude along the last axis")
    if not (np.abs(array[..., 0]) <= 90).all():
        worst = np.ravel(array[..., 0])[np.argmax(np.abs(array[..., 0]))]
        raise bad_input("latitude", float(worst), "degrees in [−90, 90]", "latitude comes first, longitude second")
    if not (np.abs(array[..., 1]) <= 360).all():
        worst = np.ravel(array[..., 1])[np.argmax(np.abs(array[..., 1]))]
        raise bad_input("longitude", float(worst), "degrees in [−360, 360]")
    phi, lam = np.deg2rad(array[..., 0]), np.deg2rad(array[..., 1])
    return np.stack((np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)), axis=-1)


def vector_to_latlon(vector: ArrayLike) -> Floats:
    """Latitude in [−90, 90] and longitude in (−180, 180] of unit vectors in space, in degrees."""
    array = check_unit("vector", vector)
    if array.shape[-1] != 3:
        raise bad_input("vector", array.shape, "3 coordinates along the last axis")
    # atan2 keeps full precision near the poles, where arcsin would lose half the digits
    latitude = np.arctan2(array[..., 2], np.hypot(array[..., 0], array[..., 1]))
    longitude = np.arctan2(array[..., 1], array[..., 0])
    return np.rad2deg(np.stack((latitude, np.where(longitude == -math.pi, math.pi, longitude)), axis=-1))


def metres_to_radians(metres: float) -> float:
    """A distance on the ground as an angle at the centre of the Earth: 10 m is 1.57e-6."""
    return positive("metres", metres) / EARTH_RADIUS


def as_vectors(name: str, data: Any, kind: Kind, *, normalise: bool = False, wrap: bool = False) -> Floats:
    """Records of any kind as unit vectors along the last axis."""
    if kind == "vector":
        return check_unit(name, data, normalise=normalise)
    if kind == "latlon":
        return latlon_to_vector(data)
    period = period_of(kind)
    return angle_to_vector(check_period(name, data, period, wrap=wrap) * (TURN / period))


# --- the metrics of promises: the sum over the records, as independent releases compose ---------------------------

_ARC: dict[Kind, str] = {
    "vector": "angle",
    "angle": "arc",
    "hour": "clock arc",
    "week": "week arc",
    "latlon": "great-circle",
}
_CHORD: dict[Kind, str] = {
    "vector": "euclidean",
    "angle": "chord",
    "hour": "clock chord",
    "week": "week chord",
    "latlon": "great-circle chord",
}


def metric_name(kind: Kind, metric: Literal["angle", "chord"]) -> str:
    """The registered name of the metric of a promise for records of this kind; in radians of the sphere."""
    return (_ARC if metric == "angle" else _CHORD)[kind]


def arc_words(kind: Kind, radians: float) -> str:
    """A distance of the unit circle or sphere as people say it.

    >>> arc_words("latlon", metres_to_radians(200)), arc_words("hour", math.pi / 4), arc_words("angle", 0.5)
    ('200 m', '3 h', '0.5 rad')
    """
    if kind in ("hour", "week"):
        hours = radians * period_of(kind) / TURN
        return (
            f"{hours:.3g} h" if hours >= 1 else f"{hours * 60:.3g} min" if hours >= 1 / 60 else f"{hours * 3600:.2g} s"
        )
    if kind == "latlon":
        metres = radians * EARTH_RADIUS
        return f"{metres / 1000:.3g} km" if metres >= 1000 else f"{metres:.3g} m"
    return f"{radians:.3g} rad"


def _register(kind: Kind) -> None:
    def arc(x: Any, y: Any) -> float:
        return float(np.sum(angle_between(as_vectors("x", x, kind), as_vectors("y", y, kind))))

    def chord(x: Any, y: Any) -> float:
        return float(np.sum(chord_between(as_vectors("x", x, kind), as_vectors("y", y, kind))))

    def farthest(x: Any, y: Any) -> float:
        return float(np.max(angle_between(as_vectors("x", x, kind), as_vectors("y", y, kind)), initial=0.0))

    arcs, chords = _ARC[kind], _CHORD[kind]
    for name, function in ((arcs, arc), (chords, chord), (f"farthest {arcs}", farthest)):
        if kind == "vector" and function is not farthest:  # the metrics of vectors are there already
            continue
        function.__qualname__ = f"{name} distance"
        register_metric(name, function, said=partial(arc_words, kind) if kind not in ("angle", "vector") else None)


for _kind in get_args(Kind):
    _register(_kind)
