"""Exact samplers: noise on a grid, discrete noise, private choices, secure randomness."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
