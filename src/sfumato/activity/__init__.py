"""Activity: who did what, window by window, and who can be linked across windows."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
