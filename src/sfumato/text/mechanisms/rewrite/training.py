"""Training of rewriting networks, an epoch at a time, with checkpoints that go on where they stopped."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.atomic import atomic_path, reading
from sfumato.noise import Rng, is_secure, resolve_rng
from sfumato.study.console import progress_bar
from sfumato.text.core.corpus import check_texts
from sfumato.text.core.tokens import stop_words
from sfumato.text.core.torch_run import check_device, neural_torch, shuffled, torch_run
from sfumato.text.mechanisms.rewrite.document_features import DocumentFeatures
from sfumato.text.mechanisms.rewrite.objectives import Lesson, Objective, objective_of
from sfumato.text.mechanisms.rewrite.private_training import PrivateTraining
from sfumato.text.mechanisms.rewrite.rewriting_design import RewritingDesign
from sfumato.text.mechanisms.rewrite.rewriting_model import RewritingModel
from sfumato.text.mechanisms.rewrite.rewriting_network import build_network
from sfumato.text.mechanisms.rewrite.tokeniser import SPECIAL, Tokeniser
from sfumato.validate import integer, positive, probability

__all__ = ["TrainingPlan", "train_rewriter"]


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """How a network is trained.

    Parameters
    ----------
    epochs, batch : int
    drawn : int, optional
        Sentences that an epoch draws; all by default.
    rate : float
        Of Adam.
    sigma : float
        The noise on a bounded mean while learning.
    dropout : float
        The share of words that are hidden from the decoder.
    divergence : float
        The weight of the divergence from the prior of an unbounded latent, reached after half the epochs. A bounded
        mean with a fixed spread has none: it would only pull means to 0.
    hide, keep : float
        Of a split latent: the weights of the discriminators and of the motivators.
    seed : int
    device : {"cpu", "cuda"}
    """

    epochs: int = 8
    batch: int = 64
    drawn: int | None = None
    rate: float = 2e-3
    sigma: float = 1.0
    dropout: float = 0.2
    divergence: float = 0.1
    hide: float = 1.0
    keep: float = 3.0
    seed: int = 0
    device: str = "cpu"

    def __post_init__(self) -> None:
        integer("epochs", self.epochs)
        integer("batch", self.batch)
        if self.drawn is not None:
            integer("drawn", self.drawn)
        integer("seed", self.seed, least=0)
        positive("rate", self.rate)
        positive("sigma", self.sigma, "a fixed spread is > 0")
        probability("dropout", self.dropout, zero=True)
        for name in ("divergence", "hide", "keep"):
            positive(name, getattr(self, name), zero=True)


def train_rewriter(
    texts: Sequence[str],
    *,
    design: RewritingDesign,
    tokeniser: Tokeniser | None = None,
    plan: TrainingPlan | None = None,
    labels: Sequence[str] | None = None,
    authors: Sequence[str] | None = None,
    source: str | None = None,
    checkpoint: Path | str | None = None,
    epochs_now: int | None = None,
    private: PrivateTraining | None = None,
    rng: Rng | None = None,
    show: bool = False,
) -> RewritingModel:
    """Train a rewriting network on public texts, or privately on others. Needs PyTorch.

    Without ``private`` nothing about ``texts`` is protected: whoever holds the model may learn what stood in them. The
    promise of a release is about the texts that are rewritten later, by a model that was trained on others.

    Parameters
    ----------
    texts : sequence of str
        Public.
    labels : sequence of str, optional
        Of a code: the label of each text; the design names all labels.
    authors : sequence of str, optional
        Of a split latent: the author of each text; the design names all authors.
    checkpoint : path, optional
        Written after each epoch. If it is there already, training goes on from it, to the same weights as without the
        interruption.
    epochs_now : int, optional
        Stop after so many epochs of this call; a later call goes on.
    private : PrivateTraining, optional
        Protect the texts: the model keeps (ε, δ) for each. The vocabulary must then be declared, and ``plan.epochs``
        only says how often a checkpoint is written; it is as secret as the texts.
    rng : numpy Generator, optional
        The noise of private training. A seeded one is for experiments, and the model then promises nothing.

    Examples
    --------
    >>> public = ["the tea is good", "the rain is cold"] * 8
    >>> small = RewritingDesign(hidden=8, embedding=8, size=2)
    >>> model = train_rewriter(public, design=small, plan=TrainingPlan(epochs=1))
    >>> model.epochs, model.design.latent
    (1, 'bounded')
    """
    torch = neural_torch()
    plan = plan or TrainingPlan()
    check_device(plan.device)
    texts = check_texts(texts, "texts")
    if not texts:
        raise bad_input("texts", "none", "public texts to learn from")
    if private is not None:
        _check_private(design, tokeniser)
    tokeniser = tokeniser or Tokeniser.of(texts, source=source)
    lesson = _lesson(texts, design, tokeniser, labels=labels, authors=authors, weigh=private is None)
    secure = resolve_rng(rng)
    with torch_run(np.random.default_rng([plan.seed, 0])):
        network = build_network(design, len(tokeniser)).to(plan.device)
        objective = objective_of(design, network, lesson, plan)
    done = 0
    if checkpoint is not None and Path(checkpoint).exists():
        done = _resume(torch, Path(checkpoint), network, objective, _about(design, tokeniser, plan, private))
    last = plan.epochs if epochs_now is None else min(plan.epochs, done + integer("epochs_now", epochs_now))
    with progress_bar("epochs", plan.epochs, show=show) as advance:
        advance(done)
        for epoch in range(done, last):
            own = np.random.default_rng([plan.seed, 1, epoch])  # of the epoch alone: a resumed run draws the same
            part = epoch / plan.epochs
            with torch_run(own):
                if private is None:
                    for rows in shuffled(len(lesson.sentences), plan.batch, own, most=plan.drawn):
                        objective.step(rows, part=part)
                else:
                    for _ in range(private.steps * epoch // plan.epochs, private.steps * (epoch + 1) // plan.epochs):
                        chosen = private.chosen(lesson.owners, secure)
                        objective.private_step(chosen, private, part=part, rng=secure)
            advance(1)
            done = epoch + 1
            if checkpoint is not None:
                _keep(torch, Path(checkpoint), network, objective, _about(design, tokeniser, plan, private), done)
    if private is None:
        objective.finish()
    return RewritingModel.of_network(
        network,
        design=design,
        tokeniser=tokeniser,
        idf=lesson.idf,
        source=source,
        epochs=done,
        private=private if is_secure(secure) else None,
    )


def _check_private(design: RewritingDesign, tokeniser: Tokeniser | None) -> None:
    """Refuse what would tell of the texts outside the noisy steps."""
    if tokeniser is None:
        raise bad_input("tokeniser", None, "a declared vocabulary", "words taken from the texts would tell of them")
    if design.latent == "split":
        raise bad_input("design", "a split latent", "plain, bounded or code", "its discriminators see raw texts")
    if design.latent == "code" and design.topics > 1:
        raise bad_input("topics", design.topics, "1 with private training", "topics are balanced over many texts")


def _lesson(
    texts: list[str],
    design: RewritingDesign,
    tokeniser: Tokeniser,
    *,
    labels: Sequence[str] | None,
    authors: Sequence[str] | None,
    weigh: bool,
) -> Lesson:
    """The sentences as numbers, each with its document and what is known of that."""
    pieces, owners = [], []
    for owner, text in enumerate(texts):
        for piece in tokeniser.pieces(text):
            if piece:
                pieces.append(piece)
                owners.append(owner)
    if not pieces:
        raise bad_input("texts", f"{len(texts)} texts without a word", "sentences to learn from")
    known = _numbers("labels", labels, design.labels, len(texts)) if design.latent == "code" else None
    writers = _numbers("authors", authors, design.authors, len(texts)) if design.latent == "split" else None
    lesson = Lesson(sentences=tokeniser.ids(pieces), owners=np.array(owners, np.int64), labels=known, authors=writers)
    if design.latent == "split":
        dull = stop_words()
        content = [k for k, word in enumerate(tokeniser.words) if word.isalpha() and word not in dull]
        lesson = replace(lesson, content=np.array(content, np.int64) + len(SPECIAL))
    if design.latent == "code":
        features = DocumentFeatures.fit(tokeniser, texts) if weigh else DocumentFeatures(tokeniser=tokeniser)
        lesson = replace(lesson, documents=[features.count(text) for text in texts], idf=features.idf)
    return lesson


def _numbers(name: str, given: Sequence[str] | None, known: Sequence[str], count: int) -> NDArray[np.int64]:
    if given is None or len(given) != count:
        found = None if given is None else len(given)
        raise bad_input(name, found, f"one for each of the {count} texts", f"{name}=[…]")
    place = {one: k for k, one in enumerate(known)}
    unknown = sorted({str(one) for one in given} - set(place))
    if unknown:
        raise bad_input(name, f"{len(unknown)} unknown values", f"those of the design: {len(place)}")
    return np.array([place[str(one)] for one in given], np.int64)


def _about(
    design: RewritingDesign, tokeniser: Tokeniser, plan: TrainingPlan, private: PrivateTraining | None
) -> dict[str, Any]:
    """What two runs must share for one to go on where the other stopped; not how long they are to be, unless they are
    private: then the steps are what is paid for."""
    left = ("device",) if private is not None else ("epochs", "device")
    settings = {name: getattr(plan, name) for name in plan.__dataclass_fields__ if name not in left}
    paid = {} if private is None else {"private training": asdict(private)}
    return {"vocabulary": tokeniser.sha256, "design": design.to_dict(), "plan": settings} | paid


def _keep(torch: Any, path: Path, network: Any, objective: Objective, about: dict[str, Any], epoch: int) -> None:
    held = io.BytesIO()
    state = {"network": network.state_dict(), "objective": objective.state(), "epoch": epoch, "about": about}
    torch.save(state, held)
    with atomic_path(path) as beside:
        beside.write_bytes(held.getvalue())


def _resume(torch: Any, path: Path, network: Any, objective: Objective, wanted: dict[str, Any]) -> int:
    """Load the weights and the state of the optimisers; how many epochs are done."""
    with reading(path):
        content = path.read_bytes()
    try:
        held = torch.load(io.BytesIO(content), weights_only=True, map_location="cpu")
        about = held["about"]
    except Exception as error:
        raise bad_input("checkpoint", path.name, "a checkpoint of a rewriting network", "name another file") from error
    for name in dict.fromkeys([*wanted, *about]):  # in this order: a wrong vocabulary is said first
        if about.get(name) != wanted.get(name):
            raise bad_input("checkpoint", path.name, f"one with the same {name}", "name another file, or delete it")
    network.load_state_dict(held["network"])
    objective.load(held["objective"])
    return int(held["epoch"])
