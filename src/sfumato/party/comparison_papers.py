"""The card of what a comparison with a peer tells."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.party.core.holding import Holding, Role
from sfumato.party.mechanisms.private_answers import PrivateAnswers
from sfumato.party.transports.handshake import Agreement
from sfumato.promise import Assumption, Guarantee, NoGuarantee
from sfumato.release import Card, Content, Key, Method, Release, Terms
from sfumato.release.card import Column
from sfumato.release.issuance import issue

__all__ = ["ANSWER", "comparison_release", "issue_comparison"]

ANSWER = "at_least"
"""The column of answers: whether the number of whoever connected is at least that of whoever listened."""

SEMI_HONEST = (
    "semi-honest security only: a peer that follows the protocol learns the answers and nothing else, "
    "one that does not may learn more and may make answers wrong"
)
_OPEN = (
    "how many rows there are and how long the numbers may be",
    "what follows from the answers: whoever may ask ℓ times finds an ℓ-bit number by bisection",
)


def issue_comparison(
    agreement: Agreement, role: Role, *, noise: PrivateAnswers | None, terms: Terms
) -> tuple[Card, Guarantee]:
    """Pay for what this side will reveal, before the first message, and make its card."""
    shown = agreement.plan.type.shows(role)
    shares = agreement.plan.type.answer is Holding.SS
    method = Method(
        name="private-answers" if noise is not None else "comparison",
        parameters={
            "column": ANSWER,
            "form": "share" if shares else "answer",
            "settings": {} if noise is None else {"epsilon": noise.epsilon},
            "type": agreement.type,
            "bits": agreement.bits,
            "comparator": agreement.comparator,
            "key_bits": agreement.key_bits,
            "security": "semi-honest",
        },
        technique_iso20889="secure multi-party computation",
        randomness="secure",
    )
    weak = (f"keys of {agreement.key_bits} bits, which can be broken",) if agreement.key_bits < 2048 else ()
    name = "share" if shares else ANSWER
    content = Content(
        rows=agreement.count,
        columns=(Column(name=name, role="protected" if noise is not None else "answer", kind="int64"),),
        order_shuffled=False,
    )
    return issue(
        content,
        method,
        kind="party",
        guarantee=_promise(noise, shown),
        terms=terms,
        not_covered=(SEMI_HONEST, *_OPEN, *weak),
    )


def _promise(noise: PrivateAnswers | None, shown: bool) -> Guarantee:
    if noise is not None:
        return noise.guarantee.assuming(Assumption("peer", needed="semi-honest"))
    if shown:
        return NoGuarantee("the peer gets exact answers, and each tells something of a number")
    return NoGuarantee("nothing but encryptions leaves; that the peer cannot read them is an assumption, not a bound")


def comparison_release(card: Card, answers: list[int]) -> Release:
    """The answers or shares of this side with the card that was issued for them."""
    import pyarrow as pa

    name = card.release.columns[0].name
    table: Any = pa.table({name: pa.array(answers, pa.int64())})
    key = Key(release=card.id, rows=np.arange(len(answers)))
    promise = card.guarantee or NoGuarantee(card.promise["statement"])
    return Release(card=card, key=key, guarantee=promise, table=table)
