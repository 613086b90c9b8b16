"""Where the work runs: DuckDB on this machine, Spark on a cluster. An engine summarises and recodes, no more."""

from sfumato.engine.base import COUNT, Engine, Recode, find_engine
from sfumato.engine.source import Source
from sfumato.engine.staging import staged

__all__ = ["COUNT", "Engine", "Recode", "Source", "find_engine", "staged"]
