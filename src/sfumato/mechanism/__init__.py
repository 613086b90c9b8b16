"""The textbook mechanisms on numbers, vectors and choices."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
