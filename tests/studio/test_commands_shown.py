"""The commands that the screens show are run exactly as they stand there, and do what the studio does."""

from __future__ import annotations

import io
import re
import shlex
import zipfile
from html import unescape
from pathlib import Path

import pytest

from helpers.door_contract import run as sfumato
from helpers.studio_session import Session
from sfumato.io.files import read_table
from sfumato.ledger import Ledger
from sfumato.release import Card
from sfumato.studio.screens.file_screen import filed_now
from sfumato.table import Schema

LIVE = {"k": "13", "l": "2", "t": "100", "suppression": "3", "recoding": "global", "w0": "1", "w1": "2"}


def shown(session: Session, screen: str) -> list[str]:
    """The words of the command that a screen shows, without the name of the program."""
    page = session.get(screen)[1]
    found = re.search(r'<pre tabindex="0" id="command"><code>(.*?)</code>', page, re.DOTALL)
    assert found is not None, screen
    words = shlex.split(unescape(found[1]))
    assert words[0] == "sfumato"
    return words[1:]


@pytest.fixture
def filed(opened: Session, root: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A table that was protected and filed, with a ledger named."""
    opened.work_here(monkeypatch)
    assert opened.post("/ledger", ledger="budget.db", subject="people", total="1")[0] == 204
    assert opened.post("/protect/live", **LIVE)[0] == 200
    opened.post("/file/start", description="Visits", recipient="A university", purpose="", sharing="named")
    opened.wait("file")
    return opened


def test_init_writes_what_was_proposed(opened: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.csv").write_bytes((opened.desk.root / "people.csv").read_bytes())
    monkeypatch.chdir(tmp_path)
    for screen in ("/", "/roles"):
        (tmp_path / "table.toml").unlink(missing_ok=True)
        assert sfumato(*shown(opened, screen)) == 0
        assert Schema.read(tmp_path / "table.toml") == opened.desk.project.schema


def test_protect_risk_attack_and_publish_do_the_same(
    filed: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("people.csv", "budget.db"):
        (tmp_path / name).write_bytes((filed.desk.root / name).read_bytes())
    kept = filed.client.get("/file/private.zip", headers=filed.headers).content
    zipfile.ZipFile(io.BytesIO(kept)).extractall(tmp_path)
    (tmp_path / "release.key").unlink()
    monkeypatch.chdir(tmp_path)
    for screen in ("/risk", "/protect", "/attack", "/file"):
        assert sfumato(*shown(filed, screen)) == 0, screen
    assert (tmp_path / "risk.html").is_file()
    studio = filed_now(filed.desk)
    assert studio is not None
    mine = [Card.read(tmp_path / name) for name in ("release.csv.card.json", "papers/release.csv.card.json")]
    for card in mine:
        assert card.mechanism.name == studio.card.mechanism.name
        for setting in ("k", "l", "suppression"):
            assert card.mechanism.parameters.get(setting) == studio.card.mechanism.parameters.get(setting)
        assert card.promised == studio.card.promised
        assert card.release.rows == studio.card.release.rows
    assert mine[1].ledger is not None  # the command names who pays
    theirs = filed.client.get("/file/release.csv", headers=filed.headers).content
    (tmp_path / "theirs.csv").write_bytes(theirs)
    tables = [read_table(tmp_path / name) for name in ("theirs.csv", "release.csv", "papers/release.csv")]
    rows = [sorted(map(str, table.to_pylist())) for table in tables]
    assert rows[0] == rows[1] == rows[2]


def test_filing_is_recorded_in_the_ledger_and_costs_nothing(filed: Session) -> None:
    studio = filed_now(filed.desk)
    assert studio is not None
    with Ledger(filed.desk.root / "budget.db", create=False) as ledger:
        entries = [one for one in ledger.history("people") if one.release]
        left = ledger.left("people")
    assert [one.release for one in entries] == [studio.card.id]
    assert left.epsilon == 1  # type: ignore[attr-defined]
    assert studio.card.ledger is not None
