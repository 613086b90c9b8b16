"""The small family of errors.

SfumatoError
├── InputError        a value that cannot be used: names it, what was expected and what to do
├── BudgetError       a release that would spend more than the ledger allows
└── InfeasibleError   a target that the data cannot reach; says how close one can get
"""

from __future__ import annotations

__all__ = ["BudgetError", "InfeasibleError", "InputError", "MissingExtraError", "SfumatoError", "bad_input"]


class SfumatoError(Exception):
    """Base of every error that sfumato raises on purpose."""


class InputError(SfumatoError, ValueError):
    """A parameter or a data value that cannot be used. Build it with :func:`bad_input`."""


class BudgetError(SfumatoError):
    """A release that would spend more than is left."""


class InfeasibleError(SfumatoError):
    """A target that no admissible answer reaches."""


class MissingExtraError(SfumatoError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""


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
