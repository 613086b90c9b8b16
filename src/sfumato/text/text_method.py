"""How texts are protected: the mechanism by its name, its public parameters, and a first stage."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from sfumato.errors import InputError, bad_input
from sfumato.study.settings import build
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.core.torch_run import neural_torch
from sfumato.text.mechanisms.base import TextMechanism, VocabularyMechanism
from sfumato.text.mechanisms.responses.response_mechanism import ResponseMechanism
from sfumato.text.mechanisms.retrieve.film_reviews import film_reviews_pool
from sfumato.text.mechanisms.retrieve.retrieval_mechanism import RetrievalMechanism
from sfumato.text.mechanisms.rewrite.rewriting_model import RewritingModel
from sfumato.text.room import ROOM
from sfumato.text.sanitise.sanitised_release import SANITISER
from sfumato.text.scrub.cascade import model_is_installed, quick_recognisers
from sfumato.text.scrub.scrubbed_first import ScrubbedFirst
from sfumato.text.scrub.scrubber import Scrubber
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.text.vocabulary.vocabulary_recipe import VocabularyRecipe
from sfumato.validate import choice

if TYPE_CHECKING:
    from sfumato.release import Card

__all__ = ["LENGTH", "NAMES", "TextMethod", "default_names", "gives_texts", "kinds", "recognisers_of"]

LENGTH = 150
NAMES = {
    "lists": "lists and greetings",
    "capitals": "also every capital that nothing else explains, so firms go too",
    "model": "also a language model, slowly",
    "cautious": "also a language model, and capitals that it does not explain either",
}
"""How scrubbing knows names, each with what it does."""


def default_names() -> str:
    """``cautious`` where the ``text`` extra is installed, ``lists`` elsewhere."""
    return "cautious" if model_is_installed() else "lists"


_HIDDEN = (
    "column", "own_documents", "pool", "authors", "model", "rating", "recognisers", "key", "initial", "first", "then",
)  # fmt: skip
"""Parameters that no option can set: they are objects, secrets, or decided by other options."""

_NETWORKS = ("average-aae", "code-vae", "dp-aae", "dp-vae", "plain-vae", "private-skip-gram")
"""What :func:`kinds` has only where PyTorch is installed."""


@cache
def kinds() -> dict[str, type]:
    """The mechanisms by their names."""
    return ROOM.mechanisms()


def kind_named(mechanism: str) -> type:
    """The mechanism of this name; if it is a network, PyTorch is asked for before any work."""
    if mechanism in _NETWORKS:
        neural_torch()
    return kinds()[choice("mechanism", mechanism, list(kinds()))]


def gives_texts(mechanism: str) -> bool:
    """Whether texts come out of a mechanism, and not word vectors."""
    return issubclass(kind_named(mechanism), TextMechanism)


@dataclass(frozen=True, kw_only=True)
class TextMethod:
    """The public part of a request to protect texts; a card holds it, so that it can be made again.

    Parameters
    ----------
    mechanism : str
    column : str
        The column that holds the texts.
    epsilon : float, optional
        Per word; of ``private-skip-gram``, per person; of a response and a retrieval, per text.
    length : int, optional
        SynTF: words in every release.
    scrub : bool
        Mask names and numbers first.
    names : {"lists", "capitals", "model", "cautious"}
        How scrubbing knows names.
    settings : mapping
        More parameters of the mechanism.
    vocabulary : VocabularyRecipe, optional
        What its vocabulary is; see :meth:`settle`.
    pool : mapping, optional
        What its pool of public texts is; see :meth:`PublicPool.to_card`.
    authors : mapping, optional
        What the texts are that tell what authors have of their own, which is left out; see :meth:`PublicPool.to_card`.
    averaged : bool
        One release for all texts of an author.
    model : mapping, optional
        What its trained network is; see :meth:`RewritingModel.to_card`.
    review : mapping, optional
        How much of what the scrubber found was decided by a reviewer; see :meth:`SpanReview.to_card`.
    """

    mechanism: str = "syntf"
    column: str = "text"
    epsilon: float | None = None
    length: int | None = None
    scrub: bool = False
    names: str = "lists"
    settings: Mapping[str, Any] = field(default_factory=dict)
    vocabulary: VocabularyRecipe | None = None
    pool: Mapping[str, Any] | None = None
    authors: Mapping[str, Any] | None = None
    averaged: bool = False
    model: Mapping[str, Any] | None = None
    review: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        kind_named(self.mechanism)
        choice("names", self.names, list(NAMES))
        for name in ("epsilon", "length"):
            if name in self.settings:
                raise bad_input("settings", name, "each parameter in one place", f"say it with {name}= or --{name}")
        if self.has("epsilon") and self.epsilon is None:
            raise bad_input("epsilon", None, "a number > 0", "name the budget with --epsilon")
        if not self.has("epsilon") and self.epsilon is not None:
            raise bad_input("epsilon", self.epsilon, f"no budget for {self.mechanism}", "it promises nothing at any ε")
        if self.review is not None and not issubclass(self.kind, Scrubber):
            raise bad_input("review", "a review", "the scrubber", "only what it finds can be reviewed")
        if self.averaged and not self.responds:
            raise bad_input("averaged", True, "topic-response or neighbourhood-response")

    @property
    def responds(self) -> bool:
        """Whether public texts stand in for the protected ones."""
        return issubclass(self.kind, ResponseMechanism)

    @property
    def states(self) -> bool:
        """Whether public texts are released, which may state a topic."""
        return issubclass(self.kind, (ResponseMechanism, RetrievalMechanism))

    def usual_pool(self) -> PublicPool | None:
        """The public texts of a private retrieval for which none are named."""
        return film_reviews_pool() if issubclass(self.kind, RetrievalMechanism) else None

    @property
    def kind(self) -> type:
        """The class of the mechanism."""
        return kinds()[self.mechanism]

    @property
    def on_texts(self) -> bool:
        """Whether texts come out, and not word vectors."""
        return gives_texts(self.mechanism)

    @property
    def pseudonyms(self) -> bool:
        """Whether things are replaced by pseudonyms, which need a secret."""
        return issubclass(self.kind, Scrubber) and self.settings.get("replacement") == "pseudonym"

    @property
    def content(self) -> bool:
        """Whether the vocabulary should have no stop words."""
        return issubclass(self.kind, VocabularyMechanism) and self.kind.content_words

    def has(self, name: str) -> bool:
        """Whether the mechanism has a parameter of this name."""
        return name in {one.name for one in dataclasses.fields(self.kind)}

    def settle(
        self,
        given: Vocabulary | Sequence[str] | None,
        *,
        words: int | None,
        synsets: bool,
        pool: PublicPool | None = None,
        known: PublicPool | None = None,
        model: RewritingModel | None = None,
    ) -> tuple[TextMethod, Vocabulary | tuple[str, ...] | None]:
        """The method with its vocabulary, loaded only if the mechanism has one, its pool and its model."""
        if known is not None and not self.has("authors"):
            raise bad_input("known", known, f"no known authors for {self.mechanism}", "code-response takes them")
        if self.has("model") != (model is not None):
            wanted = "a trained network" if self.has("model") else f"no model for {self.mechanism}"
            raise bad_input("model", model, wanted, "name it with model= or --model" if self.has("model") else "")
        if model is not None:
            return dataclasses.replace(self, model=model.to_card()), None
        if self.states != (pool is not None):
            wanted = "public texts" if self.states else f"no pool for {self.mechanism}"
            raise bad_input("pool", pool, wanted, "name them with pool= or --pool" if self.states else "")
        if pool is not None:
            erased = None if known is None else known.to_card()
            return dataclasses.replace(self, pool=pool.to_card(), authors=erased), None
        if not self.has("vocabulary"):
            return self, None
        recipe, made = VocabularyRecipe.settle(given, count=words, content=self.content, synsets=synsets)
        return dataclasses.replace(self, vocabulary=recipe), made

    def build(
        self,
        vocabulary: Vocabulary | tuple[str, ...] | None,
        *,
        pool: PublicPool | None = None,
        known: PublicPool | None = None,
        model: RewritingModel | None = None,
        pseudonyms: bytes | None = None,
    ) -> Any:
        """The mechanism; with a first stage if the texts are scrubbed before."""
        given: dict[str, Any] = {"epsilon": self.epsilon, "length": self.length, **self.settings}
        if self.has("length"):
            given["length"] = self.length or LENGTH
        given = {name: value for name, value in given.items() if value is not None}
        fixed: dict[str, Any] = {"column": self.column}
        if vocabulary is not None:
            fixed["vocabulary"] = vocabulary
        if pool is not None:
            fixed["pool"] = pool
        if known is not None:
            fixed["authors"] = known
        if model is not None:
            fixed["model"] = model
        if issubclass(self.kind, Scrubber):
            fixed["recognisers"] = recognisers_of(self.names)
            if self.pseudonyms:
                fixed["key"] = pseudonyms
        made = build(kinds(), self.mechanism, given, hidden=_HIDDEN, **fixed)
        if self.first is None or not isinstance(made, TextMechanism):
            return made
        return ScrubbedFirst(first=self.first, then=made, column=self.column)

    @property
    def first(self) -> Scrubber | None:
        """What the texts go through before, if they are scrubbed first."""
        if not self.scrub or issubclass(self.kind, Scrubber):
            return None
        return Scrubber(recognisers=recognisers_of(self.names), together=False)

    def public(self) -> dict[str, Any]:
        """What a card says: everything that differs from the defaults, as plain values."""
        defaults = {one.name: one.default for one in dataclasses.fields(self)}
        values = {one.name: getattr(self, one.name) for one in dataclasses.fields(self) if one.name != "mechanism"}
        given = {name: value for name, value in values.items() if value != defaults[name]}
        given |= {"column": self.column, "settings": dict(self.settings)}
        if self.has("length"):
            given["length"] = self.length or LENGTH
        if self.vocabulary is not None:
            given["vocabulary"] = self.vocabulary.to_card()
        return given

    @classmethod
    def of_card(cls, card: Card) -> TextMethod:
        """What a card says, read again."""
        given = dict(card.mechanism.parameters)
        if card.mechanism.name == SANITISER:
            raise bad_input(
                "release",
                "documents that were sanitised",
                "a release of sfumato text protect",
                "search again instead: sfumato text sanitise RELEASE --search-index INDEX",
            )
        if given.get("documents"):
            raise bad_input(
                "release",
                "documents that were scrubbed",
                "a table of texts",
                "sfumato text protect --mechanism scrubber gives one, which can be attacked and measured",
            )
        recipe = given.pop("vocabulary", None)
        try:
            return cls(
                mechanism=card.mechanism.name,
                vocabulary=None if recipe is None else VocabularyRecipe.from_card(recipe),
                **given,
            )
        except TypeError as error:
            raise InputError("the card's parameters cannot be read: expected those of a release of texts") from error

    def again(
        self,
        vocabulary: Vocabulary | Sequence[str] | None = None,
        *,
        pool: PublicPool | None = None,
        known: PublicPool | None = None,
        model: RewritingModel | None = None,
        pseudonyms: bytes | None = None,
    ) -> Any:
        """The mechanism that the card names: GloVe is loaded, another vocabulary, a pool or a model is given again."""
        if self.model is not None:
            if model is None:
                raise bad_input("model", None, "the trained network that was used", "--model FILE")
            model.check_card(self.model)
            return self.build(None, model=model)
        if self.pool is not None:
            pool = self.usual_pool() if pool is None else pool
            if pool is None:
                raise bad_input(
                    "pool", None, f"the {self.pool.get('texts')} public texts that were used", "--pool FILE"
                )
            pool.check_card(self.pool)
            if self.authors is None:
                return self.build(None, pool=pool)
            if known is None:
                wanted = f"the {self.authors.get('texts')} texts of known authors that were used"
                raise bad_input("known", None, wanted, "--known FILE")
            known.check_card(self.authors)
            return self.build(None, pool=pool, known=known)
        if self.pseudonyms and pseudonyms is None:
            raise bad_input("key", None, "the private key: it holds the secret of the pseudonyms", "--key FILE")
        made = None if self.vocabulary is None else self.vocabulary.make(vocabulary)
        return self.build(made, pseudonyms=pseudonyms)


def recognisers_of(names: str) -> tuple[Any, ...]:
    """The recognisers that one of :data:`NAMES` stands for."""
    from sfumato import text

    if names in ("model", "cautious"):
        return (text.Cascade(cautious=names == "cautious"),)
    quick = quick_recognisers()
    return quick if names == "lists" else (*quick, text.CapitalRecogniser())
