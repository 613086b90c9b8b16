"""The plan of a rewriting network: what its latent is and how large its parts are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self, get_args

from sfumato.errors import bad_input
from sfumato.validate import choice, integer, positive

__all__ = ["Latent", "RewritingDesign"]

Latent = Literal["plain", "bounded", "split", "code"]
"""A Gaussian whose spread depends on the text; one with a bounded mean and a fixed spread; content beside author; or
a code of a label and a topic."""


@dataclass(frozen=True, kw_only=True)
class RewritingDesign:
    """Sizes and kind of a rewriting network.

    Parameters
    ----------
    latent : {"plain", "bounded", "split", "code"}
        V-VAE, DP-VAE, AAE (content and author apart), or VQ-VAE of whole documents.
    size : int
        Numbers in the latent; of a split one, in its content part.
    author_size : int
        Numbers in the author part of a split latent.
    embedding, hidden : int
        Of word vectors and of the recurrent states.
    radius : float
        R, the ball of a bounded mean.
    labels : tuple of str
        Of a code: the public labels, such as sentiments, that its first part names.
    topics : int
        Of a code: how many values its second part has.
    authors : tuple of str
        Of a split latent: the authors of the training texts.

    Examples
    --------
    >>> RewritingDesign(latent="code", labels=("bad", "good"), topics=8).codes
    16
    """

    latent: Latent = "bounded"
    size: int = 16
    author_size: int = 8
    embedding: int = 64
    hidden: int = 64
    radius: float = 3.0
    labels: tuple[str, ...] = ()
    topics: int = 1
    authors: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        choice("latent", self.latent, get_args(Latent))
        for name in ("size", "author_size", "embedding", "hidden", "topics"):
            integer(name, getattr(self, name))
        positive("radius", self.radius, "the ball of the means has R > 0")
        for name in ("labels", "authors"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if self.latent == "code" and len(set(self.labels)) < 2:
            raise bad_input("labels", self.labels, "at least two public labels", "a code names one of them")
        if self.latent == "split" and len(set(self.authors)) < 2:
            raise bad_input(
                "authors", self.authors, "at least two authors", "their part of the latent is learned apart"
            )

    @property
    def codes(self) -> int:
        """How many codes there are."""
        return len(self.labels) * self.topics

    @property
    def width(self) -> int:
        """Numbers that the decoder reads."""
        return self.size + (self.author_size if self.latent == "split" else 0)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """From plain values."""
        return cls(**record)
