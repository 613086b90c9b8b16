"""How well the sentiment of protected texts can be classified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sfumato.errors import bad_input
from sfumato.text.core.classifier import Learner
from sfumato.text.core.corpus import Corpus
from sfumato.text.utilities.topic import TopicUtility

__all__ = ["SentimentUtility"]


@dataclass(frozen=True, kw_only=True, eq=False)
class SentimentUtility(TopicUtility):
    """Sentiment classification, as :class:`TopicUtility`, on the moods of the corpus."""

    label = "mood"

    learner: Learner = "svm"
    name: str = "sentiment"

    def _labels(self, data: Corpus) -> Any:
        if data.moods is None:
            raise bad_input("data.moods", None, "one mood for each text", "measure topics instead")
        return data.moods
