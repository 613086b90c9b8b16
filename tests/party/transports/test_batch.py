"""Many comparisons: answers row by row, continued after a break, with the same noise."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sfumato.errors import InputError, PeerError
from sfumato.io.files import read_table, write_table
from sfumato.party import Agreement, Job, PrivateAnswers, PrivateKey, SocketChannel, make_bids
from sfumato.release import Card, verify

ASKED = Agreement(bits=6, count=10, chunk=4, key_bits=1024)
MINE = [3, 60, 5, 0, 63, 31, 32, 7, 7, 8]
YOURS = [3, 61, 4, 0, 0, 32, 31, 7, 8, 7]
TRUE = [int(a >= b) for a, b in zip(MINE, YOURS, strict=True)]


@pytest.fixture(scope="module")
def key() -> PrivateKey:
    return PrivateKey.generate(1024)


def run_both(alice: Job, bob: Job, key: PrivateKey, *, stop_after: int | None = None) -> list[Any]:
    """Run two jobs on a pair of sockets; Alice's end may break after some rows."""
    ends = socket.socketpair()
    channels = [SocketChannel(end, timeout=120.0) for end in ends]
    results: list[Any] = [None, None]
    rows = 0

    def advance(steps: int) -> None:
        nonlocal rows
        rows += steps
        if stop_after is not None and rows >= stop_after:
            channels[0].close()

    def run(place: int, job: Job, **options: Any) -> None:
        try:
            results[place] = job.run(channels[place], **options)
        except (PeerError, InputError) as error:
            results[place] = error

    threads = [
        threading.Thread(target=run, args=(0, alice), kwargs={"key": key, "advance": advance}),
        threading.Thread(target=run, args=(1, bob)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for channel in channels:
        channel.close()
    return results


def jobs(folder: Path | None = None, agreement: Agreement = ASKED, **options: Any) -> tuple[Job, Job]:
    paths = (None, None) if folder is None else (folder / "alice.partial", folder / "bob.partial")
    return (
        Job(agreement=agreement, role="alice", values=MINE, journal=paths[0], **options),
        Job(agreement=agreement, role="bob", values=YOURS, journal=paths[1], **options),
    )


def test_a_column_in_each_home(key: PrivateKey) -> None:
    assert run_both(*jobs(), key) == [TRUE, TRUE]


def test_shares_out(key: PrivateKey) -> None:
    alice, bob = run_both(*jobs(agreement=replace(ASKED, type="PN-NP-SS")), key)
    assert [a ^ b for a, b in zip(alice, bob, strict=True)] == TRUE


def test_a_broken_connection_costs_one_piece(tmp_path: Path, key: PrivateKey) -> None:
    broken = run_both(*jobs(tmp_path), key, stop_after=4)
    assert all(isinstance(one, PeerError) for one in broken)
    alice, bob = jobs(tmp_path)
    assert alice.done == 4
    assert alice.agreement.job == bob.agreement.job != ""
    seen: list[int] = []
    original = Job._piece
    try:
        Job._piece = lambda self, session, at, advance: (  # type: ignore[method-assign]
            seen.append(at) if self.role == "alice" else None,
            original(self, session, at, advance),
        )[1]
        assert run_both(alice, bob, key) == [TRUE, TRUE]
    finally:
        Job._piece = original  # type: ignore[method-assign]
    assert seen == [4, 8]


def test_the_noise_of_a_piece_is_drawn_once(tmp_path: Path, key: PrivateKey) -> None:
    """Rows that have to be compared again show the same answers: a second draw would be a second release."""
    noise = PrivateAnswers(epsilon=0.5)
    run_both(*jobs(tmp_path, noise=noise), key, stop_after=4)
    first = [json.loads(line) for line in (tmp_path / "alice.partial").read_text().splitlines()]
    flips = {line["at"]: line["flips"] for line in first if "flips" in line}
    (tmp_path / "alice.partial").write_text(  # as if killed before the answers were written
        "".join(json.dumps(line) + "\n" for line in first if "got" not in line)
    )
    alice, bob = jobs(tmp_path, noise=noise)
    assert alice.done == 0
    answers = run_both(alice, bob, key)
    assert answers[0] == answers[1]
    used = {
        line["at"]: line["flips"]
        for line in map(json.loads, (tmp_path / "alice.partial").read_text().splitlines())
        if "flips" in line
    }
    assert {at: used[at] for at in flips} == flips


def test_a_journal_that_was_cut_off_is_read(tmp_path: Path, key: PrivateKey) -> None:
    run_both(*jobs(tmp_path), key, stop_after=8)
    path = tmp_path / "alice.partial"
    path.write_text(path.read_text()[:-5])
    alice, bob = jobs(tmp_path)
    assert alice.done == 4
    assert run_both(alice, bob, key) == [TRUE, TRUE]


def test_journals_are_private_and_hold_no_numbers(tmp_path: Path, key: PrivateKey) -> None:
    run_both(*jobs(tmp_path), key)
    path = tmp_path / "alice.partial"
    assert path.stat().st_mode & 0o777 == 0o600
    head = json.loads(path.read_text().splitlines()[0])
    assert set(head) == {"agreement", "salt", "values", "papers", "role", "epsilon"}
    assert len(head["values"]) == 64


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"values": [1] * 10}, "other numbers"),
        ({"noise": PrivateAnswers(epsilon=1.0)}, "another role or another ε"),
        ({"agreement": replace(ASKED, bits=7)}, "other parameters"),
        ({"role": "bob"}, "another role"),
    ],
)
def test_the_journal_of_another_job_is_refused(
    tmp_path: Path, key: PrivateKey, changes: dict[str, Any], message: str
) -> None:
    run_both(*jobs(tmp_path), key, stop_after=4)
    given = {"agreement": ASKED, "role": "alice", "values": MINE, "journal": tmp_path / "alice.partial"} | changes
    with pytest.raises(InputError, match=message):
        Job(**given)


