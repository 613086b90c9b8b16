"""Words: replacement, SynTF and its tight bound, against mldp-text and the dense table of SanText, in one run.

Every measurement runs in a process of its own on one thread; seconds are CPU seconds, memory is the process's peak.
Peers and ours replace the same words with the same vectors: those that mldp-text bundles (33 860 × 300).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from peers import run_peer

HEAD = """
import json, resource, sys, time
wall, started = time.perf_counter(), time.process_time()
import numpy as np
def done(**values):
    values["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps(values))
"""
PEER = """
import json, random, time
import numpy as np
started = time.process_time()
import mldp_text
mechanism = mldp_text.MultivariateCalibrated(epsilon=10)
ready = time.process_time() - started
matrix = mechanism.embedding_matrix
np.save(FOLDER + "/vectors.npy", matrix.vectors.astype("float32"))
open(FOLDER + "/words.txt", "w").write("\\n".join(w.replace("\\n", " ") for w in matrix.index_to_key))
words = random.Random(0).sample(list(matrix.index_to_key), 400)
started = time.process_time()
for word in words[:100]:
    mechanism.replace_word(word)
laplace = 100 / (time.process_time() - started)
tem = mldp_text.TEM(epsilon=10, embedding_matrix=matrix)
started = time.process_time()
for word in words[:15]:
    tem.replace_word(word)
tem_rate = 15 / (time.process_time() - started)
mahalanobis = mldp_text.Mahalanobis(epsilon=10, embedding_matrix=matrix)
started = time.process_time()
for word in words[:20]:
    mahalanobis.replace_word(word)
print(json.dumps({"ready": ready, "laplace": laplace, "tem": tem_rate,
                  "mahalanobis": 20 / (time.process_time() - started), "size": len(matrix.index_to_key)}))
"""
DENSE = """
from scipy.special import softmax
vectors = np.load(sys.argv[1] + "/vectors.npy")[:10_000]
started = time.process_time()
squares = (vectors**2).sum(axis=1)
apart = np.sqrt(np.maximum(squares[:, None] + squares - 2 * vectors @ vectors.T, 0))
table = softmax(-10 * apart / 2, axis=1)
ready = time.process_time() - started
rng = np.random.default_rng(0)
share = 1 / np.arange(1, 10_001)
ids = rng.choice(10_000, 300, p=share / share.sum())
started = time.process_time()
for k in ids:
    row = table[k].astype(float)
    rng.choice(10_000, p=row / row.sum())
done(ready=ready, rate=len(ids) / (time.process_time() - started))
"""
OURS = """
from sfumato.text import TruncatedExponential, Vocabulary, WordExponential, WordLaplace, WordMahalanobis, load_glove
name, count, source, top = sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5])
words = load_glove() if source == "glove" else Vocabulary.load(sys.argv[1] + "/vectors.npy", sys.argv[1] + "/words.txt")
words = words.top(top) if top else words
make = {"laplace": WordLaplace, "mahalanobis": WordMahalanobis, "tem": TruncatedExponential}
make["exponential"] = WordExponential
mechanism = make[name](epsilon=10.0, vocabulary=words)
rng = np.random.default_rng(0)
share = 1 / np.arange(1, len(words) + 1)
ids = rng.choice(len(words), count, p=share / share.sum())
start_up, start_wall = time.process_time() - started, time.perf_counter() - wall
mechanism.replace_ids(ids[:8], rng)
started = time.process_time()
wall = time.perf_counter()
mechanism.replace_ids(ids, rng)
done(ready=start_up, wall=start_wall, rate=count / (time.process_time() - started),
     wall_rate=count / (time.perf_counter() - wall))
