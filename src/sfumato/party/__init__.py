"""Party: one number about each person, protected before it is collected."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
