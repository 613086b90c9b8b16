"""The loop: sweep, run, frontier, report."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
