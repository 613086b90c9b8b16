"""Weggenmann §7.4.4: the rows that judge its figures on check-ins, with Gowalla's venues and the cabs' hours."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from reproduction._rows import recipe
from sfumato.direction import (
    ClippedLaplace,
    HourHistogramError,
    PolarLaplace,
    ProtectedCheckIns,
    Purkayastha,
    VonMisesFisher,
    WrappedLaplace,
    circular_emd,
    globe_emd,
    globe_histogram,
    metres_to_radians,
)
from sfumato.direction.core.coordinates import latlon_to_vector
from sfumato.direction.data.check_ins import CheckIns, nearest_place
from sfumato.direction.data.public_check_ins import cab_check_ins, gowalla_check_ins
from sfumato.direction.utilities.profiles import profiles
from sfumato.io.datasets.catalogue import load_packed_csv
from sfumato.io.frames import column
from sfumato.io.geography import EARTH_RADIUS
from sfumato.noise import seeded_rng


@recipe("cabspotting")
def hour_profiles() -> list[dict[str, Any]]:
    """Fig. 7.11: EMD in hours and MAE of the shares of 24 bins at the 100 busiest places, by ε; mean of 3 runs."""
    data = cab_check_ins(most=1000)
    top = np.argsort(-np.bincount(data.place, minlength=len(data.places)))[:100]
    visits = data.select(np.isin(data.place, top))
    true, found = _profiles(visits, visits.hour, top), []
    for epsilon in (0.1, 0.3, 1.0, 3.0, 10.0, 30.0):
        noises: dict[str, Any] = {
            "Pur": Purkayastha(pure=epsilon, kind="hour"),
            "VMF": VonMisesFisher(epsilon=epsilon / math.pi, kind="hour"),
            "VMF-d2": VonMisesFisher(pure=epsilon, kind="hour"),
            "WL": WrappedLaplace(pure=epsilon, kind="hour", calibration="nominal"),
            "CL as printed": ClippedLaplace(pure=2 * epsilon, kind="hour"),
            "CL": ClippedLaplace(pure=epsilon, kind="hour"),
        }
        row: dict[str, Any] = {"epsilon": epsilon, "emd": {}, "mae": {}}
        for name, noise in noises.items():
            seen = [_profiles(visits, noise.release(visits.hour, rng=seeded_rng(run)), top) for run in range(3)]
            row["emd"][name] = float(np.mean([np.mean(circular_emd(true, one)) for one in seen]))
            row["mae"][name] = float(np.mean([np.abs(_shares(true) - _shares(one)).mean() for one in seen]))
        found.append(row)
    return found


def _profiles(visits: CheckIns, hour: np.ndarray, top: np.ndarray) -> np.ndarray:
    cells = visits.place * 24 + np.minimum(hour.astype(np.int64), 23)
    return np.bincount(cells, minlength=len(visits.places) * 24).reshape(-1, 24)[top]


def _shares(counts: np.ndarray) -> np.ndarray:
    return counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1)


@recipe("gowalla")
def venue_profiles() -> list[dict[str, Any]]:
    """Hour profiles of venues in central Austin by level ℓ within 200 m and 3 h: what few visits do to the error."""
    data, radius, hours = gowalla_check_ins(metres=2_000.0), metres_to_radians(200.0), 3 * math.pi / 12
    true, found = profiles(data, 24), []
    for level in (0.1, 1.0, 10.0, 100.0):
        noises: dict[str, Any] = {
            "Pur": (
                Purkayastha(level=level, radius=radius, kind="latlon"),
                Purkayastha(level=level, radius=hours, kind="hour"),
            ),
            "VMF": (
                VonMisesFisher(level=level, radius=radius, kind="latlon"),
                VonMisesFisher(level=level, radius=hours, kind="hour"),
            ),
        }
        for name, (place, time) in noises.items():
            release = ProtectedCheckIns(place=place, time=time).release(data, rng=seeded_rng(0))
            seen = profiles(release, 24)
            off, visits = np.asarray(circular_emd(true, seen)), seen.sum(axis=1)
            moved = np.linalg.norm(
                (release.latlon - data.latlon) * [111.2, 111.2 * math.cos(math.radians(30.27))], axis=1
            )
            error = {
                "all": off.mean(),
                "none": off[visits == 0].mean() if (visits == 0).any() else None,
                "few": off[(visits > 0) & (visits < 5)].mean(),
                "more": off[visits >= 5].mean(),
            }
            shares = {"none": (visits == 0).mean(), "few": ((visits > 0) & (visits < 5)).mean()}
            row = {"level": level, "noise": name, "moved_km": float(np.median(moved)), "error": error, "shares": shares}
            found.append(row)
    return found


@recipe("gowalla")
def place_maps() -> list[dict[str, Any]]:
    """Fig. 7.12: EMD in km and MAE of the shares of 2° cells, for the 40 users with most visits to real venues."""
    users, where = _visits()
    rank = np.argsort(-np.bincount(users))[:40]
    found = []
    for epsilon in (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0):
        kappa = epsilon / math.pi
        noises: dict[str, Any] = {
            "Pur": Purkayastha(epsilon=kappa, kind="latlon"),
            "VMF": VonMisesFisher(epsilon=kappa, kind="latlon"),
            "VMF-d2": VonMisesFisher(epsilon=epsilon / 2, kind="latlon"),
            "Polar": PolarLaplace(kappa=kappa),
        }
        row: dict[str, Any] = {"epsilon": epsilon, "emd": {}, "mae": {}}
        for name, noise in noises.items():
            rng, scores = seeded_rng(2), []
            for user in rank:
                own = where[users == user]
                own = own if len(own) <= 300 else own[rng.choice(len(own), 300, replace=False)]
                true, seen = globe_histogram(own), globe_histogram(noise.release(own, rng=rng))
                scores.append([globe_emd(*true, *seen), _map_error(true, seen)])
            row["emd"][name], row["mae"][name] = (float(value) for value in np.mean(scores, axis=0))
        found.append(row)
    return found


def _visits() -> tuple[np.ndarray, np.ndarray]:
    """Who and where, one line a visit, at Gowalla's venues."""
    visits, venues = load_packed_csv("gowalla/visits.csv.xz"), load_packed_csv("gowalla/venues.csv.xz")
    order = np.argsort(column(venues, "venue"))
    place = order[np.searchsorted(column(venues, "venue")[order], column(visits, "venue"))]
    where = np.stack([column(venues, "lat"), column(venues, "lon")], axis=1)
    times = column(visits, "visits").astype(np.int64)
    _, users = np.unique(column(visits, "user"), return_inverse=True)
    return np.repeat(users, times), np.repeat(where[place], times, axis=0)


