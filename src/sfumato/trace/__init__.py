"""Location traces and other series in which each point tells about its neighbours."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
