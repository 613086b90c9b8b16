"""A page as PDF, printed by a browser that is on this machine."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from sfumato.errors import SfumatoError
from sfumato.io.atomic import atomic_path

__all__ = ["find_browser", "print_pdf"]

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "brave-browser",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
"""Browsers that print without a window."""

_FLAGS = (
    "--headless --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync --disable-extensions --no-pdf-header-footer"
)
_SECONDS = 600


def find_browser() -> str | None:
    """The browser that prints, if there is one."""
    return next((found for name in BROWSERS if (found := shutil.which(name)) is not None), None)


def print_pdf(page: str | Path, pdf: str | Path) -> None:
    """Print one of our own pages (a certificate, a report) as PDF. Its scripts and its style are in it; nothing is
    fetched.

    Raises :class:`~sfumato.SfumatoError` if there is no browser on this machine that can do it.
    """
    browser = find_browser()
    if browser is None:
        raise SfumatoError("no Chromium, Chrome or Edge was found to print it: open the page and print it from there")
    with atomic_path(pdf) as beside:
        # A browser that has just been started ends now and then without a page: it is asked once more, from the start.
        if not (_printed(browser, page, beside) or _printed(browser, page, beside)):
            raise SfumatoError(f"{Path(browser).name} could not print the page: open it and print it by hand")


def _printed(browser: str, page: str | Path, pdf: Path) -> bool:
    """Whether the browser wrote the page as PDF."""
    with tempfile.TemporaryDirectory(prefix="sfumato-print-") as profile:
        # A browser's sandbox does not start as root; the page is our own and holds no script of others.
        sandbox = ["--no-sandbox"] if _is_root() else []
        command = [browser, *_FLAGS.split(), *sandbox, f"--user-data-dir={profile}", f"--print-to-pdf={pdf}"]
        try:
            done = subprocess.run(
                [*command, Path(page).resolve().as_uri()], capture_output=True, timeout=_SECONDS, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise SfumatoError(
                f"{Path(browser).name} did not print within {_SECONDS} s: print the page by hand"
            ) from error
        return not done.returncode and pdf.is_file() and pdf.read_bytes().startswith(b"%PDF")


def _is_root() -> bool:
    import os

    return hasattr(os, "geteuid") and os.geteuid() == 0
