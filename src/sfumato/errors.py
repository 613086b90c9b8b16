"""The family of errors.

SfumatoError
├── InputError           a value that cannot be used: names it, what was expected and what to do
│   └── DataMissingError a public data set that is not on this machine: says where its original is
├── BudgetError          a release that would spend more than the ledger allows
├── InfeasibleError      a target that the data cannot reach: says how close one can get
├── BrokenPromiseError   a finished release that does not keep its promise: nothing is released
├── NotFittedError       a mechanism that learns from public data was used before ``fit``
├── CellError            some cells of a study failed: holds the others
├── PeerError            the other side of a protocol hung, closed, broke the rules or is somebody else
└── MissingExtraError    an optional dependency is not installed or does not load: names what brings it
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "BrokenPromiseError",
    "BudgetError",
    "CellError",
    "DataMissingError",
    "InfeasibleError",
    "InputError",
    "MissingExtraError",
    "NotFittedError",
    "PeerError",
    "SfumatoError",
    "bad_input",
]


class SfumatoError(Exception):
    """Base of every error that sfumato raises on purpose."""


class InputError(SfumatoError, ValueError):
    """A parameter or a data value that cannot be used. Build it with :func:`bad_input`."""


class DataMissingError(InputError):
    """A public data set is not on this machine; the message says where its original is."""


class BudgetError(SfumatoError):
    """A release that would spend more than is left."""


class InfeasibleError(SfumatoError):
    """A target that no admissible answer reaches."""


class BrokenPromiseError(SfumatoError):
    """A finished release does not keep its promise. Nothing is released; the fault is in the mechanism."""


class NotFittedError(SfumatoError):
    """A mechanism that learns from public data was used before ``fit``."""


class CellError(SfumatoError):
    """Some cells of a study failed; ``outcome`` holds the others."""

    def __init__(self, message: str, outcome: Any) -> None:
        super().__init__(message)
        self.outcome = outcome


class PeerError(SfumatoError):
    """The other side of a protocol hung, closed, broke the rules or is somebody else. Says nothing of any value."""


class MissingExtraError(SfumatoError, ImportError):
    """An optional dependency is not installed, or does not load; the message says what brings it."""


def bad_input(name: str, value: object, expected: str, remedy: str = "") -> InputError:
    """An :class:`InputError` that says what was given, what was expected and what to do.

    >>> raise bad_input("epsilon", 0, "a finite number > 0", "use NoGuarantee for no promise")
    Traceback (most recent call last):
    sfumato.errors.InputError: epsilon = 0: expected a finite number > 0; use NoGuarantee for no promise
    """
    shown = " ".join(repr(value).split())
    if len(shown) > 80:  # both ends: the tail of a path is its name
        shown = f"{shown[:35]} … {shown[-40:]}"
    message = f"{name} = {shown}: expected {expected}"
    return InputError(f"{message}; {remedy}" if remedy else message)
