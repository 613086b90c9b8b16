"""Sentences from latents, many at once. Whatever is done here is done to what was already released."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.text.core.torch_run import neural_torch
from sfumato.text.mechanisms.rewrite.tokeniser import EOS, PAD, SOS, UNK
from sfumato.validate import choice, integer, positive, probability

__all__ = ["Decoding", "write_sentences"]

Way = Literal["greedy", "beam", "top-k", "top-p"]
_NEVER = (PAD, SOS)
_CANDIDATES = 256
"""The best words mostly have the share that top-p asks for: sorting all would take most of the time."""


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """How the next word is chosen.

    Parameters
    ----------
    way : {"greedy", "beam", "top-k", "top-p"}
        The best word; the best of ``width`` sentences; one of the ``width`` best words by chance; or one of the best
        words that together have probability ``share``.
    width : int
    share : float
    temperature : float
        Below 1 the better words are preferred more.
    unknown : bool
        Whether ``<unk>`` may be written.

    Examples
    --------
    >>> Decoding(way="top-p", share=0.8).way
    'top-p'
    """

    way: Way = "greedy"
    width: int = 4
    share: float = 0.9
    temperature: float = 1.0
    unknown: bool = False

    def __post_init__(self) -> None:
        choice("way", self.way, get_args(Way))
        integer("width", self.width)
        probability("share", self.share, one=True)
        positive("temperature", self.temperature)

    @property
    def random(self) -> bool:
        """Whether words are drawn."""
        return self.way in ("top-k", "top-p")


def write_sentences(
    network: Any,
    latents: NDArray[np.float64],
    *,
    longest: int,
    decoding: Decoding,
    rng: Rng,
    away: NDArray[np.float64] | None = None,
    guidance: float = 0.0,
) -> NDArray[np.int64]:
    """The numbers of the words of one sentence for each latent, shape (latents, longest).

    With ``guidance`` γ the scores are (1 + γ)·s(latent) − γ·s(away): what tells a latent from the mean is written more
    plainly.
    """
    torch = neural_torch()
    with torch.no_grad():
        z = torch.from_numpy(np.ascontiguousarray(latents, np.float32))
        if decoding.way == "beam":
            return _beam(torch, network, z, longest, decoding)
        other = None if away is None or not guidance else torch.from_numpy(np.asarray(away, np.float32)).expand_as(z)
        out = np.full((len(z), longest), PAD, np.int64)
        words = torch.full((len(z),), SOS, dtype=torch.int64)
        state: Any = None
        state_away: Any = None
        rows = np.arange(len(z))  # the sentences that have not ended: only these are written further
        for place in range(longest):
            scores, state = network.step(z, words, state)
            if other is not None:
                against, state_away = network.step(other, words, state_away)
                scores = (1 + guidance) * scores - guidance * against
            chosen = _choose(torch, _allowed(scores, decoding), decoding, rng)
            out[rows, place] = chosen
            going = torch.from_numpy(chosen != EOS)
            rows = rows[chosen != EOS]
            if not len(rows):
                break
            words, z, state = torch.from_numpy(chosen)[going], z[going], state[:, going]
            if other is not None:
                other, state_away = other[going], state_away[:, going]
        return out


def _allowed(scores: Any, decoding: Decoding) -> Any:
    scores = scores.clone()
    scores[..., list(_NEVER) + ([] if decoding.unknown else [UNK])] = -1e9
    return scores


def _choose(torch: Any, scores: Any, decoding: Decoding, rng: Rng) -> NDArray[np.int64]:
    if not decoding.random:
        return np.asarray(scores.argmax(-1).numpy(), np.int64)
    chances = torch.softmax(scores / decoding.temperature, -1)
    if decoding.way == "top-k":
        best, places = chances.topk(min(decoding.width, chances.shape[-1]), -1)
        return _drawn(torch, best, places, rng)
    best, places = chances.topk(min(_CANDIDATES, chances.shape[-1]), -1)
    out = _drawn(torch, _within(best, decoding.share), places, rng)
    flat = (best.sum(-1) < decoding.share).nonzero()[:, 0]
    if len(flat) and best.shape[-1] < chances.shape[-1]:  # these few need all words
        best, places = chances[flat].sort(-1, descending=True)
        out[flat.numpy()] = _drawn(torch, _within(best, decoding.share), places, rng)
    return out


def _within(best: Any, share: float) -> Any:
    """Sorted chances; a word stays while those before it have less than the share: the first always does."""
    return best * ((best.cumsum(-1) - best) < share)


def _drawn(torch: Any, best: Any, places: Any, rng: Rng) -> NDArray[np.int64]:
    """One place of each row, by chance."""
    sums = best.double().cumsum(-1)
    level = torch.from_numpy(rng.random(len(best)))[:, None] * sums[:, -1:]
    at = (sums <= level).sum(-1, keepdim=True).clamp_max(best.shape[-1] - 1)
    return np.array(places.gather(-1, at)[:, 0].numpy(), np.int64)


# ``best`` holds the summed log-probabilities of the ``width`` sentences kept for each latent; a finished sentence goes
# on with padding at no cost, so that all have one length.
def _beam(torch: Any, network: Any, z: Any, longest: int, decoding: Decoding) -> NDArray[np.int64]:
    count, width = len(z), decoding.width
    z = z.repeat_interleave(width, 0)
    words = torch.full((count * width,), SOS, dtype=torch.int64)
    best = torch.full((count, width), -1e9)
    best[:, 0] = 0.0
    text = torch.full((count, width, longest), PAD, dtype=torch.int64)
    done = torch.zeros(count, width, dtype=torch.bool)
    state = None
    for place in range(longest):
        scores, state = network.step(z, words, state)
        law = torch.log_softmax(_allowed(scores, decoding) / decoding.temperature, -1).reshape(count, width, -1)
        law[done] = -1e9
        law[..., PAD] = torch.where(done, 0.0, law[..., PAD])
        total, chosen = (best[..., None] + law).flatten(1).topk(width, -1)
        parent, word = chosen // law.shape[-1], chosen % law.shape[-1]
        best = total
        text = text.gather(1, parent[..., None].expand(-1, -1, longest)).clone()
        text[..., place] = word
        done = done.gather(1, parent) | (word == EOS)
        rows = (torch.arange(count)[:, None] * width + parent).flatten()
        state = state[:, rows]
        words = word.flatten()
        if bool(done.all()):
            break
    return np.asarray(text[torch.arange(count), best.argmax(-1)].numpy(), np.int64)
