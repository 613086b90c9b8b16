"""What can be said of a release before it is made and paid for: its promise, the risk that it leaves, what it loses.

A preview is no answer about the data. It follows from the settings and from what is public, the number of records among
it; where a mechanism promises no differential privacy, what it does to the data may be tried out, for the owner's eyes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from sfumato.errors import InfeasibleError, InputError, bad_input
from sfumato.promise import Guarantee, PureDP

__all__ = [
    "Dial",
    "Foreseen",
    "Preview",
    "best_guess",
    "epsilon_dial",
    "epsilon_for_guess",
    "error_of_share",
    "setting_for",
]

LEVEL = 0.95
_FINER = 10
"""A solution is looked for in steps that many times finer than those of the dial."""


@dataclass(frozen=True, kw_only=True)
class Foreseen:
    """One number that is known before a release is made.

    Parameters
    ----------
    name : str
    value : float
    words : str
        What it is, to stand beside the number.
    why : str
        How it comes about, in a sentence or two.
    share : bool
        It is a share of 1, and not a number of people or things.
    risk : bool
        It is about what an attacker learns; otherwise about what is lost for use.
    by : str
        The dial that moves it, if it can be asked for: see :func:`setting_for`.
    """

    name: str
    value: float
    words: str
    why: str
    share: bool = True
    risk: bool = False
    by: str = ""

    def __str__(self) -> str:
        """Words, number and reason in one line."""
        return f"{self.words}: {f'{100 * self.value:.3g} %' if self.share else f'{self.value:.3g}'}. {self.why}"


@dataclass(frozen=True, kw_only=True)
class Dial:
    """An argument of ``protect`` that can be moved between two values."""

    name: str
    words: str
    value: float
    low: float
    high: float
    step: float

    @property
    def whole(self) -> bool:
        """Whether it is a whole number."""
        return self.step == int(self.step) and self.low == int(self.low)


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What is known of a release before it is made.

    Parameters
    ----------
    promise : Guarantee
        As the card will state it for one unit.
    figures : tuple of Foreseen
    dials : tuple of Dial
    notes : tuple of str
        What cannot be said before, and why.
    per_person : Guarantee, optional
        The promise for everything of one person, where that is more than one unit: a ledger is charged with it.
    """

    promise: Guarantee
    figures: tuple[Foreseen, ...] = ()
    dials: tuple[Dial, ...] = ()
    notes: tuple[str, ...] = ()
    per_person: Guarantee | None = None

    @property
    def charged(self) -> Guarantee:
        """What a ledger is charged with when it is released."""
        return self.per_person or self.promise

    def figure(self, name: str) -> Foreseen:
        """The figure of this name."""
        found = next((one for one in self.figures if one.name == name), None)
        if found is None:
            raise bad_input("figure", name, "one of " + ", ".join(one.name for one in self.figures))
        return found

    def dial(self, name: str) -> Dial:
        """The dial of this name."""
        found = next((one for one in self.dials if one.name == name), None)
        if found is None:
            raise bad_input("dial", name, "one of " + ", ".join(one.name for one in self.dials))
        return found


def setting_for(make: Callable[[float], Preview], dial: Dial, figure: str, wanted: float) -> float:
    """Where a dial has to stand so that a figure is at most what is wanted, and as little as possible is given for it.

    Parameters
    ----------
    make : callable
        Gives the preview for a value of the dial. The figure rises with it, or falls.

    Examples
    --------
    >>> from sfumato.promise import PureDP
    >>> def make(epsilon):
    ...     promise = PureDP(epsilon)
    ...     return Preview(promise=promise, figures=(best_guess(promise, "two records"),))
    >>> setting_for(make, epsilon_dial(1.0), "guess", 0.6)
    0.405
    """
    fine = float(dial.step) if dial.whole else dial.step / _FINER
    last = round((dial.high - dial.low) / fine)

    def value(place: int) -> float:
        return round(dial.low + place * fine, 10)

    def kept(place: int) -> bool:
        return make(value(place)).figure(figure).value <= wanted

    first, final = (make(value(place)).figure(figure).value for place in (0, last))
    rises = first < final
    good, bad = (0, last) if rises else (last, 0)
    if not kept(good):
        percent = make(value(good)).figure(figure).share
        asked, least = (f"{100 * one:.3g} %" if percent else f"{one:.3g}" for one in (wanted, min(first, final)))
        raise InfeasibleError(f"{asked} is not to be had: expected {least} or more, with {dial.name} = {value(good):g}")
    if kept(bad):
        return value(bad)
    while abs(good - bad) > 1:  # at good it is kept, at bad it is not
        middle = (good + bad) // 2
        good, bad = (middle, bad) if kept(middle) else (good, middle)
    return value(good)


def best_guess(promise: Guarantee, of: str, by: str = "epsilon") -> Foreseen:
    """The chance that a promise leaves to whoever wants to tell two of something apart.

    One of them stands for the other: a promise for somebody who comes or goes covers that twice over. A promise within
    a radius is about two that are no farther apart, and says so.

    >>> from sfumato.promise import PureDP
    >>> [round(best_guess(PureDP(1.0, neighbours=kind), "two").value, 3) for kind in ("replace-one", "add-remove")]
    [0.731, 0.881]
    """
    try:
        chance = (promise if promise.reach is not None else promise.as_replace_one()).best_guess
    except InputError:  # two steps of it promise nothing any more
        chance = 1.0
    bounded = chance < 1
    return Foreseen(
        name="guess",
        value=chance,
        words=f"chance at most to tell {of} apart that were equally likely",
        why="Somebody who knows everything else and holds both for equally likely guesses from what leaves; "
        + ("no attack does better." if bounded else "no bound is proved for it.")
        + " Half is a coin.",
        risk=True,
        by=by if bounded else "",
    )


def epsilon_for_guess(chance: float) -> float:
    """The largest ε, rounded down to three digits, that leaves no more than this chance (:func:`best_guess`).

    ε = ln(p/(1 − p)) for replaced records, what randomised response reaches.

    >>> epsilon_for_guess(0.6)
    0.405
    """
    if not 0.5 < chance < 1:
        raise bad_input("chance", chance, "more than 0.5, a coin, and less than 1")
    exact = math.log(chance / (1 - chance))
    step = 10.0 ** (math.floor(math.log10(exact)) - 2)
    found = float(f"{math.floor(exact / step) * step:.3g}")
    return found if PureDP(found).best_guess <= chance else float(f"{found - step:.3g}")


def error_of_share(margin: float, of: str, why: str) -> Foreseen:
    """How far off a share will be."""
    return Foreseen(
        name="margin", value=min(margin, 1.0), words=f"error at most of the share of {of}", why=why, by="epsilon"
    )


def epsilon_dial(value: float, words: str = "ε", name: str = "epsilon") -> Dial:
    """A dial for the privacy loss."""
    return Dial(name=name, words=words, value=value, low=0.05, high=max(8.0, math.ceil(value)), step=0.05)
