"""The commands from file to file, and from host to host."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from helpers.commands import listed_as
from helpers.door_contract import Contract, run
from sfumato.errors import SfumatoError
from sfumato.io.files import read_table, write_table
from sfumato.ledger import Ledger
from sfumato.party import make_bids
from sfumato.party.room import ROOM
from sfumato.party.task import Task
from sfumato.promise import PureDP
from sfumato.release import Card, verify
from sfumato.study.console import notes

COMMANDS = {"private-answers": ["--epsilon", 1], "private-count": ["--epsilon", 1]}


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.csv"
    write_table(make_bids(40), path)
    return path


@pytest.mark.parametrize("mechanism", ROOM.mechanisms())
def test_every_mechanism_from_file_to_file(answers: Path, mechanism: str, capsys: pytest.CaptureFixture[str]) -> None:
    out, key = answers.with_name("release.csv"), answers.with_name("release.key")
    words = COMMANDS[listed_as(ROOM.mechanisms()[mechanism], COMMANDS)]
    asked = ["party", "protect", answers, "-c", "at_least", "-m", mechanism, *words, "-o", out, "--key", key]
    assert run(*asked, "--attack") == 0
    assert "promise: ε = 1 per answer" in capsys.readouterr().err
    assert verify(out).holds
    assert run("party", "attack", answers, out, "--key", key) == 0
    assert "inferred" in capsys.readouterr().out
    assert run("party", "measure", answers, out, "--key", key) == 0
    assert "error of the number of yes" in capsys.readouterr().out


def test_protect_keeps_the_contract(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pa.table({"at_least": [0] * 40 + [1] * 40, "name": [f"p{k}" for k in range(80)]})
    words = ["--column", "at_least", "--epsilon", 20]
    price = PureDP(20.0, unit="answer", neighbours="any-pair", model="local")
    Contract("party", table, words, "at_least", price).check_everything(tmp_path, capsys)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-c", "at_least", "-m", "nonsense"], "expected one of"),
        (["-c", "at_least"], "expected epsilon"),
        (["-c", "weight", "--epsilon", "1"], "has no column 'weight'"),
        (["-c", "mine", "--epsilon", "1"], "0 or 1 each"),
    ],
)
def test_errors_are_one_line(
    answers: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("party", "protect", answers, "-o", answers.with_name("release.csv"), *options) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert message in said.err
    assert not answers.with_name("release.csv").exists()


def test_a_plan_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("party", "plan", "1") == 0
    assert "6 messages, 2ℓ + 6 ciphertexts." in capsys.readouterr().out
    assert run("party", "plan", "nonsense") == 2


def test_an_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("party", "identity", "mine") == 0
    assert capsys.readouterr().out.split() == ["mine.pem", "mine.key"]
    assert run("party", "identity", "mine") == 2


# two hosts: one command in a thread, one here


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def two_hosts(folder: Path, listen: dict[str, Any], compare: list[Any]) -> tuple[int, int]:
    """Exit codes of whoever connects and whoever listens."""
    secret = folder / "phrase.txt"
    secret.write_text("correct horse battery staple\n")
    port, common = free_port(), ["--key-bits", 1024, "--bits", 12, "--secret", secret, "--timeout", 120]
    codes: list[int] = []

    def serve() -> None:  # a command can only be called in the main thread
        try:
            Task(key_bits=1024, bits=12, secret=secret, timeout=120.0, **listen).listen("127.0.0.1", port, 120.0)
            codes.append(0)
        except SfumatoError as error:
            notes.print(f"error: {error}", soft_wrap=True)
            codes.append(2)

    thread = threading.Thread(target=serve)
    thread.start()
    for _ in range(200):  # until it listens
        with socket.socket() as probe:
            probe.settimeout(0.1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        thread.join(0.05)
    code = run("party", "compare", "--peer", f"127.0.0.1:{port}", *common, *compare)
    thread.join(60)
    return code, codes[0]


@pytest.mark.parametrize(("mine", "word"), [(1200, "yes"), (1100, "yes"), (1099, "no")])
def test_is_my_bid_at_least_yours(tmp_path: Path, mine: int, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert two_hosts(tmp_path, {"value": "1100"}, ["--value", mine]) == (0, 0)
    said = capsys.readouterr()
    assert said.out.split() == [word, word]
    assert "semi-honest security only" in said.err
    assert "keys of 1024 bits" in said.err


def test_only_one_gets_the_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    codes = two_hosts(tmp_path, {"value": "5", "answer": "peer"}, ["--value", 4, "--answer", "me"])
    assert codes == (0, 0)
    said = capsys.readouterr()
    assert said.out.split() == ["no"]
    assert "the peer has the answer" in said.err


def test_both_must_want_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert two_hosts(tmp_path, {"value": "5", "answer": "me"}, ["--value", 4, "--answer", "me"]) == (2, 2)
    assert "PN-NP-" in capsys.readouterr().err


def test_noisy_answers_are_paid_before_they_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bids = make_bids(6, bits=12)
    write_table(bids, tmp_path / "mine.csv")
    write_table(bids, tmp_path / "yours.csv")
    book = tmp_path / "budget.db"
    with Ledger(book) as ledger:
        ledger.set("lots", PureDP(3.0, unit="answer", neighbours="any-pair", model="local"))
    mine = ["--input", tmp_path / "mine.csv", "-c", "mine", "-o", tmp_path / "a.csv", "--epsilon", 2]
    mine += ["--ledger", book, "--subject", "lots"]
    yours = {"input": str(tmp_path / "yours.csv"), "column": "yours", "out": str(tmp_path / "b.csv")}
    assert two_hosts(tmp_path, yours, mine) == (0, 0)
    said = capsys.readouterr().err
    assert "ε = 2 per answer" in said
    assert "left: ε = 1" in said
    card = Card.read(tmp_path / "a.csv.card.json")
    assert card.mechanism.name == "private-answers"
    assert card.ledger is not None
    assert card.ledger.paid
    assert "semi-honest" in card.promise["words"] + card.promise["statement"] + str(card.promise)
    assert read_table(tmp_path / "a.csv").equals(read_table(tmp_path / "b.csv"))
    assert verify(tmp_path / "a.csv", ledger=book).holds
    asked = ["party", "compare", "--peer", "127.0.0.1:1", *mine, "--bits", 12, "--secret", tmp_path / "phrase.txt"]
    (tmp_path / "a.csv").unlink()
    assert run(*asked) == 2  # a second time does not fit the budget: nobody is called
    assert "budget" in capsys.readouterr().err
    assert not (tmp_path / "a.csv").exists()


@pytest.mark.parametrize("module", ["gmpy2", "cryptography", "msgpack", "spake2"])
def test_a_missing_library_is_named_before_work_starts(
    module: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, module, None)  # type: ignore[arg-type]
    assert run("party", "compare", "--peer", "127.0.0.1:1", "--value", 1) != 0
    assert "sfumato[party]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "expected one number with --value"),
        (["--value", "1", "--input", "x.csv"], "expected one number with --value"),
        (["--value", "1"], "nothing says who the peer is"),
        (["--value", "1", "--certificate", "a.pem"], "together"),
        (["--value", "seventy", "--secret", "s.txt"], "expected a whole number"),
        (["--value", "4096", "--bits", "12", "--secret", "s.txt"], "a number outside"),
        (["--value", "-3", "--secret", "s.txt"], "a number outside"),
        (["--value", "1", "--secret", "s.txt", "--answer", "nobody"], "--answer"),
        (["--value", "1", "--secret", "s.txt", "--key-bits", "512"], "2048 or more"),
        (["--value", "1", "--secret", "s.txt", "--comparator", "magic"], "comparator"),
        (["--value", "1", "--secret", "s.txt", "--answer", "me", "--epsilon", "1"], "shows no answer"),
        (["--value", "1", "--secret", "short.txt"], "at least 8 characters"),
        (["--value", "1", "--secret", "none.txt"], "a text file"),
        (["--input", "in.csv", "--secret", "s.txt", "-c", "mine"], "where the answers go"),
        (["--input", "in.csv", "--secret", "s.txt", "-c", "mine", "-o", "in.csv"], "in.csv"),
        (["--input", "in.csv", "--secret", "s.txt", "-c", "lot_name", "-o", "out.csv"], "lot_name"),
        (["--input", "in.csv", "--secret", "s.txt", "-c", "text", "-o", "out.csv"], "expected whole numbers"),
        (["--value", "1", "--secret", "s.txt", "--peer", "nowhere"], "HOST:PORT"),
    ],
)
def test_bad_calls_end_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SFUMATO_PARTY_SECRET", raising=False)
    (tmp_path / "s.txt").write_text("correct horse battery staple")
    (tmp_path / "short.txt").write_text("horse")
    write_table(pa.table({"mine": [1, 2], "text": ["a", "b"]}), tmp_path / "in.csv")
    peer = [] if "--peer" in words else ["--peer", "127.0.0.1:1"]
    assert run("party", "compare", *peer, *words) == 2
    said = capsys.readouterr()
    assert said.err.startswith("error: ")
    assert message in said.err
    assert said.out == ""
    assert "= 4096" not in said.err
    assert not (tmp_path / "out.csv").exists()
