"""Damaged files give one line, and half a commit never took place."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.ledger_files import fill, lines_of, trouble
from sfumato.errors import InputError, SfumatoError
from sfumato.ledger import Ledger
from sfumato.ledger.line import seal
from sfumato.promise import ApproxDP, KAnonymity, PureDP


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "budget.db"
    fill(path)
    return path


@contextlib.contextmanager
def one_line() -> Iterator[None]:
    """Whatever goes wrong is an error of ours, in one line."""
    try:
        yield
    except SfumatoError as error:
        text = str(error)
    else:
        text = ""
    assert "\n" not in text


def use(path: Path) -> None:
    """Everything that a ledger can be asked."""
    with Ledger(path, create=False) as ledger:
        for call in (
            ledger.balances,
            ledger.history,
            ledger.table,
            ledger.anchor,
            lambda: ledger.entry(3),
            lambda: ledger.releases("people"),
            lambda: ledger.history("ann"),
            lambda: ledger.record("people", KAnonymity(2)),
            lambda: ledger.spend("ann", PureDP(0.01)),
            lambda: ledger.set("bob", ApproxDP(3.0, 1e-5)),
            ledger.verify,
        ):
            with one_line():
                call()
        ledger._repr_html_()


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_damaged_files_give_one_line(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("damage") / "budget.db"
    fill(path)
    with Ledger(path) as ledger:
        anchor = ledger.anchor()
    whole = path.read_bytes()
    content = bytearray(whole)
    kind = data.draw(st.sampled_from(["flip", "cut", "zeros", "put in", "noise", "take out"]))
    at = data.draw(st.integers(0, len(content) - 1))
    length = data.draw(st.integers(1, 40))
    if kind == "flip":
        content[at] ^= data.draw(st.integers(1, 255))
    elif kind == "cut":
        del content[at:]
    elif kind == "zeros":
        content[at : at + length] = bytes(len(content[at : at + length]))
    elif kind == "put in":
        content[at:at] = data.draw(st.binary(min_size=1, max_size=40))
    elif kind == "noise":
        content[at : at + length] = random.Random(at).randbytes(len(content[at : at + length]))
    else:
        del content[at : at + length]
    path.write_bytes(content)
    if bytes(content) != whole:
        with one_line(), Ledger(path, create=False) as ledger, pytest.raises(SfumatoError):
            ledger.verify(anchor)
        with one_line():
            use(path)


@pytest.mark.parametrize("name", ["empty", "text", "json", "noise", "zeros", "header cut", "only a header"])
def test_what_is_not_a_ledger_gives_one_line(tmp_path: Path, path: Path, name: str) -> None:
    header = lines_of(path)[0]
    contents = {
        "empty": b"",
        "text": b"to whom it may concern\n" * 99,
        "json": b'{"size":        50,"entry":{},"hash":"0"}\n',
        "noise": random.Random(1).randbytes(5000),
        "zeros": bytes(5000),
        "header cut": header[:-1],
        "only a header": seal({"format": "something else", "version": 2})[0],
    }
    other = tmp_path / name
    other.write_bytes(contents[name])
    for create in (True, False):
        with pytest.raises(InputError, match="a sfumato ledger") as raised:
            Ledger(other, create=create)
        assert "\n" not in str(raised.value)
    assert other.read_bytes() == contents[name]


@pytest.mark.parametrize(
    "body",
    [b"[" * 100_000, b"[]", b'{"a":1,"a":2}', b'{"a": 1}', b'{"b":1,"a":2}', b'{"a":NaN}', b'{"a":1e999}', b"\xff"],
    ids=["deep", "list", "twice", "spaces", "order", "no number", "endless", "no text"],
)
def test_only_canonical_json_is_read(path: Path, body: bytes) -> None:
    """One content has one text, so that nothing can be hidden in another spelling."""
    digest = sha256(body).hexdigest().encode()
    line = b',"entry":' + body + b',"hash":"' + digest + b'"}\n'
    line = b'{"size":%10d' % (len(line) + 18) + line
    path.write_bytes(path.read_bytes() + line)
    assert "the last entry: it is not canonical JSON" in trouble(path)


# ── what a killed process leaves ─────────────────────────────────────────────────────────────────────────────────


def test_half_a_commit_never_took_place(path: Path) -> None:
    """Cut anywhere inside the commit of two subjects, the ledger is as before it, and goes on."""
    whole = lines_of(path)
    start, end = sum(map(len, whole[:7])), sum(map(len, whole[:9]))
    content = b"".join(whole)
    chance = random.Random(5)
    for cut in {start, start + 1, start + len(whole[7]), end - 1, *chance.sample(range(start, end), 12)}:
        for zeros in (0, 7):
            path.write_bytes(content[:cut] + bytes(zeros))
            with Ledger(path) as ledger:
                assert ledger.anchor().count == 6
                ledger.verify()
                assert ledger.spent("ann") == PureDP(0.5)
                assert ledger.balance("bob").spends == 0
                ledger.spend("bob", PureDP(0.1))
                assert ledger.verify().count == 7
            assert len(lines_of(path)) == 8


def test_what_no_killed_process_leaves_is_not_cut_off(path: Path) -> None:
    whole = path.read_bytes()
    for end in (b"!", b'{"size":', b"\xff" * 5000):
        content = whole[:-1] + end  # an end of line that was changed is damage
        path.write_bytes(content)
        assert "its end is damaged" in trouble(path)
        with Ledger(path) as ledger, pytest.raises(InputError, match="its end is damaged"):
            ledger.spend("ann", PureDP(0.1))
        assert path.read_bytes() == content
