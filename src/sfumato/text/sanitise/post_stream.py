"""Short posts as they come: what was published before cannot be taken back, and the searcher has read it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from sfumato.text.sanitise.analysis import Word, normal
from sfumato.text.sanitise.information import InformationContent
from sfumato.text.sanitise.sanitiser import Sanitised, Sanitiser
from sfumato.validate import integer

__all__ = ["PostStream"]


@dataclass(kw_only=True, eq=False)
class PostStream:
    """Sanitises each new post of a person as the last of all that they published.

    The searcher combines words of different posts. So the attack runs on the new post together with the published
    ones, and only the new post can be changed. If the published posts alone lead to the person, the state is “still
    found”.

    Parameters
    ----------
    sanitiser : Sanitiser
    content : InformationContent
    window : int
        How many earlier posts of a person the searcher has read.

    Examples
    --------
    >>> from sfumato.text import SearchAttack, SearchIndex
    >>> news = SearchIndex.build(["Ann Ray won the regatta with a trimaran", "A regatta today", "My trimaran"])
    >>> sanitiser = Sanitiser(attack=SearchAttack(searcher=news))
    >>> content = sanitiser.content(["regatta at noon", "I love my trimaran"])
    >>> stream = PostStream(sanitiser=sanitiser, content=content)
    >>> first = stream.post("Ann", "Off to the yard, regatta soon", names=["Ann Ray"])
    >>> first.state, first.after
    ('nothing found', 'Off to the yard, […] soon')
    """

    sanitiser: Sanitiser
    content: InformationContent
    window: int = 20
    _published: dict[str, deque[list[Word]]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        integer("window", self.window, least=0)

    def post(
        self, person: str, text: str, *, names: Sequence[str] | None = None, label: str | None = None
    ) -> Sanitised:
        """The post as it may leave; it then counts as published."""
        earlier = self._published.setdefault(person, deque(maxlen=self.window))
        beside = [word for words in earlier for word in words]
        made = self.sanitiser.sanitise_one(normal(text), self.content, names=names, label=label, beside=beside)
        earlier.append(self.sanitiser.attack.analyser.words(made.after))
        return made