def _map_error(true: Any, seen: Any) -> float:
    """Mean over all 90 × 180 cells of the difference of shares, in millionths."""
    shares: dict[tuple[float, ...], float] = {}
    for sign, (counts, centres) in ((1, true), (-1, seen)):
        for count, centre in zip(counts, centres, strict=True):
            key = tuple(np.round(centre, 3))
            shares[key] = shares.get(key, 0.0) + sign * count / counts.sum()
    return 1e6 * sum(map(abs, shares.values())) / (90 * 180)


@recipe("gowalla", "cabspotting")
def busy_places() -> dict[str, Any]:
    """Figs 7.13–7.15: EMD of the hours of the 1 000 busiest venues, and what share of check-ins changes its venue."""
    data, radius = _venue_check_ins(), metres_to_radians(10.0)
    found: dict[str, Any] = {"check-ins": len(data), "venues": len(data.places), "grid": [], "moved": []}
    for place_level in (0.1, 10**-0.5, 1.0, 10.0):
        for time_level in (0.01, 0.1, 10**-0.5, 1.0, 10.0):
            pur = ProtectedCheckIns(
                place=Purkayastha(level=place_level, radius=radius, kind="latlon"),
                time=Purkayastha(level=time_level, radius=math.pi / 4, kind="hour"),
            )
            other = ProtectedCheckIns(
                place=PolarLaplace(kappa=place_level / radius),
                time=WrappedLaplace(level=time_level, radius=math.pi / 4, kind="hour", calibration="nominal"),
            )
            releases = [one.release(data, rng=seeded_rng(3)) for one in (pur, other)]
            first, second = (HourHistogramError().measure(data, one).value for one in releases)
            found["grid"].append([place_level, time_level, first, second])
        moved = float(np.mean(releases[0].place != data.place))
        found["moved"].append([place_level, moved])
    return found


@recipe("gowalla")
def moved_check_ins() -> list[dict[str, Any]]:
    """How many check-ins change their venue by noise within 10 m, counted by visits and each place once."""
    radius, found = metres_to_radians(10.0), []
    for metres in (2_000.0, 2_300.0, 5_000.0):
        data = gowalla_check_ins(metres=metres, hours=False)
        visited = np.unique(data.place)
        places = data.places[visited]
        gap = cKDTree(latlon_to_vector(places)).query(latlon_to_vector(places), k=2)[0][:, 1]
        row: dict[str, Any] = {"metres": metres, "places": len(places), "gap": float(np.median(gap)) * EARTH_RADIUS}
        for name, whose in (("by visits", np.searchsorted(visited, data.place)), ("each place once", None)):
            whose = np.tile(np.arange(len(places)), 40) if whose is None else whose
            row[name] = []
            for level in (0.1, 10**-0.5, 1.0, 10.0):
                noise = Purkayastha(level=level, radius=radius, kind="latlon")
                there = nearest_place(noise.release(places[whose], rng=seeded_rng(3)), places)
                row[name].append([level, float(np.mean(there != whose))])
        found.append(row)
    return found


def _venue_check_ins() -> CheckIns:
    """60 000 visits to the 1 000 busiest venues of central Austin; a venue has the hours of a cab cell of its rank."""
    _, where = _visits()
    near = (np.abs(where[:, 0] - 30.268) < 0.045) & (np.abs(where[:, 1] + 97.743) < 0.05)
    places, place, counts = np.unique(where[near], axis=0, return_inverse=True, return_counts=True)
    busiest = np.argsort(-counts, kind="stable")[:1000]
    number = np.full(len(places), -1)
    number[busiest] = np.arange(len(busiest))
    place = number[place.ravel()]
    rng = seeded_rng(5)
    place = place[place >= 0]
    place = place if len(place) <= 60_000 else rng.choice(place, 60_000, replace=False)
    cabs = cab_check_ins(most=1000)
    cells = np.argsort(-np.bincount(cabs.place, minlength=len(cabs.places)), kind="stable")
    hour = np.empty(len(place))
    for one in np.unique(place):
        here = place == one
        hour[here] = rng.choice(cabs.hour[cabs.place == cells[one % len(cells)]], here.sum())
    places = places[busiest]
    return CheckIns(user=np.arange(len(place)), hour=hour, latlon=places[place], place=place, places=places)
