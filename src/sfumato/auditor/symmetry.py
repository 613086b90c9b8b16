"""Laws of vectors that a symmetry reduces to laws on the line; the auditor checks the symmetry itself.

- *isotropic*: the density depends on the distance to the input alone, in space or on the unit sphere. The distance has
  the density r^{d−1}·p(r) or sin^{d−2}θ·p(θ), and the direction from the input is uniform.
- *product*: the coordinates are independent. Each is a law on the line, known up to a constant.

Both are noticed by comparing the claimed law at outputs that the symmetry makes equally likely, and both see a wrong
scale with all that the releases tell about it, where ranks among Markov chains see a part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.auditor.case import AuditCase
from sfumato.auditor.features import floats_or_none
from sfumato.auditor.integral import LogLaw
from sfumato.auditor.line_law import CENTRE, At, lattice_step, orders_on_line, orders_within
from sfumato.auditor.sample import BY_LOSS, BY_PROBABILITY, BY_SPREAD, Sample, Uniforms, has_atoms
from sfumato.noise import Rng
from sfumato.promise.divergence import Floats

__all__ = ["isotropic_numbers", "product_numbers"]

_PROBES = 32
_EQUAL = 1e-8
_MOST_COORDINATES = 16
_MOST_NUMBERS = 2_000_000
_FAR = 40.0


def isotropic_numbers(
    case: AuditCase, kind: str, law: LogLaw, sample: Sample, number: int, pair: Sequence[Sample], rng: Rng
) -> list[Uniforms] | None:
    """The distance of each release from its input, and its direction as seen from there."""
    drawn, centre = sample.outputs, floats_or_none(sample.data)
    if kind != "density" or case.log_volume is not None or centre is None or not isinstance(drawn, np.ndarray):
        return None
    if drawn.dtype.kind != "f" or drawn.ndim != 2 or centre.shape != drawn.shape[1:] or drawn.shape[1] < 2:
        return None
    if has_atoms(drawn[:, 0]):
        return None
    space = _Sphere(centre) if _on_sphere(centre) and _on_sphere(drawn) else _Space(centre)
    probes = drawn[: 2 * _PROBES]
    turned = space.at(space.distance(probes), space.directions(len(probes), rng))
    if not _agree(law(turned, sample.data), law(probes, sample.data)):
        return None
    one = space.directions(1, rng)

    def at(distances: Floats) -> Floats:
        inside = np.maximum(distances, 0.0)
        return np.asarray(law(space.at(inside, one), sample.data), float) + space.log_area(inside)

    distances = space.distance(drawn)
    points = distances if len(pair) == 1 else np.concatenate([space.distance(other.outputs) for other in pair])
    high = space.widest or _end(at, points)
    orders = orders_within(at, 0.0, high, points, distances, 0.0, rng)
    if orders is None:
        return None
    by_distance, by_law = orders
    found = [Uniforms(by_distance, "isotropic", number, *BY_SPREAD)]
    found.append(Uniforms(by_law, "isotropic", number, *BY_PROBABILITY))
    partner = floats_or_none(sample.partner)
    if partner is not None and partner.shape == centre.shape:
        found.append(Uniforms(space.side(drawn, partner, rng), "isotropic", number, *BY_LOSS[::-1]))
    return found


class _Space:
    """Distances and directions from one point of Euclidean space."""

    widest: float | None = None

    def __init__(self, centre: Floats) -> None:
        self.centre, self.free = centre.astype(float), len(centre)

    def distance(self, outputs: Floats) -> Floats:
        return np.asarray(np.linalg.norm(outputs - self.centre, axis=1), float)

    def directions(self, count: int, rng: Rng) -> Floats:
        """Uniform unit vectors."""
        drawn = self._tangent(rng.standard_normal((count, len(self.centre))))
        return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), float)

    def at(self, distances: Floats, directions: Floats) -> Floats:
        return np.asarray(self.centre + distances[:, None] * directions, float)

    def log_area(self, distances: Floats) -> Floats:
        """Of the sphere around the centre, up to a constant."""
        return np.asarray((self.free - 1) * np.log(np.maximum(distances, 1e-300)), float)

    def _tangent(self, vectors: Floats) -> Floats:
        return vectors

    def side(self, outputs: Floats, partner: Floats, rng: Rng) -> Floats:
        """The cosine with the way to the partner, by its law for uniform directions: a symmetric beta law."""
        from scipy.special import betainc

        away = self._tangent(outputs - self.centre)
        towards = self._tangent((partner - self.centre)[None])[0]
        if not np.linalg.norm(towards) > 1e-9:  # on the other side of the sphere all ways are the same
            towards = self.directions(1, rng)[0]
        norm = np.linalg.norm(away, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            cosine = np.clip(away @ towards / (norm * np.linalg.norm(towards)), -1, 1)
        if self.free == 1:
            return (np.where(norm > 0, cosine > 0, rng.random(len(norm)) < 0.5) + rng.random(len(norm))) / 2
        half = (self.free - 1) / 2
        return np.where(norm > 0, betainc(half, half, (1 + cosine) / 2), rng.random(len(norm)))


class _Sphere(_Space):
    """The same from one point of the unit sphere: angles, and directions at right angles to it."""

    widest = math.pi

    def __init__(self, centre: Floats) -> None:
        super().__init__(centre / np.linalg.norm(centre))
        self.free = len(centre) - 1

    def distance(self, outputs: Floats) -> Floats:
        near = np.linalg.norm(outputs - self.centre, axis=1)
        return np.asarray(2 * np.arctan2(near, np.linalg.norm(outputs + self.centre, axis=1)), float)

    def at(self, distances: Floats, directions: Floats) -> Floats:
        angles = distances[:, None]
        return np.asarray(np.cos(angles) * self.centre + np.sin(angles) * directions, float)

    def log_area(self, distances: Floats) -> Floats:
        return np.asarray((self.free - 1) * np.log(np.maximum(np.sin(distances), 1e-300)), float)

    def _tangent(self, vectors: Floats) -> Floats:
        return np.asarray(vectors - (vectors @ self.centre)[:, None] * self.centre, float)


def _on_sphere(vectors: Floats) -> bool:
    return bool(np.allclose((vectors.reshape(-1, vectors.shape[-1]) ** 2).sum(axis=1), 1, atol=1e-9, rtol=0))


def _agree(first: Any, second: Any) -> bool:
    a, b = np.asarray(first, float), np.asarray(second, float)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return False
    return bool((np.abs(a - b) <= _EQUAL * (1 + np.abs(a) + np.abs(b))).all())


def _end(at: At, points: Floats) -> float:
    """A distance beyond which the law has nothing."""
    far, top = float(points.max()), float(at(points).max())
    for _ in range(60):
        if float(at(np.array([far]))[0]) < top - _FAR:
            break
        far *= 1.5
    return far


def product_numbers(
    case: AuditCase, kind: str, law: LogLaw, sample: Sample, number: int, pair: Sequence[Sample], rng: Rng
) -> list[Uniforms] | None:
    """Every coordinate by itself; those that the pair differs in first, in the direction of the partner."""
    drawn = sample.outputs
    if not isinstance(drawn, np.ndarray) or drawn.dtype.kind not in "iuf" or math.prod(drawn.shape[1:]) < 2:
        return None
    step = lattice_step(case, kind, drawn)
    rows = drawn.reshape(len(drawn), -1)
    if step is None or case.log_volume is not None or len(drawn) < 2 * _PROBES:
        return None

    def at_rows(outputs: Floats) -> Floats:
        return np.asarray(law(outputs.astype(drawn.dtype).reshape(-1, *drawn.shape[1:]), sample.data), float)

    first, second = rows[:_PROBES], rows[_PROBES : 2 * _PROBES]
    mixed = rng.random(first.shape) < 0.5
    swapped = at_rows(np.where(mixed, first, second)), at_rows(np.where(mixed, second, first))
    if not _agree(sum(swapped), at_rows(first) + at_rows(second)):
        return None
    columns, signs = _coordinates(sample, rows.shape[1])
    if kind == "density" and any(has_atoms(rows[:, column]) for column in columns):
        return None
    base = np.array(rows[0], float)
    placed, levels = [], []
    for column, sign in zip(columns, signs, strict=True):
        at = _along(at_rows, base, column)
        seen = np.concatenate([one.outputs.reshape(len(one.outputs), -1)[:, column].astype(float) for one in pair])
        found = orders_on_line(at, seen, rows[:, column].astype(float), step, rng, whole=False)
        if found is None:
            return None
        placed.append(found[0] if sign >= 0 else 1 - found[0])
        levels.append(found[1])
    sides = BY_LOSS[::-1] if any(signs) else CENTRE
    return [
        Uniforms(np.concatenate(placed), "product", number, *sides),
        Uniforms(np.concatenate(levels), "product", number, *BY_PROBABILITY),
    ]


def _along(at_rows: At, base: Floats, column: int) -> At:
    """The law with one coordinate moved and the others where they are."""
    size = max(1, _MOST_NUMBERS // len(base))

    def at(points: Floats) -> Floats:
        parts = []
        for start in range(0, len(points), size):
            block = np.tile(base, (len(points[start : start + size]), 1))
            block[:, column] = points[start : start + size]
            parts.append(at_rows(block))
        return np.concatenate(parts)

    return at


def _coordinates(sample: Sample, count: int) -> tuple[list[int], list[int]]:
    """Which coordinates to look at, and on which side of each the partner is, where that is known."""
    x, y = floats_or_none(sample.data, "iuf"), floats_or_none(sample.partner, "iuf")
    signs = np.zeros(count)
    if x is not None and y is not None and x.size == y.size == count:
        signs = np.sign(np.ravel(y).astype(float) - np.ravel(x).astype(float))
    most = _MOST_COORDINATES if count <= 256 else _MOST_COORDINATES // 4
    order = np.argsort(-np.abs(signs), kind="stable")[:most]
    return [int(column) for column in order], [int(signs[column]) for column in order]
