"""Dictionary forms of English words by rules, checked against a list of known words."""

from __future__ import annotations

from collections.abc import Container

__all__ = ["lemma_of"]

_IRREGULAR = {
    word: lemma
    for lemma, forms in {
        "be": "am is are was were been being",
        "have": "has had having",
        "do": "does did done doing",
        "go": "went gone goes",
        "say": "said says",
        "get": "got gotten",
        "make": "made",
        "take": "took taken",
        "know": "knew known",
        "think": "thought",
        "see": "saw seen",
        "come": "came",
        "give": "gave given",
        "find": "found",
        "tell": "told",
        "feel": "felt",
        "leave": "left",
        "keep": "kept",
        "begin": "began begun",
        "show": "shown",
        "hear": "heard",
        "run": "ran",
        "bring": "brought",
        "write": "wrote written",
        "sit": "sat",
        "stand": "stood",
        "lose": "lost",
        "pay": "paid",
        "meet": "met",
        "hold": "held",
        "send": "sent",
        "build": "built",
        "understand": "understood",
        "buy": "bought",
        "speak": "spoke spoken",
        "break": "broke broken",
        "spend": "spent",
        "grow": "grew grown",
        "win": "won",
        "teach": "taught",
        "catch": "caught",
        "choose": "chose chosen",
        "drive": "drove driven",
        "eat": "ate eaten",
        "fall": "fell fallen",
        "fly": "flew flown",
        "forget": "forgot forgotten",
        "sell": "sold",
        "throw": "threw thrown",
        "man": "men",
        "woman": "women",
        "child": "children",
        "foot": "feet",
        "tooth": "teeth",
        "mouse": "mice",
        "person": "people",
        "life": "lives",
        "wife": "wives",
        "knife": "knives",
        "good": "better best",
        "bad": "worse worst",
    }.items()
    for word in forms.split()
}
_SUFFIXES = (
    ("'s", ("",)),
    ("sses", ("ss",)),
    ("ies", ("y", "ie")),
    ("ches", ("ch",)),
    ("shes", ("sh",)),
    ("xes", ("x",)),
    ("es", ("e", "")),
    ("s", ("",)),
    ("ied", ("y",)),
    ("ed", ("", "e")),
    ("ing", ("", "e")),
    ("iest", ("y",)),
    ("ier", ("y",)),
    ("est", ("", "e")),
    ("er", ("", "e")),
)


def lemma_of(word: str, known: Container[str] = ()) -> str:
    """The dictionary form of a lower-case word, if a rule leads to a known word; else the word itself.

    Without known words the first rule that fits is taken for plural and third person only.

    >>> lemma_of("running", {"run"}), lemma_of("studies", {"study"}), lemma_of("bus", {"bu", "bus"})
    ('run', 'study', 'bus')
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word.endswith(("ss", "us", "is")):
        return word
    for suffix, endings in _SUFFIXES:
        if not word.endswith(suffix) or len(word) - len(suffix) < 2:
            continue
        stem = word[: -len(suffix)]
        candidates = [stem + ending for ending in endings]
        if suffix in ("ed", "ing", "er", "est") and len(stem) > 2 and stem[-1] == stem[-2]:
            candidates.insert(0, stem[:-1])
        for candidate in candidates:
            if candidate in known:
                return candidate
        if not known and suffix in ("'s", "ies", "sses", "ches", "shes", "s"):
            return candidates[0]
    return word
