"""Small cases of private word vectors, for the auditor and the generic checks."""

from __future__ import annotations

import importlib.util
from typing import Any

from sfumato.auditor import AuditCase
from sfumato.text.mechanisms.skipgram.one_step_skip_gram import OneStepSkipGram
from sfumato.text.mechanisms.skipgram.private_skip_gram import PrivateSkipGram

__all__ = ["TEA", "skip_gram_cases", "tea_drinkers"]

TEA = ("tea", "cup", "rain", "hat")


def skip_gram_cases() -> list[AuditCase]:
    """A step with and without a user; one number is released, so that the audit is exact. None without PyTorch."""
    if importlib.util.find_spec("torch") is None:
        return []
    step = OneStepSkipGram(
        vocabulary=("tea",),
        epsilon=1.0,
        delta=1e-4,
        expected_users=2,
        dimension=1,
        window=1,
        initial=[[0.5]],
        clip=0.1,
    )
    crowd = {"ann": ["tea for tea"], "bob": ["rain"]}
    more = crowd | {"eve": ["tea tea, tea", "tea tea"]}
    return [
        AuditCase(
            name="PrivateSkipGram, one step",
            mechanism=step,
            pairs=[(crowd, more), ({}, {"ann": ["tea tea"]}), (crowd, crowd | {"eve": ["no"]})],
            bad=["tea rain", [["tea", 3]], [b"tea"], 7],
            source="Fischer B12, §4.1",
            sampler=step.draw,
            part_of=PrivateSkipGram,
        )
    ]


def tea_drinkers() -> tuple[dict[str, list[str]], PrivateSkipGram]:
    """Six people, half of whom drink tea while the others walk in the rain, and a small model of them."""
    texts = (["tea cup tea cup"], ["rain hat rain hat"])
    people = {f"person {k}": texts[k % 2] for k in range(6)}
    sizes: dict[str, Any] = {"dimension": 4, "steps": 2, "rate": 1.0}
    return people, PrivateSkipGram(vocabulary=TEA, epsilon=8.0, delta=1e-4, expected_users=6, **sizes)
