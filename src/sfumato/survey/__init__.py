"""Surveys: one answer per person, collected through a shuffler that hides each among its neighbours."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
