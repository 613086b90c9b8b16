"""How much a scrubber missed, estimated from a random sample that a reviewer read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.errors import bad_input
from sfumato.text.scrub.review.span_review import MISSED, SpanReview
from sfumato.text.scrub.span import Span
from sfumato.validate import probability

__all__ = ["RecallEstimate", "estimate_recall", "recall_words"]


@dataclass(frozen=True, kw_only=True)
class RecallEstimate:
    """The share of personal places that the scrubber found, with its interval.

    Parameters
    ----------
    found : int
        Findings that no reviewer called wrong.
    wrong, undecided : int
        Findings that a reviewer keeps readable, and those that nobody decided about, which count as right.
    stretches, seen, with_missed : int
        Stretches without findings; how many of the sample were read; in how many of these something was missed.
    recall, low, high : float
        The estimate, and its interval.
    left, left_low, left_high : float
        How many stretches that nobody read hold something personal, estimated.
    level : float
        The level of the intervals.
    """

    found: int
    wrong: int
    undecided: int
    stretches: int
    seen: int
    with_missed: int
    recall: float
    low: float
    high: float
    left: float
    left_low: float
    left_high: float
    level: float

    @property
    def words(self) -> str:
        """The estimate in one sentence."""
        return (
            f"recall {self.recall:.3f}, with {100 * self.level:g} % confidence between {self.low:.3f} and "
            f"{self.high:.3f}; about {self.left:.0f} ({self.left_low:.0f} to {self.left_high:.0f}) places are likely "
            f"left in the {self.stretches - self.seen} stretches that nobody read"
        )


def estimate_recall(review: SpanReview, found: Sequence[Sequence[Span]], *, level: float = 0.95) -> RecallEstimate:
    """Estimate the recall of findings from the stretches without findings that were read.

    With F right findings and N stretches without a finding, of which a share p holds something personal, recall is
    F / (F + N·p). Of n stretches drawn at random and read, x hold something: p is estimated by x / n, and its interval
    is that of Clopper and Pearson (Biometrika 26, 1934), which is exact for draws with replacement; draws without, as
    here, spread less, and a test enumerates that it covers them. A stretch with two personal things in it counts as one
    place, so recall is that of places, not of words. The reviewer is taken to miss nothing in what was read.

    Parameters
    ----------
    review : SpanReview
        With a sample that was read, at least in part.
    found : sequence of sequence of Span
        What the scrubber found in the same texts.

    Examples
    --------
    >>> from sfumato.text.scrub.review.stretch_sample import Stretch
    >>> sample = tuple(Stretch(0, 100 * n, 100 * n + 40) for n in range(50))
    >>> review = SpanReview(texts=1, texts_sha256="", sample=sample, stretches=200, seen=tuple(range(50)))
    >>> found = [[Span(100 * n + 50, 100 * n + 54, "PERSON") for n in range(100)]]
    >>> print(estimate_recall(review, found).words)
    recall 1.000, with 95 % confidence between 0.875 and 1.000; about 0 (0 to 11) places are likely left in the 150 ...
    """
    from scipy.stats import binomtest

    probability("level", level)
    if not review.seen:
        raise bad_input("review", "no stretch was read", "at least one of the sample", "read the sample first")
    kept = {one.place for one in review.decisions if one.verdict == "keep"}
    decided = {one.place for one in review.decisions}
    places = [(text, span.start, span.end) for text, spans in enumerate(found) for span in spans]
    wrong = sum(place in kept for place in places)
    missed = [one for one in review.decisions if one.source == MISSED and one.verdict == "hide"]
    hit = sum(
        any(
            one.text == stretch.text and one.start < stretch.end and stretch.start < one.end
            for one in missed
        )
        for stretch in (review.sample[number] for number in review.seen)
    )  # fmt: skip
    seen, right = len(review.seen), len(places) - wrong
    limits = binomtest(hit, seen).proportion_ci(confidence_level=level, method="exact")
    share, low, high = hit / seen, float(limits.low), float(limits.high)
    unread = review.stretches - seen

    def recall(missing: float) -> float:
        total = right + review.stretches * missing
        return right / total if total else 1.0

    # everything was read: nothing is estimated any more
    sure = unread == 0
    return RecallEstimate(
        found=right,
        wrong=wrong,
        undecided=sum(place not in decided for place in places),
        stretches=review.stretches,
        seen=seen,
        with_missed=hit,
        recall=recall(share),
        low=recall(share if sure else high),
        high=recall(share if sure else low),
        left=unread * share,
        left_low=unread * low,
        left_high=unread * high,
        level=level,
    )


def recall_words(review: SpanReview, found: Sequence[Sequence[Span]]) -> list[str]:
    """What a card says of recall; nothing if no stretch was read."""
    return [f"what was missed, estimated by a reviewer: {estimate_recall(review, found).words}"] if review.seen else []
