"""Promises: what is proved, what it costs, how promises combine and convert."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
