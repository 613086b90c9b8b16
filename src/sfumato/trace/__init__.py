"""Traces: locations and other series whose neighbouring points betray the hidden one."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
