"""Tests of promises: the auditor, its cases and its results."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
