"""What leaves: the data with their public card and private key, signatures, and the check of all of it."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