"""
TIGHT = """
from sfumato.text import CosineRating, ReplacementLaw, load_glove
words = load_glove(30_000)
law = ReplacementLaw(rating=CosineRating(vocabulary=words.top(64)), epsilon=47.5)
law.loss  # compiles
law = ReplacementLaw(rating=CosineRating(vocabulary=words), epsilon=47.5)
started = time.process_time()
loss = law.loss
done(seconds=time.process_time() - started, loss=loss)
"""
SYNTF = """
from sfumato.text import SynTF, load_glove
words = load_glove(30_000, content=True)
syntf = SynTF(epsilon=47.5, length=150, vocabulary=words)
rng = np.random.default_rng(0)
share = 1 / np.arange(1, len(words) + 1)
documents = [rng.choice(len(words), size=120, p=share / share.sum()) for _ in range(5000)]
started = time.process_time()
syntf.law.draw(np.arange(len(words)), rng)  # the best replacements of all words
ready = time.process_time() - started
started = time.process_time()
syntf.counts_of_ids(documents, rng=rng)
from_ids = len(documents) / (time.process_time() - started)
texts = [" ".join(words.words[k] for k in ids) for ids in documents]
syntf.counts(texts, rng=rng)  # reads every spelling once
started = time.process_time()
syntf.counts(texts, rng=rng)
done(ready=ready, from_ids=from_ids, from_text=len(texts) / (time.process_time() - started))
"""
OPACUS = """
import json, resource, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np, torch
from opacus import GradSampleModule
from opacus.optimizers import DPOptimizer
torch.set_num_threads(1)
rng = np.random.default_rng(0)
class SkipGram(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.contexts = torch.nn.Embedding(SIZE, 50), torch.nn.Embedding(SIZE, 50)
    def forward(self, centre, others):
        return (self.words(centre) * self.contexts(others)).sum(-1)
model = GradSampleModule(SkipGram())
plain = torch.optim.SGD(model.parameters(), lr=1.0)
steps = DPOptimizer(plain, noise_multiplier=2.0, max_grad_norm=1.0, expected_batch_size=64, loss_reduction="sum")
sign = torch.tensor([1.0] + [-1.0] * 5)
def step():  # a sample is a user with 128 pairs
    centre = torch.from_numpy(rng.integers(SIZE, size=(64, 128, 1))).expand(-1, -1, 6).contiguous()
    score = model(centre, torch.from_numpy(rng.integers(SIZE, size=(64, 128, 6))))
    steps.zero_grad()
    torch.nn.functional.softplus(-sign * score).sum().backward()
    steps.step()
step()
started = time.process_time()
for _ in range(3):
    step()
print(json.dumps({"rate": 3 / (time.process_time() - started),
                  "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20}))
"""
SKIP_GRAM = """
from itertools import product
import torch
from sfumato.text import PrivateSkipGram
torch.set_num_threads(1)
size = int(sys.argv[1])
words = ["".join(letters) for letters, _ in zip(product("abcdefghij", repeat=5), range(size))]
rng = np.random.default_rng(0)
users = [[" ".join(rng.choice(words, 300))] for _ in range(64)]
sizes = dict(expected_users=64, dimension=50, rate=1.0, pairs_per_user=128)
model = PrivateSkipGram(vocabulary=words, epsilon=8.0, delta=1e-5, steps=1, **sizes)
model.release(users, rng=rng)
longer = model.replace(steps=11)
longer.noise_multiplier
started = time.process_time()
model.release(users, rng=rng)
middle = time.process_time()
longer.release(users, rng=rng)
done(rate=10 / (time.process_time() - middle - (middle - started)))
"""


def ours(code: str, *arguments: Any, threads_used: int = 1) -> dict[str, float]:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    threads = dict.fromkeys(names, str(threads_used))
    command = [sys.executable, "-c", HEAD + code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **threads}, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def line(name: str, our: float, peer: float | None, unit: str) -> None:
    ratio = "" if peer is None else f"{our / peer:>10.3g}×"
    print(
        f"{name:<58}{our:>12,.0f}{'' if peer is None else format(peer, '>12,.1f'):>12}{ratio:>12}  {unit}", flush=True
    )


ATTACK = """
import warnings
warnings.simplefilter("ignore")
from sfumato.noise import seeded_rng
from sfumato.text import AuthorshipAttack, LinkageAttack, SynTF, load_glove, make_letters_corpus
data = make_letters_corpus(authors=10, letters=100)
mechanism = SynTF(epsilon=47.5, length=150, vocabulary=load_glove(30_000, content=True))
release = mechanism.release(data, rng=seeded_rng(0))
started = time.process_time()
score = AuthorshipAttack(copies=8).attack(data, release, mechanism=mechanism, rng=seeded_rng(1)).value
attack = time.process_time() - started
started = time.process_time()
linked = LinkageAttack(candidates=1000).attack(data, release, mechanism=mechanism, rng=seeded_rng(1)).value
done(attack=attack, score=score, linkage=time.process_time() - started, linked=linked)
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        peer = run_peer("mldp", ["mldp-text>=0.1"], f"FOLDER = {folder!r}\n" + PEER, timeout=1800)
        print(f"{'':<58}{'ours':>12}{'peer':>12}{'ratio':>12}")
        for name, label, count in (
            ("laplace", "noise + nearest word", 4096),
            ("mahalanobis", "Mahalanobis + nearest word", 4096),
            ("tem", "truncated exponential (TEM)", 512),
        ):
            found = ours(OURS, folder, name, count, "peer", 0)
            line(f"{label}, {int(peer['size'])} × 300 (mldp-text)", found["rate"], peer[name], "words/s")
        both = ours(OURS, folder, "laplace", 32768, "peer", 0, threads_used=os.cpu_count() or 1)
        line(
            "noise + nearest word, all cores, wall clock (idle machine)", both["wall_rate"], peer["laplace"], "words/s"
        )
        dense = ours(DENSE, folder)
        sparse = ours(OURS, folder, "exponential", 2048, "peer", 10_000)
        line("exponential, 10 000 × 300 (dense table)", sparse["rate"], dense["rate"], "words/s")
        print(f"  before the first word: ours {sparse['ready']:.2f} s, {sparse['peak']:.2f} GiB; "
              f"dense table {dense['ready']:.2f} s, {dense['peak']:.2f} GiB")  # fmt: skip
        whole = ours(OURS, folder, "exponential", 256, "peer", 0)
        line(f"exponential, {int(peer['size'])} × 300 (a dense table would not fit)", whole["rate"], None, "words/s")
        large = ours(OURS, folder, "laplace", 1024, "glove", 0)
        line("noise + nearest word, 400 000 × 50", large["rate"], None, "words/s/core")
        print(f"  start-up: ours {large['ready']:.2f} s ({large['wall']:.2f} s wall) for 400 000 words, "
              f"mldp-text {peer['ready']:.1f} s for {int(peer['size'])}")  # fmt: skip
    tight = ours(TIGHT)
    print(
        f"tight ℓ, 30 000 words × 50: {tight['seconds']:.1f} s, peak {tight['peak']:.2f} GiB, ℓ = {tight['loss']:.3f}"
    )
    syntf = ours(SYNTF)
    line("SynTF, 30 000 words, n = 150, from word numbers", syntf["from_ids"], None, "documents/s")
    line("SynTF, 30 000 words, n = 150, from texts", syntf["from_text"], None, "documents/s")
    print(f"  preparation {syntf['ready']:.1f} s, peak {syntf['peak']:.2f} GiB")
    attack = ours(ATTACK)
    print(
        f"authorship attack, 8 copies of 10 authors × 100 letters of 150 words: {attack['attack']:.1f} s; linkage of "
        f"1 000 × 1 000: {attack['linkage']:.1f} s, peak {attack['peak']:.2f} GiB"
    )
    for size in (2_000, 20_000):
        peer = run_peer("opacus", ["opacus>=1.5", "torch>=2.9,<2.14"], f"SIZE = {size}\n" + OPACUS, timeout=1800)
        found = ours(SKIP_GRAM, size)
        label = f"private skip-gram, {size} words × 50, 64 users × 128 pairs (opacus)"
        print(f"{label:<70}{found['rate']:>8.1f}{peer['rate']:>8.1f}{found['rate'] / peer['rate']:>8.2f}×  steps/s; "
              f"peak {found['peak']:.2f} and {peer['peak']:.2f} GiB")  # fmt: skip
    print(f"({Path(sys.executable).name} {sys.version.split()[0]}, one thread, CPU seconds)")


if __name__ == "__main__":
    main()
