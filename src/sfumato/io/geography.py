"""The radius of the Earth."""

from __future__ import annotations

__all__ = ["EARTH_RADIUS"]

EARTH_RADIUS = 6_371_008.8
"""Mean radius in metres, (2a + b)/3 of the WGS 84 ellipsoid (Moritz 2000, Geodetic Reference System 1980)."""
