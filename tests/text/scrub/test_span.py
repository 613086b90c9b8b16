"""Spans that overlap, and their scores."""

from __future__ import annotations

import itertools

from sfumato.text.scrub.span import Span, resolve_overlaps, span_scores


def test_overlaps_become_one_with_the_surest_label():
    spans = [Span(10, 20, "PERSON", 0.5), Span(15, 30, "EMAIL", 1.0), Span(28, 40, "URL", 0.9), Span(40, 45, "DATE")]
    assert [(s.start, s.end, s.label) for s in resolve_overlaps(spans)] == [(10, 40, "EMAIL"), (40, 45, "DATE")]
    assert resolve_overlaps([]) == []


def test_nothing_of_an_overlapped_span_stays_readable(rng):
    for _ in range(200):
        starts = rng.integers(0, 60, size=6)
        spans = [Span(int(a), int(a + rng.integers(1, 12)), "X", float(rng.random())) for a in starts]
        resolved = resolve_overlaps(spans)
        covered = {at for span in resolved for at in range(span.start, span.end)}
        assert covered == {at for span in spans for at in range(span.start, span.end)}
        assert all(a.end <= b.start for a, b in itertools.pairwise(resolved))


def test_scores_count_only_what_is_wholly_hidden():
    truth = [[Span(0, 10, "PERSON"), Span(20, 24, "DATE")]]
    scores = span_scores([[Span(0, 9, "PERSON"), Span(18, 30, "ID")]], truth)
    assert scores["all"] == (0.5, 1.0, 2)
    assert scores["PERSON"] == (0.0, 1.0, 1)
