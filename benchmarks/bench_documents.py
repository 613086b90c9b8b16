"""Documents: depths beside plain numpy, MiniLM on onnxruntime beside PyTorch, search index and sanitiser, in one run.

    OMP_NUM_THREADS=1 python benchmarks/bench_documents.py [documents]

All times are CPU seconds of one thread. The PyTorch encoder has the shape of all-MiniLM-L6-v2 (6 layers, 384, 12 heads,
1 536) with random weights in single precision: its speed does not depend on them. Without the extras ``encode``,
``neural`` or ``search`` the rows that need them are left out.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sfumato.errors import SfumatoError
from sfumato.text import (
    CarefulSearcher,
    EnglishAnalyser,
    MiniLMEncoder,
    PlainAnalyser,
    Sanitiser,
    SearchAttack,
    SearchIndex,
    WordTableEncoder,
    make_planted_events,
)
from sfumato.text.mechanisms.retrieve.depth import projection_depths
from sfumato.text.mechanisms.retrieve.depth_law import DepthLaw

CANDIDATES, SENTENCES, PROJECTIONS, DIMENSION = 5000, 30, 100, 5


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The best of some rounds, in CPU seconds."""
    found = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return min(found)


def row(what: str, ours: str, peer: str = "", ratio: float | None = None) -> None:
    print(f"{what:<58}{ours:>22}{peer:>30}{'' if ratio is None else f'   × {ratio:.1f}'}", flush=True)


def depths(count: int) -> None:
    rng = np.random.default_rng(0)
    places = rng.normal(size=(CANDIDATES, DIMENSION))
    directions = rng.normal(size=(DIMENSION, PROJECTIONS))
    documents = rng.normal(size=(count, SENTENCES, DIMENSION))
    along = (places @ directions).T
    order = np.argsort(along, axis=1).astype(np.int32)
    ranked = np.ascontiguousarray(np.take_along_axis(along, order, axis=1))

    def ours() -> None:
        for points in documents:
            projection_depths((points @ directions).T, ranked, order)

    def naive() -> None:
        for points in documents[: max(1, count // 20)]:
            h = np.stack([(s >= f[:, None]).sum(axis=1) for s, f in zip((points @ directions).T, along, strict=True)])
            np.minimum(h, SENTENCES - h).min(axis=0)

    ours()
    mine = count / seconds(ours)
    peer = max(1, count // 20) / seconds(naive)
    shape = f"{CANDIDATES} candidates × {SENTENCES} sentences × {PROJECTIONS}"
    row(f"depths, {shape}", f"{mine:.0f} documents/s", f"numpy {peer:.0f} documents/s", mine / peer)
    found = projection_depths((documents[0] @ directions).T, ranked, order)
    for sampler in ("exponential", "permute-and-flip"):
        law = DepthLaw(epsilon=10.0, sampler=sampler)
        law.draw(found, 1, rng)
        row(f"draw, {sampler}", f"{20 / seconds(lambda law=law: law.draw(found, 20, rng)):.0f} draws/s")


def encoders(texts: list[str]) -> None:
    try:
        mini = MiniLMEncoder()
    except SfumatoError as error:
        row("MiniLM", f"left out: {error}")
        return
    few = texts[:60]
    mini.encode(few[:1])
    alone = [text + f" {k}" for k, text in enumerate(few)]  # nothing is remembered from another round
    mine = len(few) / seconds(lambda: mini.encode(alone), 1)
    public = len(few) / seconds(lambda: mini.encode_public(few))
    peer = torch_rate(few)
    shown = "" if peer is None else f"torch fp32 {peer:.0f} sentences/s"
    row("MiniLM int8, each sentence alone", f"{mine:.0f} sentences/s", shown, None if peer is None else mine / peer)
    row("MiniLM int8, public sentences together", f"{public:.0f} sentences/s")
    table = WordTableEncoder()
    table.encode(texts[:1])
    row("word table", f"{len(texts) / seconds(lambda: table.encode(texts)):.0f} sentences/s")


def torch_rate(texts: list[str]) -> float | None:
    """Sentences a second through a transformer of the same shape, one at a time."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    layer = torch.nn.TransformerEncoderLayer(384, 12, 1536, activation="gelu", batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).eval()
    lengths = [max(3, len(text.split()) * 4 // 3 + 2) for text in texts]

    def run() -> None:
        with torch.inference_mode():
            for length in lengths:
                model(torch.zeros(1, length, 384)).mean(dim=1)

    run()
    return len(texts) / seconds(run)


def searches(count: int) -> None:
    made = make_planted_events()
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        index = SearchIndex.build(made.articles, folder=Path(folder) / "idx")
        row(f"index of {len(made.articles)} articles", f"{time.process_time() - started:.2f} s")
        content = Sanitiser(attack=SearchAttack(searcher=index)).content(made.reports, made.background)
        words = [PlainAnalyser().words(text) for text in made.reports[:count]]
        attack = SearchAttack(searcher=index, whole=False)
        took = seconds(lambda: [attack.attack(own, content, names=["X"]) for own in words], 1)
        row("7 searches of one document", f"{1000 * took / len(words):.2f} ms")
        sanitiser = Sanitiser(attack=SearchAttack(searcher=CarefulSearcher(searcher=index)))
        reports, names = made.reports[:count], made.names[:count]
        took = seconds(lambda: sanitiser.sanitise(reports, names=names, content=content), 1)
        row("sanitiser, to the fixed point", f"{len(reports) / took:.0f} documents/s")
        slow = slice(0, max(1, count // 10))
        cut = EnglishAnalyser()
        try:
            cut.words("Load the model first.")
        except SfumatoError as error:
            row("sanitiser, English", f"left out: {error}")
            return
        english = Sanitiser(attack=SearchAttack(searcher=CarefulSearcher(searcher=index), analyser=cut))
        known = english.content(reports[slow])
        for how, given in (("names", names[slow]), ("name-free index", None)):
            took = seconds(lambda given=given: english.sanitise(reports[slow], names=given, content=known), 1)
            row(f"sanitiser, English (spaCy), {how}", f"{len(reports[slow]) / took:.0f} documents/s")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"{'':<58}{'sfumato':>22}{'peer':>30}   ratio")
    depths(count)
    encoders(list(make_planted_events(events=300, distractors=0, background=0).reports))
    searches(3 * count)


if __name__ == "__main__":
    main()
