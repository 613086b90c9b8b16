"""Which two inputs a promise compares, and who holds the raw data."""

from __future__ import annotations

from typing import Literal

__all__ = ["Model", "Neighbours"]

Neighbours = Literal["replace-one", "add-remove", "any-pair", "within-radius"]
"""Which two inputs the promise compares: one record changed, one record more or less, any two inputs at all, or any two
that are no farther apart than the radius named by the unit (see :meth:`sfumato.promise.MetricDP.within`)."""

Model = Literal["central", "local"]
"""Who holds the raw data: a trusted curator, or nobody but its owner."""
