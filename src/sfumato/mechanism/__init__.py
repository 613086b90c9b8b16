"""The textbook mechanisms on numbers, vectors and choices, shared by all rooms."""

from sfumato.mechanism.base import Fitted, Mechanism, NotFittedError, ScopedMechanism

__all__ = ["Fitted", "Mechanism", "NotFittedError", "ScopedMechanism"]
