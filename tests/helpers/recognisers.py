"""What recognisers find."""

from __future__ import annotations

from sfumato.text import Recogniser


def found(recogniser: Recogniser, text: str) -> list[tuple[str, str]]:
    """Label and text of what a recogniser finds in a text, in its order."""
    spans = sorted(recogniser.find([text])[0], key=lambda span: span.start)
    return [(span.label, text[span.start : span.end]) for span in spans]
