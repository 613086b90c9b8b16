"""Private things beside a ledger: kept once, found again, missed when they are gone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from sfumato.errors import InputError
from sfumato.ledger import Ledger, Vault
from sfumato.promise import NoGuarantee

NOTHING = NoGuarantee("a test")


@pytest.fixture
def vault(tmp_path):
    Ledger(tmp_path / "book").close()
    return Vault(tmp_path / "book")


def test_what_is_kept_first_stays(vault):
    assert vault.find("ann", "zone") is None
    assert vault.keep("ann", "zone", {"at": [1.0, 2.0]}, NOTHING) == {"at": [1.0, 2.0]}
    assert vault.keep("ann", "zone", {"at": [3.0, 4.0]}, NOTHING) == {"at": [1.0, 2.0]}
    assert vault.keep("bob", "zone", {"at": [5.0, 6.0]}, NOTHING) == {"at": [5.0, 6.0]}
    assert vault.names("ann") == ["zone"]
    with Ledger(vault.ledger) as book:
        (entry,) = book.releases("ann")
    assert "sha256" in entry.note
    assert "1.0" not in entry.note


def test_many_at_once_agree(vault):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: vault.keep("ann", "zone", {"k": k}, NOTHING)["k"], range(8)))
    assert len(set(found)) == 1
    assert vault.find("ann", "zone") == {"k": found[0]}


def test_a_missing_or_edited_file_is_noticed(vault):
    vault.keep("ann", "zone", {"at": 1}, NOTHING)
    (path,) = vault.folder.glob("*.json")
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"at": 1', b'"at": 2'))
    with pytest.raises(InputError, match="was edited"):
        vault.find("ann", "zone")
    path.unlink()
    with pytest.raises(InputError, match="restore it"):
        vault.keep("ann", "zone", {"at": 3}, NOTHING)
    path.write_bytes(content)
    assert vault.find("ann", "zone") == {"at": 1}


def test_a_vault_needs_its_ledger(tmp_path):
    with pytest.raises(InputError, match="a ledger"):
        Vault(tmp_path / "none")
