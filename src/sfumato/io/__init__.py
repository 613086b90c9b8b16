"""Files, data frames and public data sets in; files out, whole or not at all."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
