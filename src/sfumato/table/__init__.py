"""Tables with quasi-identifiers: protect them, attack the release, measure what is left."""

from sfumato.table.decide import GlobalRecoding, LocalRecoding
from sfumato.table.hierarchy import Hierarchy
from sfumato.table.promise import (
    AllOf,
    DeltaPresence,
    LDiversity,
    RecursiveDiversity,
    ReidentificationRisk,
    TCloseness,
)
from sfumato.table.protect import Protected, protect, protect_file
from sfumato.table.release import Lineage
from sfumato.table.schema import Schema

__all__ = [
    "AllOf",
    "DeltaPresence",
    "GlobalRecoding",
    "Hierarchy",
    "LDiversity",
    "Lineage",
    "LocalRecoding",
    "Protected",
    "RecursiveDiversity",
    "ReidentificationRisk",
    "Schema",
    "TCloseness",
    "protect",
    "protect_file",
]
