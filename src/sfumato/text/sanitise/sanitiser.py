"""Search, remove what leads to the person, search again, until nothing is found or a budget ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from sfumato.errors import bad_input
from sfumato.promise import NoGuarantee
from sfumato.text.core.corpus import check_texts
from sfumato.text.sanitise.analysis import Word, normal
from sfumato.text.sanitise.generalisation import GAP, Generalisation
from sfumato.text.sanitise.information import InformationContent
from sfumato.text.sanitise.search_attack import SearchAttack, SearchFinding, names_pattern
from sfumato.validate import choice, integer

__all__ = ["Sanitised", "Sanitiser", "State", "fewest_words"]

State = Literal["nothing found", "still found", "not checked"]


@dataclass(frozen=True, kw_only=True)
class Sanitised:
    """One document before and after.

    Parameters
    ----------
    before, after : str
    first, last : SearchFinding
        What was found with the document as it came, and what with the document as it leaves: the residual risk.
    removed : tuple of str
        The forms that were generalised or removed, in their order.
    rounds : int
        How often words were taken out.
    queries : int
        All searches together.
    kept : float
        The share of its words that are left.
    """

    before: str
    after: str
    first: SearchFinding
    last: SearchFinding
    removed: tuple[str, ...]
    rounds: int
    queries: int
    kept: float

    @property
    def shortest_leads(self) -> tuple[tuple[str, ...], ...]:
        """The sets of words that led to the person, without those that hold another one."""
        sets = [set(lead) for lead in self.first.leads]
        kept = [lead for lead in self.first.leads if not any(other < set(lead) for other in sets)]
        return tuple(dict.fromkeys(kept))

    @property
    def state(self) -> State:
        """What the last round of searches says. A search without an answer says nothing, least of all “safe”."""
        if self.last.leads:
            return "still found"
        return "nothing found" if self.last.checked else "not checked"


@dataclass(frozen=True, kw_only=True, eq=False)
class Sanitiser:
    """Removes the words by which a searcher finds the person, and only those (Mimoto ch. 6, iterated).

    The dissertation makes one pass. That is not enough: taking the most telling words out promotes others. Here the
    attack is repeated on what is left until no search succeeds, or until ``rounds`` are used up; what is still found
    then is the residual risk and is reported.

    Words go until the person is on none of the first pages, and whoever knows that looks at the next one: it often
    names them. So ``margin`` times the pages of the searcher must not name the person.

    Nothing is promised. Another searcher, more pages, or a page that is written tomorrow may still lead to the person.

    Parameters
    ----------
    attack : SearchAttack
        The searcher that is feared.
    generalisation : Generalisation
        What stands for a word that has to go.
    remove : {"fewest", "all"}
        Of the sets that lead to the person, take out the fewest words that break every set, or all words (as printed).
    rounds : int
        The budget.
    margin : int
        How many times the pages of the feared searcher are looked at here. The dissertation has 1.

    Examples
    --------
    >>> from sfumato.text import SearchIndex
    >>> news = SearchIndex.build(["Ann Ray drowned off the trimaran", "A trimaran won the race", "School begins"])
    >>> sanitiser = Sanitiser(attack=SearchAttack(searcher=news))
    >>> (report,) = sanitiser.sanitise(["A pupil drowned when a trimaran sank."], names=[["Ann Ray"]])
    >>> report.state, report.after
    ('nothing found', 'A pupil […] when a […] sank.')
    """

    attack: SearchAttack
    generalisation: Generalisation = field(default_factory=Generalisation)
    remove: Literal["fewest", "all"] = "fewest"
    rounds: int = 20
    margin: int = 3

    def __post_init__(self) -> None:
        if not isinstance(self.attack, SearchAttack):
            raise bad_input("attack", type(self.attack).__name__, "a SearchAttack")
        choice("remove", self.remove, ("fewest", "all"))
        integer("rounds", self.rounds, least=0)
        integer("margin", self.margin)

    @cached_property
    def searches(self) -> SearchAttack:
        """The searcher that is feared, with the margin."""
        return replace(self.attack, hits=self.margin * self.attack.hits)

    @property
    def guarantee(self) -> NoGuarantee:
        """None: it is as good as the searcher it was tried against."""
        return NoGuarantee("another searcher or a new page may find what this search did not", unit="document")

    def content(
        self,
        documents: Sequence[str],
        background: Iterable[str] = (),
        *,
        weights: Mapping[str, float] | None = None,
    ) -> InformationContent:
        """I(w) over the documents and a background of documents like them; ``weights`` change ε(w) of some kinds."""
        words = self.attack.analyser.words
        return InformationContent.of((words(normal(text)) for text in (*documents, *background)), weights=weights)

    def sanitise(
        self,
        documents: Sequence[str],
        *,
        names: Sequence[Sequence[str]] | None = None,
        background: Iterable[str] = (),
        labels: Sequence[str] | None = None,
        content: InformationContent | None = None,
        advance: Callable[[int], None] | None = None,
    ) -> list[Sanitised]:
        """Sanitise each document.

        Parameters
        ----------
        documents : sequence of str
        names : sequence of sequence of str, optional
            The names of the person behind each; without them the name-free index decides.
        background : iterable of str
            Documents like these, to know which words are common.
        labels : sequence of str, optional
            Interest labels, if the number of keywords depends on them.
        content : InformationContent, optional
            Known beforehand.
        advance : callable, optional
            Called with 1 after each document.
        """
        texts = [normal(text) for text in check_texts(documents, "documents")]
        for place, text in enumerate(texts):
            if not text.strip():
                raise bad_input(f"documents[{place}]", "empty", "a text")
        for what, given in (("names", names), ("labels", labels)):
            if given is not None and len(given) != len(texts):
                raise bad_input(what, len(given), f"one entry for each of the {len(texts)} documents")
        known = content or self.content(texts, background)
        made = []
        for place, text in enumerate(texts):
            own = None if names is None else names[place]
            made.append(self.sanitise_one(text, known, names=own, label=None if labels is None else labels[place]))
            if advance is not None:
                advance(1)
        return made

    def sanitise_one(
        self,
        text: str,
        content: InformationContent,
        *,
        names: Sequence[str] | None = None,
        label: str | None = None,
        beside: Sequence[Word] = (),
    ) -> Sanitised:
        """Sanitise one document; ``beside`` are words that the searcher also has and that cannot be taken back."""
        analyse = self.attack.analyser.words
        before = text
        if names is not None:
            text = names_pattern(names, self.attack.analyser).sub(GAP, text)
        words = analyse(text)
        size = len(analyse(before))
        if not words and not beside:
            raise bad_input("document", "no words", "a text with words")
        found = first = self.searches.attack([*beside, *words], content, names=names, label=label)
        gone: dict[str, None] = {}
        steps: dict[str, int] = {}
        rounds, queries, replaced = 0, first.queries, 0
        while found.leads and rounds < self.rounds:
            here = {word.form for word in words}
            leads = [lead for lead in (tuple(w for w in lead if w in here) for lead in found.leads) if lead]
            if not leads:  # what was published before is enough: nothing here can be taken out against it
                break
            every = {form for lead in leads for form in lead}
            ranked = content.keywords(words, len(words), diverse=False)
            forms = every if self.remove == "all" else fewest_words(leads, [word.form for word in ranked])
            text, made = self.generalisation.rewrite(text, words, forms, steps)
            replaced += len(made)
            gone.update(dict.fromkeys(sorted(forms)))
            words = analyse(text)
            rounds += 1
            if not any(word.kind != "function" for word in (*beside, *words)):
                found = SearchFinding(keywords=(), queries=0, leads=(), checked=found.checked)
                break
            found = self.searches.attack([*beside, *words], content, names=names, label=label)
            queries += found.queries
        kept = max(0.0, 1 - replaced / size) if size else 1.0
        return Sanitised(
            before=before,
            after=text,
            first=first,
            last=found,
            removed=tuple(gone),
            rounds=rounds,
            queries=queries,
            kept=kept,
        )


def fewest_words(leads: Sequence[Collection[str]], order: Sequence[str]) -> set[str]:
    """A few words that break every set, found greedily: the word in most unbroken sets, the first of equals.

    >>> sorted(fewest_words([("plane",), ("plane", "lake"), ("lake", "storm")], ["lake", "storm", "plane"]))
    ['lake', 'plane']
    """
    open_sets, chosen = [set(lead) for lead in leads], set()
    place = {form: k for k, form in reversed(list(enumerate(order)))}
    for lead in open_sets:
        if len(lead) == 1:
            chosen |= lead
    open_sets = [lead for lead in open_sets if not lead & chosen]
    while open_sets:
        counts = Counter(form for lead in open_sets for form in lead)
        best = min(counts, key=lambda form: (-counts[form], place.get(form, len(order)), form))
        chosen.add(best)
        open_sets = [lead for lead in open_sets if best not in lead]
    return chosen
