"""Protect a trace in one call, attack and measure the release, and compute again what its card says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import SfumatoError, bad_input
from sfumato.io.frames import is_frame, to_arrow
from sfumato.noise import Rng, resolve_rng, seeded_rng
from sfumato.release import Check, Release, Terms
from sfumato.study.score import Finding, Score
from sfumato.trace.attacks.linkage import LinkageAttack
from sfumato.trace.core.gps import DECIMALS, GpsTrace, Projection, place_names, rounded, time_name, trace_of
from sfumato.trace.core.secret import Secret, all_basic
from sfumato.trace.room import ROOM
from sfumato.trace.trace_method import TraceMethod, kinds, secrets_of, walking_prior
from sfumato.validate import choice

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ERROR", "SECRETS", "attack", "measure", "protect", "recompute"]

Path = NDArray[np.float64]
_MOST_POINTS = 3000
SECRETS, ERROR = "secrets", "root mean square error"
"""What the private key holds."""
_WALK = 1.4
"""Metres a second on foot."""
_MAP_CELL = 500.0
_MOST_CELLS = 30_000_000
"""Of a map for each time, which is what tracking along streets holds."""


def protect(
    frame: Any,
    *,
    secrets: Sequence[str | Secret] = (),
    mechanism: str = "trace-noise",
    epsilon: float | None = None,
    radius: float = 200.0,
    order: float | None = None,
    design: str | None = None,
    jointly: bool = False,
    length: float | None = None,
    spread: float = 3000.0,
    zone: str = "UTC",
    settings: Mapping[str, Any] | None = None,
    terms: Terms | None = None,
    rng: Rng | None = None,
) -> Release:
    """Hide where somebody was at secret times, also from those who know how people move.

    Times and places leave, in the order of time; every other column, such as the elevation, is left out. The times of
    the secrets are in the private key only, and so the card states the ε that was asked for.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
        With columns ``time`` (or ``t``), ``latitude`` and ``longitude`` (or ``lat`` and ``lon``), such as
        ``read_table("day.gpx")`` gives.
    secrets : sequence of str or Secret
        When the place is secret: intervals of the first day such as ``"12:00-12:30"``, in ``zone``. For
        ``"trace-noise"``.
    mechanism : str
        Its name; a wrong one lists all. ``"remapped-planar"`` protects every point on its own.
    epsilon : float, optional
        The loss between two places ``radius`` metres apart: the Rényi ε of each secret, or the ε of each point. 1 by
        default.
    radius : float
        Two places this far apart must not be told apart, in metres.
    order, design : optional
        As in :class:`~sfumato.trace.TraceNoise`.
    jointly : bool
        Hide all times of an interval together, not each of them.
    length : float, optional
        Length scale of the path in seconds: public knowledge of how people move. 6 sampling periods by default.
    spread : float
        Standard deviation of a place around the middle of the path, in metres.
    settings : mapping, optional
        More parameters of the mechanism by name.
    terms : Terms, optional
        Who pays, and what is public.
    rng : numpy Generator, optional

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> day = {"time": [60.0 * k for k in range(20)], "latitude": [52.5] * 20, "longitude": [13.4] * 20}
    >>> release = protect(pa.table(day), secrets=["00:05-00:06"], epsilon=1.0)
    >>> release.data.column_names, release.card.release.order_shuffled
    (['time', 'latitude', 'longitude'], False)
    """
    choice("mechanism", mechanism, list(kinds()))
    if not is_frame(frame):
        raise bad_input("frame", type(frame).__name__, "a pandas, Polars or Arrow table")
    terms, generator = terms or Terms(), resolve_rng(rng)
    if terms.person is not None:
        raise bad_input("person", terms.person, "no column of people", "a trace is of one person")
    table = to_arrow(frame)
    trace = trace_of(table)
    if len(trace.times) > _MOST_POINTS:
        raise bad_input(
            "points", len(trace.times), f"at most {_MOST_POINTS}", "thin the trace: the work grows with the cube"
        )
    own = {name: value for name, value in (("order", order), ("design", design)) if value is not None}
    method = TraceMethod(
        mechanism=mechanism,
        prior=walking_prior(trace.times, length, spread),
        radius=radius,
        epsilon=epsilon,
        settings={**own, **(settings or {})},
    )
    if method.each_point and (secrets or jointly):
        raise bad_input("--secret", secrets, f"none with {mechanism}", "it protects every point, each on its own")
    hidden_times = [] if method.each_point else secrets_of(secrets, trace.times, zone=zone, jointly=jointly)
    made = method.build(trace.times, hidden_times)
    plane = Projection.about(trace)
    hidden = made.release(plane.to_metres(trace.latitude, trace.longitude), rng=generator)
    released, left_out = _released(table, *plane.to_degrees(hidden))
    promise = method.promise(made)
    when = time_name(table)
    return Release.make(
        released,
        kind="trace",
        mechanism=mechanism,
        guarantee=promise,
        per_person=method.total(promise, len(trace.times)),
        parameters=method.public(made) | {"decimals": DECIMALS},
        roles={name: "kept" if name == when else "protected" for name in released.column_names},
        rows=np.arange(len(trace.times)),
        ordered=True,
        secrets=_private(made, hidden_times),
        not_covered=_not_covered(method, left_out),
        terms=terms,
        rng=generator,
        technique="noise addition",
        like=frame,
    )


def attack(original: Any, release: Release, *, seed: int = 0) -> list[Finding]:
    """Try to locate the secret places and the stops. Of ``trace-noise`` this takes the private key.

    The attacker knows the method and its parameters, how people move, and which times were secret.
    """
    method = TraceMethod.of_card(release.card)
    times, truth, seen = _aligned(original, release)
    secrets = _secret_times(method, release, len(times))
    mechanism = method.build(times, [] if method.each_point else secrets)
    context: dict[str, Any] = {"times": times, "secrets": secrets, "radius": method.radius, "prior": method.prior}
    context |= {"duration": 4 * float(np.median(np.diff(times))), "speed": _WALK, "streets": 0.0}
    context["cell"] = _tracking_cell(truth, method.radius)
    fitted = [_fitted(one, context) for one, *_ in ROOM.attacks()]
    context["attacks"] = tuple(one for one in fitted if hasattr(one, "secrets"))

    def run(one: Any) -> Score:
        if isinstance(one, LinkageAttack):
            raise bad_input("original", "the trace of one person", "traces of several people, to tell them apart")
        found: Score = one.attack(truth, seen, mechanism=mechanism, rng=seeded_rng(seed))
        return found

    return [Finding.of(_fitted(one, context), run) for one in fitted]


def measure(original: Any, release: Release, *, seed: int = 0) -> list[Finding]:
    """How far the released path, its speeds, stops and map are off."""
    method = TraceMethod.of_card(release.card)
    times, truth, seen = _aligned(original, release)
    context: dict[str, Any] = {"times": times, "radius": 2 * method.radius, "cell": _MAP_CELL}
    context["duration"] = 4 * float(np.median(np.diff(times)))

    def run(one: Any) -> Score:
        found: Score = one.measure(truth, seen, rng=seeded_rng(seed))
        return found

    return [Finding.of(_fitted(one, context), run) for one, *_ in ROOM.utilities()]


def recompute(release: Release) -> list[Check]:
    """Check that there is a time and a place in each row and nothing else, and that places lie on the grid."""
    card, table = release.card, release.arrow
    try:
        trace = trace_of(table)
    except SfumatoError as error:
        return [Check(name="columns", result="fails", words=str(error))]
    beside = _beside(table)
    whole = not beside and table.num_rows == card.release.rows
    on_grid = (
        all(np.array_equal(rounded(degrees), degrees) for degrees in (trace.latitude, trace.longitude))
        and card.mechanism.parameters.get("decimals") == DECIMALS
    )
    return [
        Check.that(
            "columns", whole, "times and places, as many as the card says", "columns or rows differ from the card"
        ),
        Check.that(
            "grid",
            on_grid,
            f"every place has at most {DECIMALS} decimals",
            f"a place has more than the {DECIMALS} decimals that leave: it was edited",
        ),
    ]


def _beside(table: pa.Table) -> list[str]:
    """Columns with something in them beside times and places; GPX numbers its tracks."""
    known = {time_name(table), *place_names(table), "track"}
    return [name for name in table.column_names if name not in known and table[name].null_count < table.num_rows]


def _released(table: pa.Table, latitude: Path, longitude: Path) -> tuple[pa.Table, list[str]]:
    """Times as they came and places to five decimals, under the names of the input; and what is left out."""
    import pyarrow as pa

    lon, lat = place_names(table)
    columns = {time_name(table): table[time_name(table)], lat: pa.array(rounded(latitude))}
    columns[lon] = pa.array(rounded(longitude))
    left_out = _beside(table)
    if "track" in table.column_names and len(table["track"].unique()) > 1:
        left_out.append("where one track ends and the next begins")
    return pa.table({name: columns[name] for name in table.column_names if name in columns}), left_out


def _private(mechanism: Any, secrets: Sequence[Secret]) -> dict[str, Any]:
    """For the key: which points are secret, and the error that the noise was made for."""
    if not secrets:
        return {}
    error = float(np.sqrt(2 * np.trace(mechanism.covariance) / len(mechanism.covariance)))
    return {SECRETS: [list(one.indices) for one in secrets], ERROR: error}


def _not_covered(method: TraceMethod, left_out: Sequence[str]) -> list[str]:
    found = ["the times, which are released as they are", "the number of points"]
    if method.each_point:
        found.append("what neighbouring points tell together: the promise is for each point alone")
    else:
        found += ["places at other times than the secret ones", "which times were secret"]
    return found + ([f"left out of the release: {', '.join(left_out)}"] if left_out else [])


def _aligned(original: Any, release: Release) -> tuple[Path, Path, Path]:
    """Times, true and released places in metres."""
    first, second = trace_of(original), trace_of(release.arrow)
    release.input_rows(len(first.times))
    if len(first.times) != len(second.times) or np.abs(first.times - second.times).max() > 1:
        raise bad_input("release", "other times", "the times of the original", "compare a trace with its own release")
    plane = Projection.about(first)
    return first.times, _metres(plane, first), _metres(plane, second)


def _metres(plane: Projection, trace: GpsTrace) -> Path:
    return plane.to_metres(trace.latitude, trace.longitude)


def _secret_times(method: TraceMethod, release: Release, points: int) -> list[Secret]:
    if method.each_point:
        return all_basic(points)
    held = release.key.secrets.get(SECRETS)
    if held is None:
        raise bad_input("key", None, "the private key: it says which times were secret", "protect --key FILE writes it")
    return [Secret(tuple(indices)) for indices in held]


def _tracking_cell(truth: Path, radius: float) -> float:
    """Half the radius, or as much more as the size of the region asks for."""
    width, height = np.ptp(truth, axis=0) + 6 * radius
    return max(radius / 2, float(np.sqrt(width * height * len(truth) / _MOST_CELLS)))


def _fitted(example: Any, context: Mapping[str, Any]) -> Any:
    """A registered attack or utility with what is known here in place of the values of its example."""
    known = {one.name: context[one.name] for one in fields(example) if one.name in context}
    return replace(example, **known)
