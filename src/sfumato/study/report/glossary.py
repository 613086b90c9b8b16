"""The words of a report, explained for a reader who does not know the field."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["GLOSSARY", "MODELS", "NEIGHBOURS", "Term", "jargon", "terms_in"]


@dataclass(frozen=True)
class Term:
    """A word, what it means, and how it is recognised in a text (by default as it is written)."""

    word: str
    meaning: str
    pattern: str = ""

    @property
    def anchor(self) -> str:
        """The name of its place on a page: ``"word-renyi-order"``."""
        plain = self.word.lower().translate(str.maketrans("éεδαρκσλ", "eedarksl"))
        return "word-" + re.sub(r"[^a-z0-9]+", "-", plain).strip("-")

    @property
    def found(self) -> re.Pattern[str]:
        """What finds it in a text, as a whole word."""
        return re.compile(rf"(?<!\w)(?:{self.pattern or re.escape(self.word)})(?!\w)", re.IGNORECASE)


GLOSSARY = (
    Term("Release", "What is handed on in place of the raw data.", "releases?"),
    Term("Mechanism", "The procedure that makes the release: it adds noise, coarsens or replaces.", "mechanisms?"),
    Term("Setting", "A mechanism with all its parameters fixed.", "settings?"),
    Term(
        "Promise",
        "A proved limit on what anyone can learn from the release about one unit, whatever else they know and however "
        "they try. A mechanism about which nothing is proved may still resist the attacks tried here; nobody knows "
        "whether it resists the next one.",
        "promises?|promised",
    ),
    Term(
        "Form only",
        "A promise about how the release looks (each record like k − 1 others), not about what can be inferred from "
        "it. It is checked on the release and never called proved.",
    ),
    Term(
        "ε (epsilon)",
        "The strength of a differential privacy promise: no outcome of the mechanism becomes more than e^ε times as "
        "likely by changing what the promise protects. At ε = 0.1 that is 10 % more likely, at ε = 1 almost three "
        "times, at ε = 5 about 150 times. Smaller is safer.",
        "ε",
    ),
    Term(
        "Candidates",
        "The few possible answers that an attacker has narrowed the truth down to: three suspects, two diagnoses. An "
        "ε above 10 does not keep such an attacker from telling which one it is.",
    ),
    Term("δ (delta)", "A small probability by which the limit of ε may be exceeded in addition.", "δ"),
    Term(
        "Per unit of distance",
        "A metric promise: the ε counts for each unit by which two inputs differ, so that what is near is hidden well "
        "and what is far is not.",
        "per unit of [\\w\\s’'-]*?distance",
    ),
    Term(
        "Rényi order",
        "Rényi differential privacy measures the loss as an average instead of a worst case. The order says how much "
        "the rare large losses count: at order 2 little, at high orders almost as in the worst case.",
        "Rényi ε[^;,]*? at order|Rényi order",
    ),
    Term(
        "ρ (rho)",
        "The loss in zero-concentrated differential privacy: the Rényi ε at any order is at most ρ times the order.",
        "ρ",
    ),
    Term(
        "α (alpha)",
        "Of a shuffled collection: how much more likely one owner of a report is than another one of the same group, "
        "at most e^α times. 0 means that all of the group are equally likely.",
        "α",
    ),
    Term("κ (kappa)", "How concentrated noise on directions is around the truth. Larger means less noise.", "κ"),
    Term("Level ℓ", "The loss between any two inputs that are no farther apart than the radius named.", "level ℓ"),
    Term(
        "k-anonymity",
        "Each released record shares what an attacker may know of it with at least k − 1 others. "
        "A promise of form only.",
        "k-anonymity|k = \\d+",
    ),
    Term(
        "l-diversity",
        "Each class of records that look alike has at least l different secrets. A promise of form only.",
        "l-diversity|l = \\d+",
    ),
    Term(
        "t-closeness",
        "In each class of records that look alike, secrets are distributed as in the whole table, up "
        "to a distance t. A promise of form only.",
        "t-closeness|t = [\\d.]+",
    ),
    Term(
        "Quasi-identifier",
        "A column that an attacker may know from elsewhere, such as age or postcode.",
        "quasi-identifiers?",
    ),
    Term("Suppressed", "Left out of the release, or replaced by stars.", "suppress\\w*"),
    Term(
        "Recoding",
        "Replacing values by coarser ones: an age by an interval, a town by its region. Global recoding "
        "takes one level for a whole column, local recoding decides class by class.",
        "recod\\w*",
    ),
    Term("Unit", "Whose presence or value is protected: one record, one person, one word, one trace.", "units?"),
    Term(
        "Neighbours",
        "The pairs of data sets that the promise makes hard to tell apart: with one record replaced, with one record "
        "more or less, or any two at all.",
        "neighbours?|compares",
    ),
    Term(
        "Central and local model",
        "In the central model a trusted party sees the raw data and protects what it computes. In the local model "
        "everyone protects their own data before handing it on.",
        "\\((?:central|local)\\)|(?:central|local) (?:model|privacy)",
    ),
    Term("Risk", "What an attack achieves on the release. Larger is worse.", "risks?"),
    Term("Limit", "The largest risk that the reader accepts. Nothing is recommended before one is named.", "limits?"),
    Term("Chance", "What the same attacker achieves without the release, by guessing as well as possible."),
    Term(
        "Re-identification",
        "Finding out which record belongs to a person of whom the attacker knows something.",
        "re-identif\\w+",
    ),
    Term("Membership", "Finding out whether somebody is in the data at all."),
    Term("AUC", "How well an attacker tells two cases apart: 0.5 is guessing, 1 is always right."),
    Term(
        "Empirical ε",
        "The least ε that explains what an attack observed. If it exceeded the promised one, the "
        "promise would be broken.",
        "empirical ε",
    ),
    Term("Homogeneity", "A class of records that all have the same secret gives it away."),
    Term(
        "Adaptive and static attackers",
        "An adaptive attacker protects data of their own with the same mechanism, "
        "and learns from that; a static one learns from raw data.",
        "adaptive|static",
    ),
    Term("Authorship", "Naming the author of a text from its style.", "authorship"),
    Term(
        "Posterior",
        "What an attacker believes after seeing the release, who knew beforehand how people behave.",
        "posterior|Bayesian",
    ),
    Term("Utility", "How well the release serves in place of the raw data, for one use of it.", "utilit(?:y|ies)"),
    Term(
        "F-ratio",
        "How well a learner trained on the release finds a class of records, compared with one trained on the raw "
        "data: the quotient of their F-measures (which balance records found against false alarms). 1 means nothing "
        "was lost.",
        "F-ratio(?: of [^,]*)?",
    ),
    Term("F1", "Balances how much is found against how much of it is right; 1 is perfect.", "F1|F-measure"),
    Term("Marginals", "How often each value of a column occurs.", "marginals?"),
    Term("Range queries", "Counts of the records that lie within given ranges of some columns.", "range quer\\w+"),
    Term(
        "Information lost",
        "How much coarser the released values are: 0 as they were, 1 all the same.",
        "information (?:lost|loss)",
    ),
    Term(
        "Earth Mover's distance",
        "How much must be moved how far to turn one distribution into the other.",
        "Earth Mover[’']s(?: distance)?",
    ),
    Term(
        "Power and false alarms",
        "A test's power is how often it finds a difference that exists; a false alarm finds one that does not.",
        "power|false alarms?|type-I error",
    ),
    Term("Differencing", "Asking twice, with and without one person, and subtracting."),
    Term(
        "95 % interval",
        "Where the true mean lies, with 95 % confidence, given that only a few repetitions and targets were measured. "
        "The wider one of the spread over the seeds and the uncertainty that the measure itself reports.",
        "95\\s%\\sintervals?",
    ),
    Term("Seed", "One repetition of the experiment with randomness of its own.", "seeds?"),
    Term("Frontier", "The settings that no other one beats in both risk and utility."),
)


def terms_in(text: str) -> list[Term]:
    """The terms that occur in a text, in the order of the glossary.

    >>> [term.word for term in terms_in("Rényi ε = 2 at order 3; the F-ratio of income")]
    ['ε (epsilon)', 'Rényi order', 'F-ratio']
    """
    return [term for term in GLOSSARY if term.found.search(text)]


def jargon() -> Iterable[Term]:
    """The terms worth a link where they stand: those that readers outside the field do not know."""
    plain = {"Release", "Mechanism", "Setting", "Promise", "Risk", "Limit", "Chance", "Utility", "Unit", "Seed"}
    return (term for term in GLOSSARY if term.word not in plain)


NEIGHBOURS = {
    "replace-one": "data sets in which one of them is replaced",
    "add-remove": "data sets with one of them more or less",
    "any-pair": "any two values at all",
}

MODELS = {"central": "a trusted party (central)", "local": "nobody but its owner (local)"}
