"""Generic checks that every registered mechanism, attack and utility goes through."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
