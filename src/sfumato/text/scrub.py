"""Scrubbing: find names, addresses, numbers and ids in texts and write something else in their place.

A baseline, and a first stage before a mechanism with a promise; never a promise itself.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Span"]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one text that a recogniser takes for something personal: ``text[start:end]``."""

    start: int
    end: int
    label: str
    score: float = 1.0
