"""Closed lists of English for stylometry: function words, word classes, frequent letter groups."""

from __future__ import annotations

from functools import lru_cache

from sfumato.text.core.tokens import stop_words

__all__ = ["BIGRAMS", "CLASSES", "ENDINGS", "TRIGRAMS", "function_words"]

_MORE_TEXT = (
    "i'm i've i'll i'd you're you've you'll you'd he's he'll she's she'll it's it'll we're we've we'll we'd "
    "they're they've they'll they'd that's there's here's what's who's let's don't doesn't didn't can't couldn't "
    "won't wouldn't shouldn't isn't aren't wasn't weren't haven't hasn't hadn't mustn't ain't did does doing "
    "having being shall ought am yes no well oh okay ok please thanks just really quite very rather pretty "
    "actually basically simply certainly definitely probably possibly maybe surely always sometimes usually "
    "rarely ever again already still yet soon later now then today though although unless whereas whether since "
    "because until while besides despite instead otherwise therefore thus onto upon within without throughout "
    "toward towards beneath beyond anything everything something nothing anybody everybody somebody nobody one's "
    "ones much many few several lots plenty less least more most such own same other another"
)
_MORE = _MORE_TEXT.split()

_BIGRAMS_TEXT = (
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri "
    "ro ic ne"
)
BIGRAMS = _BIGRAMS_TEXT.split()
_TRIGRAMS_TEXT = "the and ing her hat his tha ere for ent ion ter was you ith ver all wit thi tio"
TRIGRAMS = _TRIGRAMS_TEXT.split()

CLASSES: dict[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "article": "a an the",
        "demonstrative": "this that these those",
        "personal pronoun": "i you he she it we they me him her us them",
        "possessive": "my your his its our their mine yours hers ours theirs",
        "reflexive": "myself yourself himself herself itself ourselves yourselves themselves",
        "wh-word": "who whom whose which what when where why how",
        "preposition": "of in on at by for with about against between into through during before after above below "
        "from up down out off over under upon within without towards",
        "coordinator": "and or but nor so yet",
        "subordinator": "because although though while if unless until since whereas whether as than",
        "modal": "can could may might must shall should will would ought",
        "form of be": "be am is are was were been being",
        "form of have": "have has had having",
        "form of do": "do does did doing done",
        "negation": "not no never none nothing neither nor nobody nowhere",
        "quantifier": "all any both each every few many more most much several some such enough",
        "interjection": "oh well yes yeah hey wow ok okay please thanks",
    }.items()
}
ENDINGS = ("ing", "ed", "ly", "tion", "est", "s")
"""Open word classes by their endings, in this order."""


@lru_cache(maxsize=1)
def function_words() -> tuple[str, ...]:
    """403 English function words: they show how a text is written rather than what it is about."""
    return tuple(sorted(stop_words() | set(_MORE)))[:403]
