"""Files and data frames in and out."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
