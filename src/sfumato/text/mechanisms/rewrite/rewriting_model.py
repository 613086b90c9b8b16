"""A trained rewriting network with its vocabulary: what it reads, what it writes, and where it came from."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.atomic import reading
from sfumato.noise import Rng
from sfumato.promise import Guarantee, NoGuarantee
from sfumato.text.core.torch_run import neural_torch
from sfumato.text.mechanisms.rewrite.decoding import Decoding, write_sentences
from sfumato.text.mechanisms.rewrite.document_features import DocumentFeatures
from sfumato.text.mechanisms.rewrite.private_training import PrivateTraining
from sfumato.text.mechanisms.rewrite.rewriting_design import RewritingDesign
from sfumato.text.mechanisms.rewrite.rewriting_network import TOPIC_SCALE, build_network, weight_shapes
from sfumato.text.mechanisms.rewrite.tokeniser import Tokeniser

__all__ = ["RewritingModel"]

_ROWS = 64
"""Sentences are read so many at a time, always: the shape of the arithmetic then tells nothing about the others."""
_MANY = 4096
"""Public or written texts are read so many at a time, for the sake of memory."""
_FORMAT = "sfumato rewriting model 1"


@dataclass(frozen=True, kw_only=True, eq=False)
class RewritingModel:
    """Weights, vocabulary and plan of a rewriting network.

    Parameters
    ----------
    design : RewritingDesign
    tokeniser : Tokeniser
    weights : mapping of str to array
    idf : array, optional
        Of a code: the weight of each word of a document, learned from the public texts.
    source : str, optional
        The public texts it was trained on. A promise that rests on a model says where it came from.
    epochs : int
        How long it was trained.
    private : PrivateTraining, optional
        How its training texts were protected; by default not at all.

    Examples
    --------
    >>> from sfumato.text import Tokeniser
    >>> words = Tokeniser(words=("tea", "is", "good"))
    >>> model = RewritingModel.untrained(words, RewritingDesign(hidden=4, embedding=4, size=2), seed=1)
    >>> model.means(["tea is good"]).shape
    (1, 2)
    """

    design: RewritingDesign
    tokeniser: Tokeniser
    weights: Mapping[str, NDArray[np.float32]] = field(repr=False)
    idf: NDArray[np.float32] | None = field(default=None, repr=False)
    source: str | None = None
    epochs: int = 0
    private: PrivateTraining | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.design, RewritingDesign) or not isinstance(self.tokeniser, Tokeniser):
            raise bad_input("design, tokeniser", type(self.design).__name__, "a RewritingDesign and a Tokeniser")
        vectors = self.weights.get("embed.weight")
        if vectors is None or len(vectors) != len(self.tokeniser):
            found = 0 if vectors is None else len(vectors)
            raise bad_input("weights", f"{found} words", f"the {len(self.tokeniser)} of the vocabulary")

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __repr__(self) -> str:
        size = sum(one.size for one in self.weights.values())
        return f"RewritingModel({self.design.latent}, {len(self.tokeniser.words)} words, {size} weights)"

    @classmethod
    def untrained(cls, tokeniser: Tokeniser, design: RewritingDesign, *, seed: int = 0) -> Self:
        """With random weights, made without PyTorch."""
        rng = np.random.default_rng(seed)
        shapes = weight_shapes(design, len(tokeniser))
        weights = {name: np.asarray(rng.normal(size=shape), np.float32) for name, shape in shapes.items()}
        return cls(weights=weights, design=design, tokeniser=tokeniser)

    @classmethod
    def of_network(cls, network: Any, **given: Any) -> Self:
        """With the weights of a network."""
        weights = {name: np.array(value.detach().cpu().numpy()) for name, value in network.state_dict().items()}
        return cls(weights=weights, **given)

    @cached_property
    def network(self) -> Any:
        """The network with these weights, for reading and writing only."""
        torch = neural_torch()
        made = build_network(self.design, len(self.tokeniser))
        made.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in self.weights.items()})
        return made.eval().requires_grad_(False)

    @property
    def training(self) -> Guarantee:
        """What is promised to the texts it was trained on; nothing, unless they were protected."""
        if self.private is None:
            return NoGuarantee("nothing protects the texts it was trained on", unit="training text")
        return self.private.guarantee

    @cached_property
    def documents(self) -> DocumentFeatures:
        """How a document is counted."""
        return DocumentFeatures(tokeniser=self.tokeniser, idf=self.idf)

    def read(self, ids: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
        """The parameters of the latent of each sentence: its mean, and where there are some its spread and the author's
        mean. Every row is computed alone, in batches of one shape."""
        torch = neural_torch()
        network, found = self.network, []
        with torch.no_grad():
            for start in range(0, len(ids), _ROWS):
                part = np.zeros((_ROWS, ids.shape[1]), np.int64)
                own = ids[start : start + _ROWS]
                part[: len(own)] = own
                states = network.read(torch.from_numpy(part))
                heads = {"mean": network.mean(states)}
                if self.design.latent != "bounded":
                    heads["spread"] = (0.5 * network.spread(states)).exp()
                if self.design.latent == "split":
                    heads["author"] = network.author_mean(states)
                found.append({name: value[: len(own)].double().numpy() for name, value in heads.items()})
        return {name: np.concatenate([one[name] for one in found]) for name in found[0]} if found else {}

    def means(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """The unbounded means of single sentences."""
        return self.read(self.tokeniser.ids([self.tokeniser.tokens(text) for text in sentences]))["mean"]

    def codes(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """The code of each document: its label and its topic."""
        torch = neural_torch()
        found: dict[str, int] = {}
        with torch.no_grad():
            for text in dict.fromkeys(texts):  # one by one: a sum over words is the same whatever else is read
                places, weights = self.documents.count(text)
                label, point = self.network.features(
                    torch.from_numpy(places), torch.from_numpy(weights), torch.zeros(1, dtype=torch.int64)
                )
                found[text] = int(label.argmax(-1)) * self.design.topics + int(self.network.nearest(point))
        return np.array([found[text] for text in texts], np.int64)

    def clearness(self, texts: Sequence[str], codes: NDArray[np.int64]) -> NDArray[np.float64]:
        """How surely the network reads each text as its code: the log-probability of its label and of its topic."""
        torch = neural_torch()
        counted = {text: self.documents.count(text) for text in dict.fromkeys(texts)}
        found = np.zeros(len(texts))
        with torch.no_grad():
            for start in range(0, len(texts), _MANY):
                own = [counted[text] for text in texts[start : start + _MANY]]
                starts = torch.from_numpy(np.cumsum([0] + [len(places) for places, _ in own[:-1]]))
                places, weights = (torch.from_numpy(np.concatenate([one[k] for one in own])) for k in range(2))
                label, topic = (
                    torch.from_numpy(part) for part in np.divmod(codes[start : start + _MANY], self.design.topics)
                )
                scores, point = self.network.features(places, weights, starts)
                laws = (
                    torch.log_softmax(scores, -1),
                    torch.log_softmax(TOPIC_SCALE * point @ self.network.topic_points().T, -1),
                )
                rows = torch.arange(len(own))
                found[start : start + _MANY] = (laws[0][rows, label] + laws[1][rows, topic]).double().numpy()
        return found

    def code_latents(self, codes: NDArray[np.int64]) -> NDArray[np.float64]:
        """What the decoder reads for each code."""
        torch = neural_torch()
        with torch.no_grad():
            label, topic = (torch.from_numpy(part) for part in np.divmod(codes, self.design.topics))
            return np.asarray(self.network.of_code(label, topic).double().numpy())

    def write(
        self,
        latents: NDArray[np.float64],
        *,
        decoding: Decoding,
        rng: Rng,
        away: NDArray[np.float64] | None = None,
        guidance: float = 0.0,
    ) -> list[str]:
        """One sentence for each latent."""
        found: list[str] = []
        for start in range(0, len(latents), 1024):
            ids = write_sentences(
                self.network,
                latents[start : start + 1024],
                longest=self.tokeniser.longest,
                decoding=decoding,
                rng=rng,
                away=away,
                guidance=guidance,
            )
            found += [self.tokeniser.text(row) for row in ids]
        return found

    @cached_property
    def sha256(self) -> str:
        """Of plan, vocabulary and weights."""
        digest = hashlib.sha256(json.dumps(self.design.to_dict(), sort_keys=True).encode())
        digest.update(self.tokeniser.sha256.encode())
        for name in sorted(self.weights):
            digest.update(name.encode() + np.ascontiguousarray(self.weights[name], np.float32).tobytes())
        if self.idf is not None:
            digest.update(np.ascontiguousarray(self.idf, np.float32).tobytes())
        return digest.hexdigest()

    def to_card(self) -> dict[str, Any]:
        """What a card says of the model."""
        about = {"latent": self.design.latent, "words": len(self.tokeniser.words), "sha256": self.sha256}
        return about if self.private is None else about | {"training": str(self.training)}

    def check_card(self, record: Mapping[str, Any]) -> None:
        """Refuse to be taken for another model."""
        if self.to_card() != dict(record):
            raise bad_input(
                "model", self.sha256[:12], f"the model that the card names: {record.get('sha256', '')[:12]}"
            )

    def save(self, path: Path | str) -> None:
        """Write the model to a file; only numbers and text stand in it."""
        from sfumato.io.atomic import atomic_path

        record = {
            "format": _FORMAT,
            "design": self.design.to_dict(),
            "words": list(self.tokeniser.words),
            "longest": self.tokeniser.longest,
            "words_source": self.tokeniser.source,
            "source": self.source,
            "epochs": self.epochs,
            "private": None if self.private is None else asdict(self.private),
        }
        arrays: dict[str, Any] = dict(self.weights) | ({} if self.idf is None else {"idf": self.idf})
        if self.tokeniser.sources is not None:
            arrays["shingles"] = self.tokeniser.sources
        held = io.BytesIO()
        np.savez_compressed(held, record=np.array(json.dumps(record)), **arrays)
        with atomic_path(path) as beside:
            beside.write_bytes(held.getvalue())

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read a model from a file."""
        with reading(path):
            content = Path(path).read_bytes()
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as held:
                arrays = {name: held[name] for name in held.files}
            record = json.loads(str(arrays.pop("record")))
            if record["format"] != _FORMAT:
                raise KeyError(record["format"])
        except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
            raise bad_input("model", Path(path).name, "a rewriting model", "sfumato text train makes one") from error
        tokeniser = Tokeniser(
            words=record["words"],
            longest=record["longest"],
            source=record["words_source"],
            sources=arrays.pop("shingles", None),
        )
        return cls(
            design=RewritingDesign.from_dict(record["design"]),
            tokeniser=tokeniser,
            idf=arrays.pop("idf", None),
            weights=arrays,
            source=record["source"],
            epochs=record["epochs"],
            private=None if record.get("private") is None else PrivateTraining(**record["private"]),
        )
