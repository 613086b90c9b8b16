"""Rewriting: training beside a plain PyTorch loop of the same network, and a thousand sentences at once or one by one.

CPU seconds on one thread, in one run; ratios count.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

import numpy as np

from sfumato.text import DpVae, RewritingDesign, Tokeniser, TrainingPlan, train_rewriter
from sfumato.text.data.letters import make_letters
from sfumato.text.mechanisms.rewrite.rewriting_network import build_network, into_ball, sentence_error

SIZES = {"embedding": 64, "hidden": 64, "size": 16}


def timed(call: Callable[[], object]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started


def main() -> None:
    import torch

    torch.set_num_threads(1)
    public = make_letters(authors=20, letters=20, seed=3).texts
    words = Tokeniser.of(public)
    ids = words.ids([piece for text in public for piece in words.pieces(text)])
    count = int((ids > 0).sum())
    design = RewritingDesign(**SIZES)

    def ours() -> None:
        train_rewriter(public, design=design, tokeniser=words, plan=TrainingPlan(epochs=2))

    def plain() -> None:
        network = build_network(design, len(words))
        steps = torch.optim.Adam(network.parameters(), lr=2e-3)
        data = torch.from_numpy(ids)
        order = torch.cat([torch.randperm(len(data)) for _ in range(2)])
        for start in range(0, len(order), 64):
            part = data[order[start : start + 64]]
            mean = into_ball(network.mean(network.read(part)), 3.0)
            error = sentence_error(network, mean + torch.randn_like(mean), part, dropout=0.2)
            steps.zero_grad()
            error.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            steps.step()

    ours(), plain()  # what is loaded once is loaded now
    both = [(timed(ours), timed(plain)) for _ in range(3)]
    first, second = (2 * count / min(one) for one in zip(*both, strict=True))
    print(f"training: {first:.0f} tokens/s, plain loop {second:.0f}, ratio {first / second:.2f} (best of three each)")

    model = train_rewriter(public, design=design, tokeniser=words, plan=TrainingPlan(epochs=1))
    private = DpVae(epsilon=50.0, model=model)
    texts = [
        " ".join(piece) for text in make_letters(authors=20, letters=20, seed=9).texts for piece in words.pieces(text)
    ]
    texts = [text for text in texts if len(words.pieces(text)) == 1][:1000]
    rng = np.random.default_rng(0)
    private.release(texts[:64], rng=rng)
    together = timed(lambda: private.release(texts, rng=rng))
    alone = timed(lambda: [private.release(text, rng=rng) for text in texts])
    print(f"{len(texts)} sentences: {together:.2f} s together, {alone:.2f} s one by one, {alone / together:.1f}×")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


main()
