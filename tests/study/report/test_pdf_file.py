"""Printing by a browser that fails now and then."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato import SfumatoError
from sfumato.study.report.pdf_file import print_pdf

BROWSER = """#!/bin/sh
echo . >> "{folder}/starts"
[ "$(wc -l < "{folder}/starts")" -ge {works} ] || exit 1
for word in "$@"; do
    case "$word" in --print-to-pdf=*) printf '%%PDF-1.4' > "${{word#--print-to-pdf=}}" ;; esac
done
"""


def browser_that_works(folder: Path, monkeypatch: pytest.MonkeyPatch, *, works: int) -> None:
    """The only browser there is; it prints from the start with this number on."""
    script = folder / "chromium"
    script.write_text(BROWSER.format(folder=folder, works=works))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setattr("sfumato.study.report.pdf_file.BROWSERS", (str(script),))


def test_a_browser_that_ends_without_a_page_is_asked_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser_that_works(tmp_path, monkeypatch, works=2)
    print_pdf(tmp_path / "page.html", tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")


def test_a_browser_that_never_prints_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser_that_works(tmp_path, monkeypatch, works=3)
    with pytest.raises(SfumatoError, match="could not print the page: open it and print it by hand"):
        print_pdf(tmp_path / "page.html", tmp_path / "page.pdf")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["chromium", "starts"]
