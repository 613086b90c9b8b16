"""Directions: angles, times of day, unit vectors and places on the globe."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
