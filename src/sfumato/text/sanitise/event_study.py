"""The ready study of planted events: sanitisers against searchers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar, Literal, get_args

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.promise import NoGuarantee
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.study.study import Study
from sfumato.text.sanitise.analysis import PlainAnalyser
from sfumato.text.sanitise.information import InformationContent
from sfumato.text.sanitise.other_sanitisers import KSecurity, MutualInformation, NamesOnly
from sfumato.text.sanitise.planted_events import PlantedEvents, make_planted_events
from sfumato.text.sanitise.sanitiser import Sanitiser
from sfumato.text.sanitise.search_attack import SearchAttack
from sfumato.text.sanitise.search_index import SearchIndex
from sfumato.text.sanitise.searcher import CarefulSearcher
from sfumato.text.sanitise.what_is_left import label_accuracy, word_cosine, words_kept
from sfumato.validate import choice

__all__ = ["EventSanitiser", "study_of_events"]

Way = Literal["names only", "mutual information", "K-security", "one pass", "three words", "searcher"]
"""Names only, two sanitisers of the literature, the dissertation's pass, its fixed point, and ours."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EventSanitiser(Mechanism):
    """Sanitises the reports of planted events in one of several ways. Nothing is promised.

    Parameters
    ----------
    way : {"names only", "mutual information", "K-security", "one pass", "three words", "searcher"}
    """

    way: Way = "searcher"

    def __post_init__(self) -> None:
        choice("way", self.way, get_args(Way))

    @property
    def guarantee(self) -> NoGuarantee:
        return NoGuarantee("another searcher or a new page may find what this search did not", unit="document")

    def release(self, data: PlantedEvents, *, rng: Rng | None = None) -> PlantedEvents:
        index, content = _known(data.articles, data.reports, data.background)
        reports: Sequence[str]
        if self.way == "names only":
            reports = NamesOnly().sanitise(data.reports, data.names)
        elif self.way == "mutual information":
            reports = MutualInformation(index=index).sanitise(data.reports, data.names)
        elif self.way == "K-security":
            reports = KSecurity(index=index).sanitise(data.reports, content)
        else:
            attack = SearchAttack(searcher=CarefulSearcher(searcher=index), whole=self.way == "searcher")
            once = self.way == "one pass"
            remove: Literal["all", "fewest"] = "all" if once else "fewest"
            margin = 3 if self.way == "searcher" else 1
            sanitiser = Sanitiser(attack=attack, rounds=1 if once else 20, remove=remove, margin=margin)
            made = sanitiser.sanitise(data.reports, names=data.names, content=content)
            reports = [one.after for one in made]
        return replace(data, reports=tuple(reports))


@dataclass(frozen=True, kw_only=True, eq=False)
class EventSearch:
    """The share of people whom a searcher finds.

    Parameters
    ----------
    name : str
    whole, wider : bool
        Also paste the whole report; also take three more words and three times the pages.
    """

    criterion: ClassVar[Criterion] = "linkability"
    knows: ClassVar[str] = "the reports and all articles"

    name: str
    whole: bool = True
    wider: bool = False

    def attack(
        self, data: PlantedEvents, release: PlantedEvents, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        """How many reports lead to a page with the name; nobody is found by chance."""
        index, content = _known(data.articles, data.reports, data.background)
        attack = SearchAttack(searcher=CarefulSearcher(searcher=index), whole=self.whole)
        attack, words = attack.wider() if self.wider else attack, PlainAnalyser().words
        hits = []
        for text, names in zip(release.reports, data.names, strict=True):
            own = words(text)
            hits.append(bool(own and attack.attack(own, content, names=names).leads))
        return Score.of_share(hits, reference=0.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class EventUse:
    """What is left of the reports, by one measure."""

    better: ClassVar[Literal["higher"]] = "higher"

    name: str
    score: Callable[[PlantedEvents, PlantedEvents], Score]

    def measure(self, data: PlantedEvents, release: PlantedEvents, *, rng: Rng | None = None) -> Score:
        return self.score(data, release)


def study_of_events(*, events: int, distractors: int, background: int, wider: bool, seeds: int) -> Study:
    """Every way of sanitising against every searcher."""
    made = make_planted_events(events=events, distractors=distractors, background=background)
    attacks = [
        EventSearch(name="search (whole report)"),
        EventSearch(name="search (sets of three words)", whole=False),
    ]
    if wider:
        attacks.append(EventSearch(name="search (six words, 30 pages)", wider=True))
    return Study(
        name="events",
        title="Planted events: which words lead a searcher to the person",
        summary=f"{sum(made.reported)} of {len(made)} made-up accidents are in {len(made.articles)} articles. The "
        "reports were sanitised by hand; the searcher tries every set of three telling words and the whole report.",
        data=made,
        mechanisms={way: [EventSanitiser(way=way)] for way in get_args(Way)},
        attacks=attacks,
        utilities=[
            EventUse(name="words kept", score=_words),
            EventUse(name="cosine of words", score=_cosine),
            EventUse(name="label told", score=_label),
        ],
        seeds=seeds,
        records=len(made),
    )


def _words(data: PlantedEvents, release: PlantedEvents) -> Score:
    return words_kept(data.reports, release.reports, PlainAnalyser())


def _cosine(data: PlantedEvents, release: PlantedEvents) -> Score:
    return word_cosine(data.reports, release.reports)


def _label(data: PlantedEvents, release: PlantedEvents) -> Score:
    return label_accuracy(data.reports, release.reports, data.labels)


@lru_cache(maxsize=1)
def _known(
    articles: tuple[str, ...], reports: tuple[str, ...], background: tuple[str, ...]
) -> tuple[SearchIndex, InformationContent]:
    """The index of the articles and I(w) over the reports, made once in a process."""
    words = PlainAnalyser().words
    return SearchIndex.build(articles), InformationContent.of(words(text) for text in (*reports, *background))
