"""The words of a report, explained for a reader who does not know the field."""

from __future__ import annotations

__all__ = ["GLOSSARY", "MODELS", "NEIGHBOURS"]

GLOSSARY = (
    ("Release", "What is handed on in place of the raw data."),
    ("Mechanism", "The procedure that makes the release: it adds noise, coarsens or replaces."),
    ("Setting", "A mechanism with all its parameters fixed."),
    (
        "Promise",
        "A proved limit on what anyone can learn from the release about one unit, whatever else they know and however "
        "they try. A mechanism about which nothing is proved may still resist the attacks tried here; nobody knows "
        "whether it resists the next one. Some promises, marked “form only”, are about how the release looks (each "
        "record like k − 1 others) and not about what can be inferred from it.",
    ),
    (
        "ε (epsilon)",
        "The strength of a differential privacy promise: no outcome of the mechanism becomes more than e^ε times as "
        "likely by changing what the promise protects. At ε = 0.1 that is 10 % more likely, at ε = 1 almost three "
        "times, at ε = 5 about 150 times. Smaller is safer. Under a metric promise ε counts per unit of distance.",
    ),
    ("δ (delta)", "A small probability by which the limit may be exceeded in addition."),
    ("Unit", "Whose presence or value is protected: one record, one person, one word, one trace."),
    (
        "Neighbours",
        "The pairs of data sets that the promise makes hard to tell apart: with one record replaced, with one record "
        "more or less, or any two at all.",
    ),
    (
        "Central and local model",
        "In the central model a trusted party sees the raw data and protects what it computes. In the local model "
        "everyone protects their own data before handing it on.",
    ),
    ("Risk", "What an attack achieves on the release. Larger is worse."),
    ("Chance", "What the same attacker achieves without the release, by guessing as well as possible."),
    ("Utility", "How well the release serves in place of the raw data, for one use of it."),
    (
        "95 % interval",
        "Where the true mean lies, with 95 % confidence, given that only a few repetitions and targets were measured. "
        "The wider one of the spread over the seeds and the uncertainty that the measure itself reports.",
    ),
    ("Seed", "One repetition of the experiment with randomness of its own."),
    ("Frontier", "The settings that no other one beats in both risk and utility."),
)

NEIGHBOURS = {
    "replace-one": "data sets in which one of them is replaced",
    "add-remove": "data sets with one of them more or less",
    "any-pair": "any two values at all",
}

MODELS = {"central": "a trusted party (central)", "local": "nobody but its owner (local)"}
