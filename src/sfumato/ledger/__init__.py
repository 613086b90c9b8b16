"""Privacy budgets that survive crashes."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
