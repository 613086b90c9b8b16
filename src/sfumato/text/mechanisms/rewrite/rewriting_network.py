"""The networks: an encoder of sentences or of documents, and a decoder that writes sentences.

They are plain PyTorch modules, made inside functions so that PyTorch is imported only where it is needed.
"""

from __future__ import annotations

from typing import Any

from sfumato.text.core.torch_run import neural_torch
from sfumato.text.mechanisms.rewrite.rewriting_design import RewritingDesign
from sfumato.text.mechanisms.rewrite.tokeniser import EOS, PAD, SOS, UNK

__all__ = ["BUCKETS", "TOPIC_SCALE", "build_network", "into_ball", "sentence_error", "weight_shapes"]

BUCKETS = 1 << 18
"""All words and pairs of neighbouring words are counted in so many buckets, for the judge of labels."""
TOPIC_SCALE = 8.0
"""Cosines to the centres of topics times this are the logits of a topic."""
_SMALL = 1e-4


def into_ball(mean: Any, radius: float) -> Any:
    """R·tanh(‖μ‖)·μ/‖μ‖, which has norm below R; its gradient exists at 0 (Weggenmann §6.3.1)."""
    torch = neural_torch()
    norm = (mean**2).sum(-1, keepdim=True).clamp_min(1e-24).sqrt()
    ratio = torch.where(norm < _SMALL, 1 - norm**2 / 3, torch.tanh(norm) / norm)
    return radius * ratio * mean


def weight_shapes(design: RewritingDesign, words: int) -> dict[str, tuple[int, ...]]:
    """The weights of a network by name, with their shapes."""
    hidden, size, embedding = design.hidden, design.size, design.embedding
    shapes: dict[str, tuple[int, ...]] = {"embed.weight": (words, embedding)}

    def linear(name: str, given: int, out: int) -> None:
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (out, given), (out,)

    def recurrent(name: str, given: int, *ends: str) -> None:
        for end in ends:
            shapes[f"{name}.weight_ih_l0{end}"] = (3 * hidden, given)
            shapes[f"{name}.weight_hh_l0{end}"] = (3 * hidden, hidden)
            shapes[f"{name}.bias_ih_l0{end}"] = shapes[f"{name}.bias_hh_l0{end}"] = (3 * hidden,)

    linear("start", design.width, hidden)
    recurrent("decoder", embedding + design.width, "")
    linear("out", hidden, words)
    if design.latent == "code":
        shapes |= {"bag.weight": (words, size), "judge.weight": (BUCKETS, len(design.labels))}
        return shapes | {"label_vectors": (len(design.labels), size), "topic_vectors": (design.topics, size)}
    recurrent("encoder", embedding, "", "_reverse")
    linear("mean", 2 * hidden, size)
    if design.latent != "bounded":
        linear("spread", 2 * hidden, size)
    if design.latent == "split":
        linear("author_mean", 2 * hidden, design.author_size)
    return shapes


def build_network(design: RewritingDesign, words: int) -> Any:
    """A network with random weights for a vocabulary of so many words."""
    torch = neural_torch()
    nn = torch.nn

    class Network(torch.nn.Module):  # type: ignore[name-defined]
        """Encoder and decoder of one design."""

        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(words, design.embedding, padding_idx=PAD)
            self.start = nn.Linear(design.width, design.hidden)
            self.decoder = nn.GRU(design.embedding + design.width, design.hidden, batch_first=True)
            self.out = nn.Linear(design.hidden, words)
            if design.latent == "code":
                self.bag = nn.EmbeddingBag(words, design.size, mode="sum")
                self.judge = nn.EmbeddingBag(BUCKETS, len(design.labels), mode="sum")
                self.label_vectors = nn.Parameter(torch.randn(len(design.labels), design.size))
                self.topic_vectors = nn.Parameter(torch.randn(design.topics, design.size))
                nn.init.normal_(self.bag.weight, std=1.0)
                nn.init.zeros_(self.judge.weight)
                return
            self.encoder = nn.GRU(design.embedding, design.hidden, batch_first=True, bidirectional=True)
            self.mean = nn.Linear(2 * design.hidden, design.size)
            if design.latent != "bounded":
                self.spread = nn.Linear(2 * design.hidden, design.size)
                nn.init.constant_(self.spread.bias, -2.0)
            if design.latent == "split":
                self.author_mean = nn.Linear(2 * design.hidden, design.author_size)

        def read(self, ids: Any) -> Any:
            """The mean state over the words of each sentence; all sentences have one length, so rows do not mix."""
            states, _ = self.encoder(self.embed(ids))
            seen = (ids != PAD).unsqueeze(-1).float()
            return (states * seen).sum(1) / seen.sum(1).clamp_min(1.0)

        def features(self, places: Any, weights: Any, starts: Any) -> tuple[Any, Any]:
            """Of documents: the scores of the labels by their buckets, and by their words a point among the topics."""
            word = places < words
            point = self.bag(torch.where(word, places, 0), starts, per_sample_weights=torch.where(word, weights, 0.0))
            scores = self.judge(
                torch.where(word, 0, places - words), starts, per_sample_weights=torch.where(word, 0.0, weights)
            )
            return scores, nn.functional.normalize(point, dim=-1)

        def topic_points(self) -> Any:
            return nn.functional.normalize(self.topic_vectors, dim=-1)

        def nearest(self, point: Any) -> Any:
            """The topic whose point is nearest."""
            return (point @ self.topic_points().T).argmax(-1)

        def of_code(self, label: Any, topic: Any) -> Any:
            """What the decoder reads for a code."""
            return self.label_vectors[label] + self.topic_points()[topic]

        def states(self, latent: Any, ids: Any) -> Any:
            """The decoder's state at every place of sentences that start with the start mark."""
            repeated = latent.unsqueeze(1).expand(-1, ids.shape[1], -1)
            first = torch.tanh(self.start(latent)).unsqueeze(0)
            states, _ = self.decoder(torch.cat([self.embed(ids), repeated], -1), first)
            return states

        def step(self, latent: Any, ids: Any, state: Any) -> tuple[Any, Any]:
            """The scores after one more word, and the state; ``state`` None starts a sentence."""
            before = torch.tanh(self.start(latent)).unsqueeze(0) if state is None else state
            seen = torch.cat([self.embed(ids), latent], -1).unsqueeze(1)
            states, after = self.decoder(seen, before)
            return self.out(states[:, 0]), after

    return Network()


def sentence_error(network: Any, latent: Any, ids: Any, *, dropout: float) -> Any:
    """Cross-entropy of sentences, in nats per sentence; ``dropout`` hides words that the decoder has just written."""
    torch = neural_torch()
    ends = ids.new_full((len(ids), 1), PAD)
    wanted = torch.cat([ids, ends], 1)
    wanted[torch.arange(len(ids), device=ids.device), (ids != PAD).sum(1)] = EOS
    given = torch.cat([ids.new_full((len(ids), 1), SOS), ids], 1)
    if dropout > 0:
        hidden = (torch.rand(given.shape, device=ids.device) < dropout) & (given != PAD) & (given != SOS)
        given = torch.where(hidden, torch.full_like(given, UNK), given)
    real = wanted != PAD  # the scores of all words are most of the work: none for padding
    scores = network.out(network.states(latent, given)[real])
    return torch.nn.functional.cross_entropy(scores, wanted[real], reduction="sum") / len(ids)
