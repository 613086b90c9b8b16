"""Traces: what learning attackers find of real moments, stays and homes under the defaults, beside the old default.

A row is kept until the code of the attacks and mechanisms, or what it uses of this file, changes.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import sfumato.trace
from reproduction._rows import row
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
    fit_kernel,
    walking_family,
)
from sfumato.trace.attacks.locating import LocationAttack
from sfumato.trace.attacks.sighting import targets
from sfumato.trace.core.hidden_place import OperationalClock
from sfumato.trace.core.state_space import markov_parts
from sfumato.trace.data.public_traces import Piece, geolife_homes, moving_pieces, stay_pieces

PIECES, STAYS, OLD_STAYS, HOMES = 30, 60, 4, 40
REPEATS = 2
"""Releases of each piece with place noise: what differs between runs is mostly the draw of the noise."""
RADIUS, EPSILON = 200.0, 1.0
ALLOWED = RADIUS * math.sqrt(2 * math.log(2))
LAW = f"{ALLOWED:.0f} m, .03, .39"
"""Of an attacker who knows nothing beforehand and is told as much as ε = 1 allows: a normal law of deviation r."""
MOMENTS = [  # source, seconds between points, length of a piece in seconds; addenda §3: old default, family
    ("geolife-dense", 1.0, 300.0, "10 m, 1.00, 1.00", "246 m, .02, .38"),
    ("geolife-dense", 5.0, 300.0, "29 m, .67, 1.00", "211 m, .02, .48"),
    ("geolife-dense", 30.0, 300.0, "–", "–"),
    ("geolife", 60.0, 7200.0, "236 m, .07, .40", "330 m, .05, .23"),
    ("cabs", 60.0, 7200.0, "–", "–"),
]
PLACES = [  # source, hide the whole stay; addenda §3: old default, place noise
    ("geolife", True, "137 m, –, .83", "302 m, –, .30"),
    ("geolife", False, "137 m, –, .83", "302 m, –, .30"),
    ("cabs", True, "–", "–"),
    ("cabs", False, "–", "–"),
    ("made up", True, "–", "–"),
]
ADDENDA_TRACES, ADDENDA_STAYS = 60, 33


def section() -> str:
    head = [
        "## Traces: what attackers find (addenda §3)",
        "",
        f"The defaults at r = {RADIUS:g} m and ε = {EPSILON:g} on real traces, beside the old default (RBF of six "
        "samples, one secret a point). Each cell: median error of the best attacker, and the largest shares that any "
        "attacker finds within 50 and 200 m; what it costs in square brackets. The attackers know the mechanism and "
        "its noise and learn the kernel from each release. The promise itself allows an attacker without a prior "
        f"{LAW}.",
    ]
    start = time.process_time()
    try:
        parts = [moments(), stays(), homes()]
    except DataMissingError as error:
        return "\n".join([*head, "", f"Not computed: {error}"])
    print(f"trace_attacks: {time.process_time() - start:.0f} CPU seconds, less what was kept")
    return "\n\n".join(["\n".join(head), *parts])


def kept(parameters: Mapping[str, Any], work: Callable[[], Any]) -> Any:
    """What ``work`` gave for these parameters before, if the code is the same, that of traces too; else a new row."""
    folder = Path(sfumato.trace.__file__).parent
    used = [
        path for part in ("attacks", "core", "data", "designs", "mechanisms") for path in (folder / part).glob("*.py")
    ]
    library = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(used))).hexdigest()
    name = ", ".join(["trace attacks", *map(str, parameters.values())])
    return row(name, work, data=("cabspotting", "geolife"), library=library, **parameters)


# ── moments ──────────────────────────────────────────────────────────────────────────────────────────────────────


def moments() -> str:
    lines = [
        "### One moment on the move",
        "",
        f"At most {PIECES} pieces, two of a person at most; place noise is drawn {REPEATS} times for each. A cut of 20 "
        "minutes leaves nothing of a five-minute piece, so it is tried on pieces of two hours only. The addenda's "
        "attacker is the learned path alone. Own ε: that of the noise under the kernel that fits the piece best.",
        "",
        "| data | between points | pieces | old default | addenda | place noise | learned path alone | addenda "
        "| own ε, median and largest | cut of 20 minutes |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    verdicts = []
    for source, every, span, before, after in MOMENTS:
        found = kept(
            {"of": "moments", "source": source, "every": every, "span": span, "most": PIECES, "repeats": REPEATS},
            lambda source=source, every=every, span=span: tried(  # type: ignore[misc]
                moving_pieces(source, every=every, span=span, most=PIECES),
                stay=False, old=PIECES, cut=span > 3600,
            ),
        )  # fmt: skip
        place = found["errors"]["place"]
        lines.append(
            f"| {source} | {every:g} s | {found['pieces']} | {cell(found, 'old')} | {before} "
            f"| **{cell(found, 'place')}** | {best([place['path']])} | {after} "
            f"| {np.median(found['own']):.2f}, {max(found['own']):.2f} | {cell(found, 'cut')} |"
        )
        if after != "–":
            verdicts.append(f"{every:g} s: {against(place['path'], found['pieces'], float(after.split(' m')[0]))}")
    lines += ["", f"The learned path's median beside the addenda's: {'; '.join(verdicts)}.", "", on_a_map()]
    return "\n".join(lines)


def against(errors: Sequence[float], pieces: int, theirs: float, *, of: int = ADDENDA_TRACES) -> str:
    """Whether two medians differ by more than chance; that of n normal guesses has the standard error m/(2 ln 2 √n).

    The releases of a piece are not independent guesses, so that the pieces are counted.
    """
    ours = float(np.median(errors))
    error = math.hypot(ours / math.sqrt(pieces), theirs / math.sqrt(of)) / (2 * math.log(2))
    apart = abs(ours - theirs) / error
    words = "within what chance explains" if apart < 2 else "more than chance explains"
    return f"{ours:.0f} and {theirs:.0f} m, {apart:.1f} standard errors apart, {words}"


# ── stays ────────────────────────────────────────────────────────────────────────────────────────────────────────


def stays() -> str:
    lines = [
        "### Stays of 15 minutes and more",
        "",
        "One point a minute, an hour before and after. A stay is told in two ways: all points within 250 m of its "
        "middle are hidden (whole), or those within 100 m of its first point alone (tight), so that the last steps to "
        "the place are not hidden as part of it. In the row “made up” the paths are drawn from the kernels of the "
        "family in turn, at the times of the whole stays of GeoLife. The old default is tried on the first "
        f"{OLD_STAYS} stays of at most 40 points. The addenda's attackers are the mean, the best linear estimate, the "
        f"points beside the stay and the path learned with a stay in it. {dense_stays()}",
        "",
        "| data | stay | stays | old default | addenda | place noise | the addenda's attackers alone | addenda |",
        "|---|---|---|---|---|---|---|---|",
    ]
    cuts = [
        "A cut hides a place only if it is not shown at another time. Some people stayed longer than the hidden "
        f"interval and 20 minutes, or came back: of them released points lie within {RADIUS:g} m of the place. The "
        "addenda do not say how often that was so among theirs (2092 m, –, .04).",
        "",
        "| data | stay | cut of 20 minutes | of whom shown at another time | these | the others |",
        "|---|---|---|---|---|---|",
    ]
    verdicts: list[str] = []
    medians: list[tuple[float, int, str]] = []
    winners: list[bool] = []
    for source, whole, before, after in PLACES:
        found = kept(
            {"of": "stays", "source": source, "whole": whole, "most": STAYS, "repeats": REPEATS, "old": OLD_STAYS},
            lambda source=source, whole=whole: tried(  # type: ignore[misc]
                stays_of(source, whole), stay=True, old=0 if source == "made up" else OLD_STAYS, cut=True
            ),
        )
        kind, place, cut = "whole" if whole else "tight", found["errors"]["place"], found["errors"]["cut"]
        theirs = [place[name] for name in ("mean", "blue", "neighbours", "stay")]
        lines.append(
            f"| {source} | {kind} | {found['pieces']} | {cell(found, 'old')} | {before} | **{cell(found, 'place')}** "
            f"| {best(theirs)} | {after} |"
        )
        if after != "–":
            least = min(theirs, key=np.median)
            number = float(after.split(" m")[0])
            verdicts.append(f"{kind}: {against(least, found['pieces'], number, of=ADDENDA_STAYS)}")
        strongest = min(place, key=lambda name: float(np.median(place[name])))
        medians.append((float(np.median(place[strongest])), found["pieces"], f"{source}, {kind}"))
        winners.append(strongest == "path")
        shown = np.array(found["shown"]) > 0
        parts = [best([np.array(one)[which] for one in cut.values()]) for which in (shown, ~shown) if which.any()]
        cuts.append(
            f"| {source} | {kind} | **{cell(found, 'cut')}** | {int(shown.sum())} of {len(shown)} "
            f"| {' | '.join(parts)} |"
        )
    least, pieces, where = min(medians)
    error = least / (2 * math.log(2) * math.sqrt(pieces))
    told = (
        "The median of the best of the addenda's attackers beside theirs, GeoLife: " + "; ".join(verdicts) + ". The "
        "path learned without a stay in it, which the addenda did not try on stays, is the strongest attacker in "
        f"{sum(winners)} of {len(winners)} rows. The lowest median, {least:.0f} m ({where}), is "
        f"{(ALLOWED - least) / error:+.1f} standard errors below the {ALLOWED:.0f} m that the promise allows."
    )
    return "\n".join([*lines, "", told, "", *cuts])


def stays_of(source: str, whole: bool) -> list[Piece]:
    """Real stays, or made-up paths at the times of real ones."""
    if source != "made up":
        return stay_pieces(source, every=60.0, most=STAYS, whole=whole)  # type: ignore[arg-type]
    rng, kernels = seeded_rng(5), walking_family().kernels
    made = []
    for number, piece in enumerate(stay_pieces("geolife", every=60.0, most=STAYS, whole=whole)):
        moments = OperationalClock([HiddenPlace((piece.hidden,))])(piece.times)
        parts, white = markov_parts(kernels[number % len(kernels)])
        smooth = sum(part(moments[:, None], moments[None, :]) for part in parts)
        factor = np.linalg.cholesky(smooth + 1e-6 * np.max(smooth) * np.eye(len(moments)))
        path = factor @ rng.normal(size=(len(moments), 2)) + rng.normal(0, math.sqrt(white), (len(moments), 2))
        made.append(replace(piece, path=path))
    return made


def dense_stays() -> str:
    """How many stays the dense set has."""
    found = {
        f"{every:g} s": kept(
            {"of": "dense stays", "every": every},
            lambda every=every: len(stay_pieces("geolife-dense", every=every, most=STAYS)),  # type: ignore[misc]
        )
        for every in (1.0, 5.0, 30.0)
    }
    if not any(found.values()):
        return "The dense set (a point every 1 to 5 s) has no stay of that length with a way there and on."
    return "The dense set has " + ", ".join(f"{count} stays at {every}" for every, count in found.items()) + "."


def old_default(piece: Piece, inside: np.ndarray) -> TraceNoise:
    """An RBF kernel of six sampling periods, each point of the interval a secret of its own."""
    length = 6 * float(np.median(np.diff(piece.times)))
    prior = RBF(length=length, variance=3000.0**2) + White(variance=25.0)
    secrets = [Secret((int(k),)) for k in inside]
    return TraceNoise(prior=prior, times=piece.times, secrets=secrets, radius=RADIUS, epsilon=EPSILON)


def tried(pieces: Sequence[Piece], *, stay: bool, old: int, cut: bool) -> dict[str, Any]:
    """The errors of every attacker on every mechanism, what the mechanisms cost, and the own ε of each piece."""
    errors: dict[str, dict[str, list[float]]] = {}
    costs: dict[str, list[float]] = {}
    own: list[float] = []
    shown: list[int] = []
    rng = seeded_rng(7)
    for piece in pieces:
        inside = np.flatnonzero((piece.times >= piece.hidden[0]) & (piece.times <= piece.hidden[1]))
        places = [HiddenPlace((piece.hidden,))]
        made: dict[str, Any] = {"place": PlaceNoise(places=places, times=piece.times)}
        if len(inside) <= 40 and len(costs.get("old", ())) < old:  # it takes up to a minute each
            made["old"] = old_default(piece, inside)
        if cut:
            made["cut"] = TimeCut(places=places, times=piece.times)
        secrets = [Secret((int(k),)) for k in inside]
        if not stay:
            own.append(own_loss(piece, int(inside[0]), made["place"]))
        for name, mechanism in made.items():
            for _ in range(REPEATS if name == "place" else 1):
                release = mechanism.release(piece.path, rng=rng)
                if len(release) < 5:
                    continue
                costs.setdefault(name, []).append(_cost(mechanism, piece))
                if name == "cut":
                    truth = targets(piece.times, piece.path, [piece.hidden])
                    shown.append(int((np.linalg.norm(release - truth, axis=1) <= RADIUS).sum()))
                for label, attack in attackers(piece, secrets, stay).items():
                    found = attack.errors(piece.path, release, mechanism=mechanism, rng=rng)
                    errors.setdefault(name, {}).setdefault(label, []).append(float(found[0]))
    return {"pieces": len(pieces), "errors": errors, "costs": costs, "own": own, "shown": shown}


def own_loss(piece: Piece, hidden: int, noise: PlaceNoise) -> float:
    """ε of the noise at a hidden point if the path has the kernel that fits it best."""
    fit = fit_kernel(Sighting(times=piece.times, path=piece.path).around(piece.hidden, 100))
    prior = fit.kernel(piece.times[:, None], piece.times[None, :])
    answer = prior[:, hidden] / prior[hidden, hidden]
    rest = prior - prior[hidden, hidden] * np.outer(answer, answer) + fit.error**2 * np.eye(len(prior))
    kappa = float(answer @ np.linalg.solve(rest + noise.covariance, answer))
    return 0.5 * noise.order * RADIUS**2 * kappa


def attackers(piece: Piece, secrets: Sequence[Secret], stay: bool) -> dict[str, LocationAttack]:
    given: dict[str, Any] = {"times": piece.times, "secrets": secrets}
    found: dict[str, LocationAttack] = {"path": EvidenceAttack(**given)}
    for by in ("neighbours", "blue", *(("mean", "stop", "longest") if stay else ())):
        found[by] = StayAttack(**given, by=by)  # type: ignore[arg-type]
    if stay:
        found["stay"] = EvidenceAttack(**given, stay=True)
    return found


def cell(found: Mapping[str, Any], name: str) -> str:
    """The best of all attackers on a mechanism, and what it costs."""
    if name not in found["errors"]:
        return "–"
    unit = {"old": " m", "place": " m", "cut": " % of points"}[name]
    return f"{best(found['errors'][name].values())} [{np.median(found['costs'][name]):.0f}{unit}]"


def best(errors: Iterable[ArrayLike]) -> str:
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


# ── with a map ───────────────────────────────────────────────────────────────────────────────────────────────────


def on_a_map() -> str:
    """Moments of GeoLife at 60 s, with a map of other people's points."""
    found = kept({"of": "map", "most": PIECES // 2}, map_errors)
    return (
        f"With a map of other people's points (GeoLife, 60 s, {len(found['with'])} pieces with place noise): "
        f"{best([found['with']])}; the same attacker without it: {best([found['without']])}. "
        "Maps are outside the promise."
    )


def map_errors() -> dict[str, list[float]]:
    table = load_geolife()
    users, latitude, longitude = column(table, "user"), numbers(table, "lat"), numbers(table, "lon")
    pieces = moving_pieces("geolife", every=60.0, span=7200.0, most=PIECES // 2)
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
    return found


# ── homes ────────────────────────────────────────────────────────────────────────────────────────────────────────

WAYS = {
    "told": "is told the centre of the zone",
    "centre": "fits the zone to the ends of the trips",
    "ends": "mean of the ends",
    "rays": "where the ways into the zone meet",
    "both": "centre and ways",
}


def homes() -> str:
    """Sticky zones on people with a place where their trips begin or end."""
    found = kept({"of": "homes", "most": HOMES}, home_errors)
    errors = found["errors"]
    lines = [
        "### Homes in a sticky zone",
        "",
        f"{len(errors['told'])} people of GeoLife at 60 s, up to 100 trips each, R = {found['reach']:g} m; the zone "
        f"takes {100 * float(np.median(found['lost'])):.0f} % of the points of trips that touch home. A zone does not "
        "ask how often a path is seen. Addenda §3: best attacker 240 m, .36 within 200 m (R = 1000 m); by the law of "
        "the zone 235 m, .39.",
        "",
        "| attacker | median error, within 50 m, within 200 m |",
        "|---|---|",
    ]
    lines += [f"| {words} | {best([errors[way]])} |" for way, words in WAYS.items()]
    return "\n".join(lines)


def home_errors() -> dict[str, Any]:
    rng = seeded_rng(3)
    errors: dict[str, list[float]] = {way: [] for way in WAYS}
    lost: list[float] = []
    for _, home, trips in geolife_homes(most=HOMES):
        zone = StickyZone(epsilon=EPSILON, home=tuple(home), radius=RADIUS)
        middle = zone.draw(rng=rng)
        inside = [(times, path, zone.kept(path, middle)) for times, path in trips]
        lost.append(1 - sum(k.sum() for *_, k in inside) / sum(len(k) for *_, k in inside))
        days = [Sighting(times=times[k], path=path[k]) for times, path, k in inside if k.sum() >= 3]
        if not days:
            continue
        errors["told"].append(float(np.linalg.norm(np.array(middle) - home)))
        for way in list(WAYS)[1:]:
            given: dict[str, Any] = {"times": [0.0, 1.0], "secrets": [Secret((0,))], "by": way}
            attack = ZoneAttack(**given, reach=zone.reach, deviation=zone.deviation)
            errors[way].append(float(np.linalg.norm(attack.find(days) - home)))
    return {"errors": errors, "lost": lost, "reach": zone.reach}