def test_two_different_jobs_do_not_mix(tmp_path: Path, key: PrivateKey) -> None:
    run_both(*jobs(tmp_path), key, stop_after=4)
    (tmp_path / "alice.partial").unlink()
    errors = run_both(*jobs(tmp_path), key)
    assert all(isinstance(error, PeerError) for error in errors)
    assert any("job" in str(error) for error in errors)


def test_a_journal_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "alice.partial").write_text("not a journal\n")
    with pytest.raises(InputError, match="remove it to begin anew"):
        jobs(tmp_path)


@pytest.mark.parametrize("values", [[1], [64] * 10, [-1] * 10, [0.5] * 10])
def test_bad_columns_are_refused(values: list[Any]) -> None:
    with pytest.raises(InputError):
        Job(agreement=ASKED, role="alice", values=values)


def test_noise_on_shares_is_refused() -> None:
    with pytest.raises(InputError, match="shows no answer"):
        jobs(agreement=replace(ASKED, type="PN-NP-SS"), noise=PrivateAnswers(epsilon=1.0))


def test_types_without_a_number_in_each_home_are_refused() -> None:
    with pytest.raises(InputError, match="a number in each home"):
        Job(agreement=replace(ASKED, type="1"), role="alice", values=MINE)


def sfumato(folder: Path, *arguments: object) -> subprocess.Popen[str]:
    """The command in a process of its own; what it says goes to a file."""
    with (folder / f"{arguments[0]}.said").open("a") as said:
        return _start(folder, arguments, said)


def _start(folder: Path, arguments: tuple[object, ...], said: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "sfumato", "party", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "SFUMATO_PARTY_SECRET": "correct horse battery staple", "COLUMNS": "160"},
        stdout=said,
        stderr=said,
        text=True,
    )


def wait_for(ready: Any, process: subprocess.Popen[str]) -> None:
    """Wait until something has happened, as long as the process lives."""
    while not ready():
        assert process.poll() is None, "the process has ended"
        time.sleep(0.01)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_two_hosts_over_tls_one_killed_midway(tmp_path: Path) -> None:
    """Whoever connects is killed in the middle of a column and started again; all answers are right on both sides."""
    bids = make_bids(24, bits=12)
    write_table(bids.select(["lot", "mine"]), tmp_path / "mine.csv")
    write_table(bids.select(["lot", "yours"]), tmp_path / "yours.csv")
    port = free_port()
    common = ["--bits", 12, "--key-bits", 1024, "--chunk", 1]
    listening = sfumato(
        tmp_path, "listen", "--port", port, "--input", "yours.csv", "-c", "yours", "-o", "b.csv", "--wait", 60, *common
    )
    try:
        wait_for(lambda: "listening" in (tmp_path / "listen.said").read_text(), listening)
        call = ["compare", "--peer", f"127.0.0.1:{port}", "--input", "mine.csv", "-c", "mine", "-o", "a.csv", *common]
        journal = tmp_path / "a.csv.party.partial"
        first = sfumato(tmp_path, *call)
        wait_for(lambda: journal.exists() and journal.read_text().count("got") >= 2, first)
        first.send_signal(signal.SIGKILL)
        first.wait(30)
        assert 2 <= journal.read_text().count("got") < 24
        assert sfumato(tmp_path, *call).wait(120) == 0, (tmp_path / "compare.said").read_text()
        assert listening.wait(120) == 0, (tmp_path / "listen.said").read_text()
    finally:
        listening.kill()
        listening.wait(30)
    heard = (tmp_path / "listen.said").read_text()
    assert "rows are done" in heard
    for name in ("a.csv", "b.csv"):
        assert read_table(tmp_path / name)["at_least"].to_pylist() == bids["at_least"].to_pylist()
        assert verify(tmp_path / name).holds
        card = Card.read(tmp_path / f"{name}.card.json")
        assert any("semi-honest security only" in words for words in card.not_covered)
    assert not list(tmp_path.glob("*.partial"))
