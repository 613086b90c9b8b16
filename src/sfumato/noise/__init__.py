"""Samplers: entropy, exact discrete noise, and the noise of the directional and ranking mechanisms."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
