"""Made-up accidents, what newspapers wrote about some of them, and reports without names (Mimoto E6, §5.3 stand-in)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.noise import Rng, seeded_rng
from sfumato.validate import integer, probability

__all__ = ["PlantedEvents", "make_planted_events"]

_STARTS = (
    "bar",
    "cor",
    "dal",
    "el",
    "fen",
    "gar",
    "hol",
    "ing",
    "kel",
    "lor",
    "mar",
    "nor",
    "os",
    "pen",
    "ros",
    "sten",
    "tar",
    "ul",
    "ven",
    "wes",
)
_MIDDLES = ("a", "e", "i", "o", "u", "ar", "en", "il", "or", "un")
_PLACE_ENDS = ("ton", "ville", "ford", "burg", "mouth", "wick")
_WORD_ENDS = ("ax", "ent", "ible", "ock", "ulator", "igan", "omer", "ette", "ith", "anza", "oon", "urk")
_FIRST_ENDS = ("a", "o", "ie", "en", "is", "us")
_LAST_ENDS = ("sen", "man", "well", "berg", "kov", "ini")
_ACTIVITIES = (
    "swimming",
    "running",
    "climbing",
    "football",
    "judo",
    "cycling",
    "skiing",
    "rowing",
    "gymnastics",
    "hiking",
    "baseball",
    "tennis",
    "sailing",
    "dancing",
    "cleaning",
    "cooking",
    "painting",
    "fencing",
    "wrestling",
    "skating",
)
_WHERE = ("lesson", "training", "excursion")
_CAUSES = (
    "fall",
    "collision",
    "heatstroke",
    "drowning",
    "collapse",
    "fire",
    "lightning",
    "explosion",
    "avalanche",
    "electrocution",
    "suffocation",
    "poisoning",
    "crash",
    "bite",
    "flood",
    "landslide",
    "burn",
    "stumble",
    "cramp",
    "storm",
)
_HOW = ("sudden", "second", "late")
_GRADES = ("first", "second", "third", "fourth", "fifth", "sixth")
_REGIONS = ("north", "south", "east", "west")


@dataclass(frozen=True, kw_only=True)
class PlantedEvents:
    """Events and what was written about them.

    Parameters
    ----------
    originals : tuple of str
        The reports as they were written, with names and places.
    reports : tuple of str
        The same sanitised by hand: no names, regions for places, most rare words gone.
    names : tuple of tuple of str
        Who each is about.
    labels : tuple of str
        ``"fatal"`` or ``"other"``: what newspapers are interested in.
    rare : tuple of tuple of str
        The rare words of each event.
    articles : tuple of str
        What can be searched: articles with names about some of the events, and about others.
    reported : tuple of bool
        Whether there is an article about the event.
    background : tuple of str
        More reports of the same kind, to know which words are common.
    """

    originals: tuple[str, ...]
    reports: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]
    rare: tuple[tuple[str, ...], ...]
    articles: tuple[str, ...]
    reported: tuple[bool, ...]
    background: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.reports)

    def __repr__(self) -> str:
        return f"PlantedEvents({len(self)} events, {sum(self.reported)} in {len(self.articles)} articles)"


@dataclass(frozen=True, kw_only=True)
class _Event:
    name: str
    place: str
    activity: str
    setting: str
    cause: str
    how: str
    grade: str
    sex: str
    rare: tuple[str, ...]
    fatal: bool


def make_planted_events(
    *,
    events: int = 700,
    distractors: int = 20_000,
    background: int = 1600,
    places: int = 300,
    tail: int = 2000,
    kept: float = 0.45,
    fatal: float = 0.5,
    seed: int = 0,
) -> PlantedEvents:
    """Make up school accidents.

    Parameters
    ----------
    events, distractors, background : int
        Events with reports, articles about other events, and further reports.
    places, tail : int
        How many places and how many rare words there are.
    kept : float
        The share of rare words that sanitising by hand leaves.
    fatal : float
        The share of fatal events; 40 % of these and 5 % of the others are in the news.

    Examples
    --------
    >>> made = make_planted_events(events=20, distractors=50, background=10)
    >>> made
    PlantedEvents(20 events, 8 in 58 articles)
    >>> made.reports[0].split(",")[0].rpartition(" ")[0]
    'In a school in the'
    """
    integer("events", events), integer("distractors", distractors, least=0), integer("background", background, least=0)
    integer("places", places), integer("tail", tail, least=2)
    probability("kept", kept, zero=True, one=True), probability("fatal", fatal, zero=True, one=True)
    rng = seeded_rng(seed)
    towns = _distinct(rng, places, _PLACE_ENDS, capital=True)
    rare = _distinct(rng, tail, _WORD_ENDS)
    people = _people(rng, events + distractors)
    own = [_event(rng, name, towns, rare, fatal) for name in people[:events]]
    others = [_event(rng, name, towns, rare, fatal) for name in people[events:]]
    reported = [bool(rng.random() < (0.4 if one.fatal else 0.05)) for one in own]
    articles = [_article(one, rng) for one, shown in zip(own, reported, strict=True) if shown]
    articles += [_article(one, rng) for one in others]
    more = [_event(rng, "", towns, rare, fatal) for _ in range(background)]
    region = {town: _REGIONS[int(rng.integers(len(_REGIONS)))] for town in towns}
    return PlantedEvents(
        originals=tuple(_original(one) for one in own),
        reports=tuple(_report(one, region, kept, rng) for one in own),
        names=tuple((one.name,) for one in own),
        labels=tuple("fatal" if one.fatal else "other" for one in own),
        rare=tuple(one.rare for one in own),
        articles=tuple(articles[k] for k in rng.permutation(len(articles)).tolist()),
        reported=tuple(reported),
        background=tuple(_report(one, region, kept, rng) for one in more),
    )


def _pick(rng: Rng, options: tuple[str, ...] | list[str]) -> str:
    return options[int(rng.integers(len(options)))]


def _distinct(rng: Rng, count: int, ends: tuple[str, ...], *, capital: bool = False) -> list[str]:
    """Made-up words of three syllables or more, each once."""
    found: dict[str, None] = {}
    while len(found) < count:
        middle = "".join(_pick(rng, _MIDDLES) + _pick(rng, _STARTS) for _ in range(1 + int(rng.integers(2))))
        word = _pick(rng, _STARTS) + middle + _pick(rng, ends)
        found[word.capitalize() if capital else word] = None
    return list(found)


def _people(rng: Rng, count: int) -> list[str]:
    firsts = [_pick(rng, _STARTS) + _pick(rng, _MIDDLES) + _pick(rng, _FIRST_ENDS) for _ in range(400)]
    lasts = _distinct(rng, max(2, count), _LAST_ENDS)
    return [f"{_pick(rng, firsts).capitalize()} {last.capitalize()}" for last in lasts[:count]]


def _event(rng: Rng, name: str, towns: list[str], rare: list[str], fatal: float) -> _Event:
    picked = np.unique(rng.integers(len(rare), size=int(rng.integers(3))))
    return _Event(
        name=name,
        place=_pick(rng, towns),
        activity=_pick(rng, _ACTIVITIES),
        setting=_pick(rng, _WHERE),
        cause=_pick(rng, _CAUSES),
        how=_pick(rng, _HOW),
        grade=_pick(rng, _GRADES),
        sex=_pick(rng, ("girl", "boy")),
        rare=tuple(rare[k] for k in picked.tolist()),
        fatal=bool(rng.random() < fatal),
    )


def _end(one: _Event) -> str:
    return "The pupil died the same day." if one.fatal else "The pupil recovered after treatment."


def _original(one: _Event) -> str:
    things = "".join(f" The {word} was involved." for word in one.rare)
    return (
        f"In a school in {one.place}, {one.name}, a {one.sex} of the {one.grade} grade, had an accident in a "
        f"{one.activity} {one.setting} after a {one.how} {one.cause}.{things} {_end(one)}"
    )


def _report(one: _Event, region: dict[str, str], kept: float, rng: Rng) -> str:
    left = [word for word in one.rare if rng.random() < kept]
    things = "".join(f" The {word} was involved." for word in left)
    return (
        f"In a school in the {region[one.place]}, a {one.sex} of the {one.grade} grade had an accident in a "
        f"{one.activity} {one.setting} after a {one.how} {one.cause}.{things} {_end(one)}"
    )


def _article(one: _Event, rng: Rng) -> str:
    things = " and ".join(one.rare)
    ending = "lost their life" if one.fatal else "was taken to hospital"
    told = f" Witnesses spoke of the {things}." if things else ""
    return (
        f"{one.place}: {one.name} {ending} in a {one.activity} {one.setting}. A {one.how} {one.cause} is said to be "
        f"the reason.{told} The {one.sex} was in the {one.grade} grade. Police asked {int(rng.integers(2, 40))} people."
    )
