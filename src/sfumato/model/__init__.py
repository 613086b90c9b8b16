"""Models: does a generator copy its training set, does an encoder remember it? And generators of our own."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
