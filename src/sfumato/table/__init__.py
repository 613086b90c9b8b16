"""Tables with quasi-identifiers: protect them, attack the release, measure what is left."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
