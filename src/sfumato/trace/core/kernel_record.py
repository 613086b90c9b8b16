"""Kernels as plain values, as a card holds them, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sfumato.errors import InputError, bad_input
from sfumato.trace.core.kernel import RBF, Kernel, Linear, Matern, Periodic, SumKernel, White

__all__ = ["kernel_of", "kernel_record"]

_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in (RBF, Periodic, Matern, Linear, White)}


def kernel_record(kernel: Kernel) -> dict[str, Any]:
    """A kernel by its name and parameters; a sum by its parts.

    >>> kernel_record(RBF(length=60.0) + White(variance=25.0))["parts"][1]
    {'kind': 'White', 'variance': 25.0}
    """
    if isinstance(kernel, SumKernel):
        return {"kind": "SumKernel", "parts": [kernel_record(part) for part in kernel.parts]}
    name = type(kernel).__name__
    if name not in _KINDS:
        raise bad_input("prior", name, "one of " + ", ".join(_KINDS), "a card names kernels of the toolkit only")
    parameters: dict[str, Any] = asdict(kernel)  # type: ignore[call-overload]
    return {"kind": name, **parameters}


def kernel_of(record: Mapping[str, Any]) -> Kernel:
    """The kernel that :func:`kernel_record` wrote.

    >>> kernel_of(kernel_record(RBF(length=60.0) + White(variance=25.0)))
    SumKernel(parts=(RBF(length=60.0, variance=1.0), White(variance=25.0)))
    """
    given = dict(record)
    name = given.pop("kind", None)
    try:
        if name == "SumKernel":
            return SumKernel(parts=tuple(kernel_of(part) for part in given["parts"]))
        kernel: Kernel = _KINDS[name](**given)
    except (KeyError, TypeError) as error:
        raise InputError("the card's prior cannot be read: expected a kernel by its name and parameters") from error
    return kernel
