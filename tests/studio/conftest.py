"""A session of the studio, before and after somebody was admitted and a table was opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.studio_browser import PATIENCE
from helpers.studio_server import CHROMIUM
from helpers.studio_session import PEOPLE, Session


@pytest.fixture(scope="session")
def launched() -> Iterator[Any]:
    """Debian's Chromium, driven by playwright."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=PATIENCE)
        yield browser
        browser.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "people.csv").write_text(PEOPLE)
    return folder


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    folder = tmp_path / "sessions"
    folder.mkdir()
    return folder


@pytest.fixture
def stranger(root: Path, sessions: Path) -> Iterator[Session]:
    """A session to which nobody was admitted yet. No worker is started before one is needed."""
    session = Session(root, sessions)
    yield session
    session.desk.close()


@pytest.fixture
def session(stranger: Session) -> Session:
    stranger.enter()
    return stranger


@pytest.fixture
def opened(session: Session) -> Session:
    assert session.post("/open", path="people.csv")[0] == 200
    return session
