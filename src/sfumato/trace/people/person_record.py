"""What is kept of a person beside a ledger: zones and noises that are never drawn again, and releases already made."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.io.frames import to_arrow
from sfumato.ledger import Ledger, Vault
from sfumato.noise import Rng, is_secure
from sfumato.promise import NoGuarantee
from sfumato.release import Card, Key, Release
from sfumato.trace.core.gps import GpsTrace, Projection
from sfumato.trace.core.hidden_place import HiddenPlace
from sfumato.trace.mechanisms.lasting_noise import LastingNoise
from sfumato.trace.mechanisms.sticky_zone import StickyZone

__all__ = ["PersonRecord", "Zone", "request_digest"]

_APART = 12 * 3600.0
"""Seconds between releases whose losses add up: by then the slowest drift of the shipped family is forgotten."""


@dataclass(frozen=True)
class Zone:
    """A zone of a person as it was drawn: private, but for its size.

    Parameters
    ----------
    name : str
        The place, such as ``"home"``.
    home, centre : (latitude, longitude)
    size : mapping
        The parameters of its :class:`~sfumato.trace.StickyZone`.
    """

    name: str
    home: tuple[float, float]
    centre: tuple[float, float]
    size: Mapping[str, float]

    @property
    def mechanism(self) -> StickyZone:
        """In the plane about its middle."""
        return _sized(self.size, centre=(0.0, 0.0))

    def kept(self, trace: GpsTrace) -> NDArray[np.bool_]:
        """Which points are outside."""
        plane = Projection(*self.centre)
        return self.mechanism.kept(plane.to_metres(trace.latitude, trace.longitude), (0.0, 0.0))


@dataclass(frozen=True)
class PersonRecord:
    """The private record of one person beside a ledger.

    Parameters
    ----------
    vault : Vault
    person : str
        The subject of the ledger.
    """

    vault: Vault
    person: str

    # Zones

    def zones(self) -> list[Zone]:
        """All zones of the person, which apply to everything that is released of them."""
        names = [name for name in self.vault.names(self.person) if name.startswith("zone of ")]
        return [self._zone(name, self.vault.find(self.person, name) or {}) for name in names]

    def zone(self, name: str, home: tuple[float, float], size: Mapping[str, float], rng: Rng) -> Zone:
        """The zone of a place: as it was drawn before, or drawn now, once and for all."""
        label = f"zone of {name}"
        known = self.vault.find(self.person, label)
        if known is None:
            middle = _draw(home, size, rng)
            content = {"home": list(home), "centre": list(middle), "size": dict(size)}
            if not is_secure(rng):  # an experiment: nothing is promised, and nothing is kept for ever
                return self._zone(label, content)
            known = self.vault.keep(self.person, label, content, _sized(size, home=(0.0, 0.0)).guarantee)
        zone = self._zone(label, known)
        for part, value in zone.size.items():
            if size[part] != value:
                raise bad_input(
                    part, size[part], f"{value:g}, as when the zone of {name} was drawn", "a zone is drawn only once"
                )
        apart = _distance(home, zone.home)
        if apart > zone.size["radius"]:
            raise bad_input(
                "--home", "another place", f"the place of the zone {name!r}, which is drawn only once",
                "name the other one with --place",
            )  # fmt: skip
        return zone

    @staticmethod
    def _zone(label: str, content: Mapping[str, Any]) -> Zone:
        home, centre = tuple(content["home"]), tuple(content["centre"])
        return Zone(label.removeprefix("zone of "), home, centre, dict(content["size"]))

    # A noise for ever

    def lasting(self, name: str, noise: LastingNoise, rng: Rng) -> dict[str, Any]:
        """Law and coefficients of the noise of a place: as drawn before, or drawn now, once and for all."""
        label = f"noise of {name}"
        terms = {"epsilon": noise.epsilon, "radius": noise.radius, "order": noise.order, "family": noise.family.name}
        known = self.vault.find(self.person, label)
        if known is None:
            content = terms | {"law": noise.factor.tolist(), "coefficients": noise.draw(rng=rng).tolist()}
            if not is_secure(rng):
                return {"law": content["law"], "coefficients": content["coefficients"]}
            promise = NoGuarantee("the coefficients of a noise, which are private")
            known = self.vault.keep(self.person, label, content, promise)
        for part, value in terms.items():
            if known[part] != value:
                raise bad_input(
                    part, value, f"{known[part]}, as when the noise of {name} was drawn", "it is drawn only once"
                )
        return {"law": known["law"], "coefficients": known["coefficients"]}

    # Releases

    @property
    def has_budget(self) -> bool:
        """Whether the person has a budget to pay from."""
        with Ledger(self.vault.ledger, create=False) as book:
            return self.person in {balance.subject for balance in book.balances()}

    def released(self, digest: str, like: Any) -> Release | None:
        """The release that was made for the same request, if there is one."""
        import pyarrow as pa
        from pyarrow import parquet

        card = self.vault.file(self.person, digest, ".card")
        if not card.exists():
            return None
        path, key = (self.vault.file(self.person, digest, ending) for ending in (".parquet", ".key"))
        found = Card.from_json(card.read_text(encoding="utf-8"))
        own, table = to_arrow(like).schema, parquet.read_table(path)
        for at, name in enumerate(table.column_names):  # Parquet has no whole seconds: as they came
            if name in own.names and pa.types.is_timestamp(own.field(name).type):
                table = table.set_column(at, name, table[name].cast(own.field(name).type))
        promise = found.guarantee or NoGuarantee(f"read from a card: {found.promise['statement']}")
        return Release(card=found, key=Key.read(key), guarantee=promise, table=table, like=like, path=path)

    def store(self, digest: str, release: Release, first: float, last: float) -> None:
        """Keep a release, to be handed out again in place of a new one."""
        from pyarrow import parquet

        buffer = io.BytesIO()
        parquet.write_table(release.arrow, buffer, compression="zstd")
        self.vault.write_file(self.vault.file(self.person, digest, ".parquet"), buffer.getvalue())
        release.key.write(self.vault.file(self.person, digest, ".key"))
        span = json.dumps({"first": first, "last": last, "id": release.card.id}).encode()
        self.vault.write_file(self.vault.file(self.person, digest, ".span"), span)
        self.vault.write_file(self.vault.file(self.person, digest, ".card"), release.card.to_json().encode())

    def check_apart(self, first: float, last: float) -> None:
        """Refuse a stretch of path that touches or comes near one that was released before."""
        for path in self.vault.files(self.person, ".span"):
            span = json.loads(path.read_text(encoding="utf-8"))
            gap = max(first - span["last"], span["first"] - last)
            if gap < _APART:
                near = "points that were released before" if gap < 0 else "points within 12 hours of an earlier release"
                raise InputError(
                    f"this trace has {near} (release {span['id'][:8]}): a second release with other noise can cost "
                    "thousands of times the first; use that release, protect both stretches in one file, or hide the "
                    "place on all days with --home or --for-ever"
                )


def request_digest(trace: GpsTrace, places: Sequence[HiddenPlace], public: Mapping[str, Any]) -> str:
    """A name for a request: the same points, hidden places and public parameters have the same."""
    content = hashlib.sha256()
    for part in (trace.times, trace.latitude, trace.longitude):
        content.update(np.ascontiguousarray(part, np.float64).tobytes())
    asked = [[list(visit) for visit in place.visits] for place in places]
    content.update(json.dumps([asked, public], sort_keys=True).encode())
    return content.hexdigest()


def _draw(home: tuple[float, float], size: Mapping[str, float], rng: Rng) -> tuple[float, float]:
    """The middle of a new zone in degrees, drawn in a plane that the place determines roughly only."""
    plane = Projection(round(home[0], 1), round(home[1], 1))
    point = plane.to_metres(np.array([home[0]]), np.array([home[1]]))[0]
    middle = _sized(size, home=(float(point[0]), float(point[1]))).draw(rng=rng)
    latitude, longitude = plane.to_degrees(np.array([middle]))
    return float(latitude[0]), float(longitude[0])


def _distance(one: tuple[float, float], other: tuple[float, float]) -> float:
    metres = Projection(*one).to_metres(np.array([other[0]]), np.array([other[1]]))
    return float(np.hypot(*metres[0]))


def _sized(size: Mapping[str, Any], **place: Any) -> StickyZone:
    return StickyZone(**size, **place)
