"""The engines by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.errors import bad_input
from sfumato.validate import extra

if TYPE_CHECKING:
    from sfumato.io.engine.base import Engine

__all__ = ["find_engine"]


def find_engine(name: str, **options: object) -> Engine:
    """An engine by name: ``"duckdb"`` (this machine) or ``"spark"`` (a cluster)."""
    if name == "duckdb":
        from sfumato.io.engine.duckdb import DuckDBEngine

        return DuckDBEngine(**options)  # type: ignore[arg-type]
    if name == "spark":
        from sfumato.io.engine.spark import SparkEngine

        extra("pyspark", "spark")  # before the driver asks for what it needs itself
        return SparkEngine(**options)  # type: ignore[arg-type]
    raise bad_input("engine", name, "duckdb or spark")
