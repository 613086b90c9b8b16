"""Traces: what learning attackers find of real moments, stays and homes under the defaults, beside the old default."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from sfumato.errors import DataMissingError
from sfumato.io.datasets.geolife import load_geolife
from sfumato.io.frames import column, numbers
from sfumato.noise import seeded_rng
from sfumato.trace import (
    RBF,
    Crowd,
    EvidenceAttack,
    HiddenPlace,
    MapAttack,
    PlaceNoise,
    Projection,
    Secret,
    Sighting,
    StayAttack,
    StickyZone,
    TimeCut,
    TraceNoise,
    White,
    ZoneAttack,
)
from sfumato.trace.attacks.locating import LocationAttack
from sfumato.trace.data.public_traces import Piece, geolife_homes, moving_pieces, stay_pieces

MOST, SLOW = 40, 15
RADIUS, EPSILON = 200.0, 1.0
MOMENTS = [  # source, seconds between points, length of a piece in seconds; addenda §3: old default, family
    ("geolife-dense", 1.0, 300.0, "10 m, 1.00, 1.00", "246 m, .02, .38"),
    ("geolife-dense", 5.0, 300.0, "29 m, .67, 1.00", "211 m, .02, .48"),
    ("geolife-dense", 30.0, 300.0, "–", "–"),
    ("geolife", 60.0, 7200.0, "236 m, .07, .40", "330 m, .05, .23"),
    ("cabs", 60.0, 7200.0, "–", "–"),
]
STAYS = [("geolife", "137 m, –, .83", "302 m, –, .30", "2092 m, –, .04"), ("cabs", "–", "–", "–")]


def section() -> str:
    head = [
        "## Traces: what attackers find (addenda §3)",
        "",
        f"The defaults at r = {RADIUS:g} m and ε = {EPSILON:g} on real traces, beside the old default (RBF of six "
        "samples, one secret a point). Each cell: median error of the best attacker, and the largest shares that any "
        "attacker finds within 50 and 200 m; what it costs in brackets. The attackers know the mechanism and its noise "
        "and learn the kernel from each release.",
    ]
    try:
        return "\n\n".join(["\n".join(head), moments(), stays(), homes()])
    except DataMissingError as error:
        return "\n".join([*head, "", f"Not computed: {error}"])


def moments() -> str:
    lines = [
        "### One moment on the move",
        "",
        "A cut leaves nothing of a five-minute piece, so it is tried on pieces of two hours only.",
        "",
        "| data | between points | pieces | old default | addenda | place noise | addenda | cut of 20 minutes |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for source, every, span, before, after in MOMENTS:
        pieces = moving_pieces(source, every=every, span=span, most=MOST)  # type: ignore[arg-type]
        found = tried(pieces, stay=False, cut=span > 3600)
        lines.append(
            f"| {source} | {every:g} s | {len(pieces)} | {found['old']} | {before} | **{found['place']}** | {after} "
            f"| {found.get('cut', '–')} |"
        )
    lines += ["", on_a_map()]
    return "\n".join(lines)


def stays() -> str:
    lines = [
        "### Stays of 15 minutes and more",
        "",
        "One point a minute, an hour before and after. The sets have no dense stays. The old default is tried on the "
        f"first {SLOW} stays of at most an hour: it takes long.",
        "",
        "| data | stays | old default | addenda | place noise | addenda | cut of 20 minutes | addenda |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for source, before, after, cut in STAYS:
        pieces = stay_pieces(source, every=60.0, most=MOST)  # type: ignore[arg-type]
        found = tried(pieces, stay=True, cut=True)
        lines.append(
            f"| {source} | {len(pieces)} | {found['old']} | {before} | **{found['place']}** | {after} "
            f"| **{found['cut']}** | {cut} |"
        )
    return "\n".join(lines)


def old_default(piece: Piece, inside: np.ndarray) -> TraceNoise:
    """An RBF kernel of six sampling periods, each point of the interval a secret of its own."""
    length = 6 * float(np.median(np.diff(piece.times)))
    prior = RBF(length=length, variance=3000.0**2) + White(variance=25.0)
    secrets = [Secret((int(k),)) for k in inside]
    return TraceNoise(prior=prior, times=piece.times, secrets=secrets, radius=RADIUS, epsilon=EPSILON)


def tried(pieces: Sequence[Piece], *, stay: bool, cut: bool) -> dict[str, str]:
    """The best of all attackers on each mechanism, in words."""
    errors: dict[str, dict[str, list[float]]] = {}
    costs: dict[str, list[float]] = {}
    rng = seeded_rng(7)
    for piece in pieces:
        inside = np.flatnonzero((piece.times >= piece.hidden[0]) & (piece.times <= piece.hidden[1]))
        places = [HiddenPlace((piece.hidden,))]
        made: dict[str, Callable[[], Any]] = {"place": lambda p=places, t=piece.times: PlaceNoise(places=p, times=t)}  # type: ignore[misc]
        if len(inside) <= 60 and (not stay or len(costs.get("old", ())) < SLOW):  # it takes up to a minute each
            made["old"] = lambda p=piece, k=inside: old_default(p, k)  # type: ignore[misc]
        if cut:
            made["cut"] = lambda p=places, t=piece.times: TimeCut(places=p, times=t)  # type: ignore[misc]
        secrets = [Secret((int(k),)) for k in inside]
        for name, make in made.items():
            mechanism = make()
            release = mechanism.release(piece.path, rng=rng)
            if len(release) < 5:
                continue
            costs.setdefault(name, []).append(_cost(mechanism, piece))
            for label, attack in attackers(piece, secrets, stay).items():
                found = attack.errors(piece.path, release, mechanism=mechanism, rng=rng)
                errors.setdefault(name, {}).setdefault(label, []).append(float(found[0]))
    unit = {"old": " m", "place": " m", "cut": " % of points"}
    return {name: f"{best(by.values())} [{np.median(costs[name]):.0f}{unit[name]}]" for name, by in errors.items()}


def attackers(piece: Piece, secrets: Sequence[Secret], stay: bool) -> dict[str, LocationAttack]:
    given: dict[str, Any] = {"times": piece.times, "secrets": secrets}
    found: dict[str, LocationAttack] = {"path": EvidenceAttack(**given)}
    for by in ("neighbours", "blue", *(("mean", "stop") if stay else ())):
        found[by] = StayAttack(**given, by=by)  # type: ignore[arg-type]
    if stay:
        found["stay"] = EvidenceAttack(**given, stay=True)
    return found


def best(errors: Iterable[Sequence[float]]) -> str:
    """The smallest median of all attackers, and their largest shares within 50 and 200 m."""
    arrays = [np.asarray(one) for one in errors]
    median = min(float(np.median(one)) for one in arrays)
    near, wide = (max(float((one <= radius).mean()) for one in arrays) for radius in (50, 200))
    return f"{median:.0f} m, {_share(near)}, {_share(wide)}"


def _share(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".")


def _cost(mechanism: Any, piece: Piece) -> float:
    """Root mean square error in the plane, or the share of points left out in percent."""
    if isinstance(mechanism, TimeCut):
        return 100 * float((~mechanism.kept).mean())
    return float(np.sqrt(2 * np.trace(mechanism.covariance) / len(piece.times)))


def on_a_map() -> str:
    """Moments of GeoLife at 60 s, with a map of other people's points."""
    table = load_geolife()
    users, latitude, longitude = column(table, "user"), numbers(table, "lat"), numbers(table, "lon")
    pieces = moving_pieces("geolife", every=60.0, span=7200.0, most=MOST // 2)
    rng, found = seeded_rng(11), {"with": [], "without": []}  # type: ignore[var-annotated]
    for piece in pieces:
        plane = Projection(*piece.centre)
        others = (users != piece.user) & (np.abs(latitude - piece.centre[0]) < 0.3)
        others &= np.abs(longitude - piece.centre[1]) < 0.3
        points = plane.to_metres(latitude[others], longitude[others])
        low, high = piece.path.min(0) - 3000, piece.path.max(0) + 3000
        points = points[((points > low) & (points < high)).all(axis=1)]
        if len(points) < 1000:
            continue
        inside = np.flatnonzero(piece.times >= piece.hidden[0])[:1]
        mechanism = PlaceNoise(places=[HiddenPlace((piece.hidden,))], times=piece.times)
        release = mechanism.release(piece.path, rng=rng)
        given: dict[str, Any] = {"times": piece.times, "secrets": [Secret((int(inside[0]),))]}
        cell = max(30.0, float(np.sqrt(np.prod(high - low) / 3e6)))
        attacks = {
            "with": MapAttack(**given, crowd=Crowd(points=points, cell=cell)),
            "without": EvidenceAttack(**given),
        }
        for name, attack in attacks.items():
            found[name].append(float(attack.errors(piece.path, release, mechanism=mechanism, rng=rng)[0]))
    return (
        f"With a map of other people's points (GeoLife, 60 s, {len(found['with'])} pieces with place noise): "
        f"{best([found['with']])}; the same attacker without it: {best([found['without']])}. "
        "Maps are outside the promise."
    )


def homes() -> str:
    """Sticky zones on people with a place where their trips begin or end."""
    rng = seeded_rng(3)
    ways = ("centre", "ends", "rays", "both")
    errors: dict[str, list[float]] = {way: [] for way in (*ways, "told")}
    lost, people = [], geolife_homes(most=2 * MOST)
    for _, home, trips in people:
        zone = StickyZone(epsilon=EPSILON, home=tuple(home), radius=RADIUS)
        middle = zone.draw(rng=rng)
        kept = [(times, path, zone.kept(path, middle)) for times, path in trips]
        lost.append(1 - sum(k.sum() for *_, k in kept) / sum(len(k) for *_, k in kept))
        days = [Sighting(times=times[k], path=path[k]) for times, path, k in kept if k.sum() >= 3]
        if not days:
            continue
        errors["told"].append(float(np.linalg.norm(np.array(middle) - home)))
        for way in ways:
            given: dict[str, Any] = {"times": [0.0, 1.0], "secrets": [Secret((0,))], "by": way}
            attack = ZoneAttack(**given, reach=zone.reach, deviation=zone.deviation)
            errors[way].append(float(np.linalg.norm(attack.find(days) - home)))
    lines = [
        "### Homes in a sticky zone",
        "",
        f"{len(errors['told'])} people of GeoLife at 60 s, up to 100 trips each, R = {zone.reach:g} m; the zone takes "
        f"{100 * float(np.median(lost)):.0f} % of the points of trips that touch home. Addenda §3: best attacker "
        "240 m, .36 within 200 m (R = 1000 m); by the law of the zone 235 m, .39.",
        "",
        "| attacker | median error, within 50 m, within 200 m |",
        "|---|---|",
    ]
    named = {
        "told": "is told the centre of the zone",
        "centre": "fits the zone to the ends of the trips",
        "ends": "mean of the ends",
        "rays": "where the ways into the zone meet",
        "both": "centre and ways",
    }
    lines += [f"| {words} | {best([errors[way]])} |" for way, words in named.items()]
    return "\n".join(lines)
