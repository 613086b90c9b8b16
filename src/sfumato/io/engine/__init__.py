"""Engines for tables larger than memory: DuckDB on one machine, Spark on a cluster."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
