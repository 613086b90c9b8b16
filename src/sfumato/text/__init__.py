"""Texts: mails, reviews, documents and bags of words that keep their topic and lose their author."""

from sfumato.attach import attach

__getattr__, __dir__, __all__ = attach(__name__)
