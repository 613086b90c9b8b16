"""sfumato: protect a data set, attack the result, measure what is left, report all three.

Rooms (:mod:`sfumato.statistic`, :mod:`sfumato.direction`, :mod:`sfumato.table`, …) hold the mechanisms, attacks and
utilities of one kind of data. They stand on :mod:`sfumato.privacy` (promises, budgets, audits),
:mod:`sfumato.noise` (samplers) and :mod:`sfumato.mechanism` (the textbook mechanisms). Sub-packages load on first use.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from sfumato.errors import BudgetError, InfeasibleError, InputError, SfumatoError

__all__ = ["BudgetError", "InfeasibleError", "InputError", "SfumatoError", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> ModuleType:
    if any(module.name == name for module in pkgutil.iter_modules(__path__)):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(module.name for module in pkgutil.iter_modules(__path__))})
