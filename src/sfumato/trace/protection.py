"""Protect a trace in one call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import is_frame
from sfumato.ledger import Vault
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Guarantee
from sfumato.release import Release, Terms
from sfumato.trace.core.gps import DECIMALS, Projection, time_name
from sfumato.trace.core.hidden_place import HiddenPlace, seen_at_other_times
from sfumato.trace.core.hidden_times import hidden_places
from sfumato.trace.core.kernel import Kernel
from sfumato.trace.core.prior_family import PriorFamily, family_of
from sfumato.trace.core.trace_points import TracePoints
from sfumato.trace.people.person_record import PersonRecord, Zone, request_digest
from sfumato.trace.returned.attacking import attack
from sfumato.trace.returned.beside_original import HOME, PLACES
from sfumato.trace.returned.evaluation import measure, recompute
from sfumato.trace.trace_method import TraceMethod, kinds
from sfumato.validate import choice

__all__ = ["ERROR", "OTHER_VISITS", "attack", "measure", "protect", "read_prior", "recompute"]

ERROR = "root mean square error"
OTHER_VISITS = "points at a hidden place at other times"
"""What the private key holds beside the hidden places."""
_MOST_DENSE = 3000
_MARGIN = 1200.0
"""Seconds from a hidden visit from which on a point near its place tells that somebody was there at another time."""
_DEAREST = 5.0
"""The largest error allowed unless another is named, in units of the radius."""


def protect(
    frame: Any,
    *,
    home: tuple[float, float] | None = None,
    secrets: Sequence[str | HiddenPlace] = (),
    daily: Sequence[str] = (),
    keep_times: bool = False,
    for_ever: bool = False,
    place: str = "home",
    mechanism: str | None = None,
    epsilon: float | None = None,
    radius: float = 200.0,
    order: float | None = None,
    margin: float | None = None,
    max_error: float | None = None,
    design: str | None = None,
    prior: PriorFamily | Kernel | Sequence[Kernel] | Mapping[str, Any] | None = None,
    zone: str | None = None,
    dedupe: bool = False,
    thin: float | None = None,
    settings: Mapping[str, Any] | None = None,
    terms: Terms | None = None,
    rng: Rng | None = None,
) -> Release:
    """Hide where somebody was, also from those who know how people move.

    What is said decides how: ``home`` deletes a zone that is drawn once and kept for ever; ``secrets`` and ``daily``
    leave out the points around hidden visits; with ``keep_times`` all points leave, with noise that hides the places.
    Nothing is decided by looking at the path. Times and places leave, in the order of time; every other column, such as
    the elevation, does not. Which places are hidden is in the private key only.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
        With columns ``time`` (or ``t``), ``latitude`` and ``longitude`` (or ``lat`` and ``lon``), such as
        ``read_table("day.gpx")`` gives.
    home : (latitude, longitude), optional
        Hide this place in a zone (:class:`~sfumato.trace.StickyZone`). ``terms`` must name a ledger and a subject: the
        zone is kept beside the ledger and applied to every release of that person.
    secrets : sequence of str or HiddenPlace
        When the place is secret: intervals of the first day such as ``"12:00-12:30"`` for a stay, ``"12:05"`` for a
        moment on the way, in ``zone``; ``"2024-05-02 12:00-12:30"`` names another day.
    daily : sequence of str
        Hours of every day, such as ``"22:00-06:00"``, always at the same place.
    keep_times : bool
        Keep every point and add noise (:class:`~sfumato.trace.PlaceNoise`) instead of leaving points out
        (:class:`~sfumato.trace.TimeCut`).
    for_ever : bool
        With ``keep_times``: draw the noise of the place once for all days (:class:`~sfumato.trace.LastingNoise`); kept
        beside the ledger.
    place : str
        The name of the place that is kept, where a person has several.
    mechanism : str, optional
        Another mechanism by its name; a wrong one lists all.
    epsilon : float, optional
        The loss between two places ``radius`` metres apart. 1 by default. That of a cut follows from
        ``margin``; a larger one than this is refused.
    radius : float
        Two places this far apart must not be told apart, in metres.
    order, design : optional
        The Rényi order, and the design of :class:`~sfumato.trace.TraceNoise`.
    margin : float, optional
        Seconds that are cut out on either side of a hidden visit. 20 minutes by default.
    max_error : float, optional
        Refuse noise with a larger root mean square error, in metres. Five times ``radius`` by default.
    prior : PriorFamily, Kernel, sequence of Kernel or mapping, optional
        What attackers may know of how people move; the shipped family by default.
    zone : str, optional
        The time zone of ``secrets`` and ``daily``, and of times in the frame that do not say theirs.
    dedupe : bool
        Keep the first of several points with one time, which are refused otherwise.
    thin : float, optional
        Keep no point sooner than this many seconds after the one before.
    settings : mapping, optional
        More parameters of the mechanism by name.
    terms : Terms, optional
        Who pays, and what is public.
    rng : numpy Generator, optional

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> minutes = range(180)
    >>> day = {"time": [60.0 * k for k in minutes], "latitude": [52.5] * 180, "longitude": [13.4] * 180}
    >>> release = protect(pa.table(day), secrets=["01:20-01:40"])
    >>> release.card.mechanism.name, release.card.release.rows
    ('time-cut', 119)
    """
    if not is_frame(frame):
        raise bad_input("frame", type(frame).__name__, "a pandas, Polars or Arrow table")
    terms, generator = terms or Terms(), resolve_rng(rng)
    if terms.person is not None:
        raise bad_input("person", terms.person, "no column of people", "a trace is of one person")
    name = _chosen(mechanism, home=home, hidden=bool(secrets or daily), keep_times=keep_times, for_ever=for_ever)
    named = {"order": order, "margin": margin, "design": design, "max_error": max_error}
    own = {key: value for key, value in named.items() if value is not None}
    if max_error is None and name in ("place-noise", "lasting-noise") and "max_error" not in (settings or {}):
        own["max_error"] = _DEAREST * radius
    method = TraceMethod(
        mechanism=name, prior=family_of(prior), radius=radius, epsilon=epsilon, settings={**own, **(settings or {})}
    )
    record = None
    if terms.ledger and terms.subject is not None:
        record = PersonRecord(Vault(terms.ledger), terms.subject)
    about = {"zone": zone, "dedupe": dedupe or None, "thin": thin}
    points = TracePoints.read(frame, {key: value for key, value in about.items() if value is not None})
    request = _Request(method, record, place, generator)
    if method.hides == "zone":
        return request.by_zone(points, home, terms)
    if home is not None:
        raise bad_input(
            "--home", home, f"nothing to hide with {name}", "a zone is a way of its own: leave the rest out"
        )
    if method.hides == "points":
        if secrets or daily:
            raise bad_input("--secret", secrets, f"none with {name}", "it protects every point, each on its own")
        return request.by_noise_or_cut(points, [], terms)
    return request.by_noise_or_cut(points, hidden_places(secrets, points.trace.times, daily=daily, zone=zone), terms)


def read_prior(text: str) -> dict[str, Any]:
    """A family of priors from JSON or from a file with JSON: ``{"name": …, "kernels": [{"kind": "Matern", …}]}``."""
    try:
        given = json.loads(text if text.lstrip().startswith("{") else Path(text).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise bad_input("--prior", text, 'JSON such as {"name": …, "kernels": […]}, or a file with it') from error
    family_of(given)
    return dict(given)


@dataclass(frozen=True, eq=False)
class _Request:
    """One call of :func:`protect` after its options were read."""

    method: TraceMethod
    record: PersonRecord | None
    place: str
    rng: Rng

    def by_zone(self, points: TracePoints, home: tuple[float, float] | None, terms: Terms) -> Release:
        """Delete the zone of a place, drawn now or before, and all other zones of the person."""
        if home is None:
            raise bad_input("--home", None, "the latitude and longitude to hide", "such as --home 52.5,13.4")
        if self.record is None:
            raise bad_input(
                "--home", "no ledger", "a ledger and a subject with it: the zone is drawn once and kept for ever",
                "name them with --ledger and --subject",
            )  # fmt: skip
        asked = self.method.build(points.trace.times, [], home=(0.0, 0.0), centre=None)
        size = {name: float(getattr(asked, name)) for name in ("epsilon", "radius", "order", "reach", "around")}
        fresh = self.place not in {zone.name for zone in self.record.zones()}
        zone = self.record.zone(self.place, _degrees(home), size, self.rng)
        others = [one for one in self.record.zones() if one.name != zone.name]
        points = _outside(points, [zone, *others])
        secrets = {HOME: list(zone.home), "centre": list(zone.centre)}
        return self._release(
            points, points.trace.latitude, points.trace.longitude, asked, asked.guarantee, [], terms,
            secrets=secrets, draws=fresh, zones=len(others),
        )  # fmt: skip

    def by_noise_or_cut(self, points: TracePoints, places: list[HiddenPlace], terms: Terms) -> Release:
        """Leave out points or add noise, after the zones that the person may have."""
        method, record = self.method, self.record
        zones = record.zones() if record is not None else []
        points = _outside(points, zones)
        times, first, last = points.trace.times, float(points.trace.times[0]), float(points.trace.times[-1])
        if method.hides in ("samples", "points") and len(times) > _MOST_DENSE:
            raise bad_input(
                "points", len(times), f"at most {_MOST_DENSE} with {method.mechanism}", "--thin, or leave --mechanism"
            )
        made = method.build(times, places)
        digest = request_digest(points.trace, places, method.public(made) | {"place": self.place})
        kept_back = record is not None and method.hides != "points"  # noise on each point is paid for every time
        if record is not None and kept_back:
            before = record.released(digest, points.frame)
            if before is not None:
                return before
        promise = method.promise(made)
        if method.lasts:
            if record is None:
                raise bad_input(
                    "--for-ever", "no ledger", "a ledger and a subject with it: the noise is drawn once and kept",
                    "name them with --ledger and --subject",
                )  # fmt: skip
            drawn = record.lasting(self.place, made, self.rng)
            made = method.build(times, places, **drawn)
            promise = method.promise(made)
        elif record is not None and kept_back:
            record.check_apart(first, last)
            if not promise.vacuous and record.has_budget:
                promise = replace(promise, apart=True)  # type: ignore[call-arg]
        plane = Projection.about(points.trace)
        path = plane.to_metres(points.trace.latitude, points.trace.longitude)
        if method.mechanism == "time-cut":
            points = points.only(made.kept)
            latitude, longitude = points.trace.latitude, points.trace.longitude
            draws = False
        else:
            latitude, longitude = plane.to_degrees(made.release(path, rng=self.rng))
            draws = True
        if zones:
            promise = max((zone.mechanism.guarantee for zone in zones), key=lambda one: one.delta)  # type: ignore[attr-defined]
        near = {"radius": method.radius, "margin": getattr(made, "margin", _MARGIN)}
        elsewhen = seen_at_other_times(times, path, places, **near) if places else 0
        release = self._release(
            points, latitude, longitude, made, promise, places, terms,
            secrets=_private(made, places) | ({OTHER_VISITS: elsewhen} if elsewhen else {}),
            draws=draws, zones=len(zones),
        )  # fmt: skip
        if record is not None and kept_back and not release.guarantee.vacuous:
            record.store(digest, release, first, last)
        return release

    def _release(
        self, points: TracePoints, latitude: NDArray[np.float64], longitude: NDArray[np.float64], made: Any,
        promise: Guarantee, places: Sequence[HiddenPlace], terms: Terms, *, secrets: Mapping[str, Any], draws: bool,
        zones: int,
    ) -> Release:  # fmt: skip
        """Put the papers together."""
        method = self.method
        table, left_out = points.released(latitude, longitude)
        when = time_name(table)
        deletes = method.hides == "zone" or method.mechanism == "time-cut"
        public = method.public(made) | {"decimals": DECIMALS, **points.about}
        return Release.make(
            table,
            kind="trace",
            mechanism=method.mechanism,
            guarantee=promise,
            per_person=method.total(promise, len(points.rows)),
            parameters=public | ({"zones": zones} if zones else {}),
            roles={name: "kept" if name == when or deletes else "protected" for name in table.column_names},
            rows=points.rows.astype(np.int64),
            ordered=True,
            secrets=secrets,
            not_covered=_not_covered(method, left_out, zones),
            terms=terms,
            rng=self.rng,
            draws=draws,
            technique="suppression" if deletes else "noise addition",
            like=points.frame,
        )


def _chosen(mechanism: str | None, *, home: Any, hidden: bool, keep_times: bool, for_ever: bool) -> str:
    """The mechanism that follows from what the user said."""
    if mechanism is not None:
        if keep_times or for_ever:
            raise bad_input("--keep-times", mechanism, "no --mechanism beside it", "leave one of them out")
        return choice("mechanism", mechanism, list(kinds()))
    if home is not None:
        if hidden or keep_times or for_ever:
            raise bad_input(
                "--home", "with --secret", "one way to hide at a time", "make the zone first; it stays for all releases"
            )
        return "sticky-zone"
    if not hidden:
        raise bad_input(
            "--home, --secret, --daily", None, "what is secret", "a place to hide for ever, or when it was visited"
        )
    if for_ever and not keep_times:
        raise bad_input("--for-ever", "a cut", "--keep-times beside it", "a cut needs no noise; --home lasts for ever")
    return "lasting-noise" if for_ever else "place-noise" if keep_times else "time-cut"


def _degrees(home: tuple[float, float]) -> tuple[float, float]:
    try:
        latitude, longitude = (float(part) for part in home)
    except (TypeError, ValueError):
        raise bad_input("--home", home, "latitude and longitude, such as 52.5,13.4") from None
    if not (abs(latitude) <= 90 and abs(longitude) <= 180):
        raise bad_input("--home", home, "degrees from −90 to 90 and from −180 to 180")
    return latitude, longitude


def _outside(points: TracePoints, zones: Sequence[Zone]) -> TracePoints:
    """The points outside all zones of the person."""
    if not zones:
        return points
    kept = np.ones(len(points.rows), np.bool_)
    for zone in zones:
        kept &= zone.kept(points.trace)
    return points.only(kept)


def _private(mechanism: Any, places: Sequence[HiddenPlace]) -> dict[str, Any]:
    """For the key: what was hidden, and the error that the noise was made for."""
    if not places:
        return {}
    found: dict[str, Any] = {PLACES: [[list(visit) for visit in place.visits] for place in places]}
    if hasattr(mechanism, "noise"):
        found[ERROR] = float(mechanism.plane_error)
    elif hasattr(mechanism, "covariance"):
        found[ERROR] = float(np.sqrt(2 * np.trace(mechanism.covariance) / len(mechanism.covariance)))
    return found


def _not_covered(method: TraceMethod, left_out: Sequence[str], zones: int) -> list[str]:
    """What the promise does not say anything about."""
    if method.hides == "zone":
        found = [
            "what the path outside the zone tells, such as the district",
            "the times, which are released as they are",
        ]
    elif method.mechanism == "time-cut":
        found = ["which times were hidden: they are missing", "places at other times, which are exact"]
    elif method.hides == "points":
        found = ["the times, which are released as they are", "the number of points"]
        found.append("what neighbouring points tell together: the promise is for each point alone")
    else:
        found = ["the times, which are released as they are", "the number of points"]
        found += ["places at other times than the secret ones", "which times were secret"]
    if method.hides == "places":
        found += ["a place at which somebody stayed longer than was said, or to which they came back"]
        found += ["single moments of a stay, if there was movement in it", "what a map or other people's paths tell"]
    if zones and method.hides != "zone":
        found.append("the ε of the other hidden places, which the edge of the zone may tell about")
    return found + ([f"left out of the release: {', '.join(left_out)}"] if left_out else [])
