"""``AnonymizerEngine`` as Presidio's users know it."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import bad_input

__all__ = ["AnonymizerEngine", "EngineResult", "OperatorConfig", "OperatorResult"]


@dataclass(frozen=True)
class OperatorConfig:
    """What is done with one kind of find.

    Parameters
    ----------
    operator_name : {"replace", "redact", "mask", "hash", "keep", "custom"}
    params : mapping, optional
        ``new_value`` of replace; ``masking_char``, ``chars_to_mask``, ``from_end`` of mask; ``hash_type`` and ``salt``
        of hash; ``lambda`` of custom.
    """

    operator_name: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class OperatorResult:
    """Where something was written, in the new text."""

    start: int
    end: int
    entity_type: str
    text: str
    operator: str


@dataclass(frozen=True)
class EngineResult:
    """The new text and what was written in it."""

    text: str
    items: list[OperatorResult]


@dataclass(frozen=True, kw_only=True)
class AnonymizerEngine:
    """Replaces finds, called as Presidio's engine is.

    Examples
    --------
    >>> from sfumato.text import RecognizerResult
    >>> finds = [RecognizerResult("PERSON", 3, 7, 0.85)]
    >>> AnonymizerEngine().anonymize(text="Hi Anna!", analyzer_results=finds).text
    'Hi <PERSON>!'
    >>> operators = {"PERSON": OperatorConfig("replace", {"new_value": "you"})}
    >>> AnonymizerEngine().anonymize(text="Hi Anna!", analyzer_results=finds, operators=operators).text
    'Hi you!'
    """

    def anonymize(
        self,
        text: str,
        analyzer_results: Iterable[Any],
        operators: Mapping[str, OperatorConfig] | None = None,
    ) -> EngineResult:
        """The text with its finds replaced: ``<PERSON>`` unless an operator, or that of ``"DEFAULT"``, says otherwise.

        Finds that overlap are replaced as one, by the operator of the surest.
        """
        finds = sorted(analyzer_results, key=lambda one: (one.start, -one.end))
        merged: list[tuple[int, int, Any]] = []
        for find in finds:
            if not 0 <= find.start < find.end <= len(text):
                raise bad_input("analyzer_results", f"{find.start} … {find.end}", f"places in 0 … {len(text)}")
            if merged and find.start < merged[-1][1]:
                start, end, best = merged[-1]
                merged[-1] = (start, max(end, find.end), find if find.score > best.score else best)
            else:
                merged.append((find.start, find.end, find))
        chosen = dict(operators or {})
        parts: list[str] = []
        items: list[OperatorResult] = []
        at = length = 0
        for start, end, find in merged:
            config = chosen.get(find.entity_type, chosen.get("DEFAULT", OperatorConfig("replace")))
            written = _operate(config, find.entity_type, text[start:end])
            parts += [text[at:start], written]
            length += start - at
            items.append(OperatorResult(length, length + len(written), find.entity_type, written, config.operator_name))
            length += len(written)
            at = end
        return EngineResult("".join([*parts, text[at:]]), items)


def _operate(config: OperatorConfig, entity: str, value: str) -> str:
    params = config.params
    operators: dict[str, Callable[[], str]] = {
        "replace": lambda: str(params.get("new_value", f"<{entity}>")),
        "redact": lambda: "",
        "keep": lambda: value,
        "mask": lambda: _mask(value, params),
        "hash": lambda: _hash(value, params),
        "custom": lambda: str(params["lambda"](value)),
    }
    if config.operator_name not in operators:
        raise bad_input("operator_name", config.operator_name, "one of " + ", ".join(operators))
    return operators[config.operator_name]()


def _mask(value: str, params: Mapping[str, Any]) -> str:
    count = min(int(params.get("chars_to_mask", len(value))), len(value))
    sign = str(params.get("masking_char", "*")) * count
    return value[: len(value) - count] + sign if params.get("from_end") else sign + value[count:]


def _hash(value: str, params: Mapping[str, Any]) -> str:
    """A hash with a salt, drawn anew unless given: a bare hash of a name is found by trying names."""
    salt = params.get("salt")
    raw = secrets.token_bytes(16) if salt is None else salt if isinstance(salt, bytes) else str(salt).encode()
    kind = str(params.get("hash_type", "sha256"))
    if kind not in ("sha256", "sha512"):
        raise bad_input("hash_type", kind, "sha256 or sha512")
    return hashlib.new(kind, raw + value.encode()).hexdigest()
