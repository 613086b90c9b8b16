"""What searches: a protocol, so that any index or web service can be plugged in, and a careful way to call it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from sfumato.errors import SfumatoError, bad_input
from sfumato.validate import integer, positive

__all__ = ["CarefulSearcher", "Page", "SearchFailure", "Searcher", "Together"]

Together = Literal["all", "any"]
"""Whether a page must have all the words of a query, or any of them."""


class Page(NamedTuple):
    """What a search shows: where it is and what it says."""

    address: str
    text: str


class SearchFailure(SfumatoError):
    """A search gave no answer, even after retries: nothing is known about the document."""


@runtime_checkable
class Searcher(Protocol):
    """Anything that finds pages by words."""

    def search(self, words: Sequence[str], hits: int, *, together: Together = "all") -> list[Page]:
        """At most ``hits`` pages, the best first. A service that does not answer raises TimeoutError or OSError."""


@dataclass(kw_only=True, eq=False)
class CarefulSearcher:
    """Remembers answers, keeps to a rate, and tries again when a service does not answer.

    Parameters
    ----------
    searcher : Searcher
    rate : float, optional
        Searches per second at most.
    retries : int
        After the first try; then the search has failed and its document is “not checked”, never “safe”.
    wait : float
        Seconds before the first retry; twice as long before each further one.

    Examples
    --------
    >>> class Slow:
    ...     def search(self, words, hits, *, together="all"):
    ...         raise TimeoutError("no answer")
    >>> CarefulSearcher(searcher=Slow(), retries=1, wait=0.001).search(["tea"], 10)
    Traceback (most recent call last):
    sfumato.text.sanitise.searcher.SearchFailure: no answer to a search after 2 tries: TimeoutError
    """

    searcher: Searcher
    rate: float | None = None
    retries: int = 2
    wait: float = 0.5
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.searcher, Searcher):
            raise bad_input("searcher", type(self.searcher).__name__, "something with search(words, hits, together=…)")
        if self.rate is not None:
            positive("rate", self.rate)
        integer("retries", self.retries, least=0)
        positive("wait", self.wait, zero=True)
        self._known: dict[tuple[frozenset[str], int, str], list[Page]] = {}
        self._free = -float("inf")

    def search(self, words: Sequence[str], hits: int, *, together: Together = "all") -> list[Page]:
        """The same as the searcher, each question asked once; a failure is not remembered."""
        question = frozenset(words), hits, together
        if question not in self._known:
            self._known[question] = self._ask(words, hits, together)
        return self._known[question]

    def _ask(self, words: Sequence[str], hits: int, together: Together) -> list[Page]:
        reason = ""
        for attempt in range(self.retries + 1):
            if attempt:
                self.sleep(self.wait * 2 ** (attempt - 1))
            self._keep_rate()
            try:
                return list(self.searcher.search(words, hits, together=together))
            except OSError as error:  # TimeoutError and ConnectionError are among them
                reason = type(error).__name__
        raise SearchFailure(f"no answer to a search after {self.retries + 1} tries: {reason}")

    def _keep_rate(self) -> None:
        if self.rate is None:
            return
        now = self.clock()
        if now < self._free:
            self.sleep(self._free - now)
        self._free = max(now, self._free) + 1 / self.rate
