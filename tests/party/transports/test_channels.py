"""Through sockets and TLS: the right peer is served, the wrong one is not, and neither side waits for ever."""

from __future__ import annotations

import math
import multiprocessing
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.party_holdings import tiny_sides
from sfumato.errors import InputError, PeerError
from sfumato.party import (
    Agreement,
    Certificates,
    Comparison,
    Machine,
    PrivateKey,
    SharedSecret,
    SocketChannel,
    connect,
    drive,
    make_identity,
    plan,
    serve,
    shake_hands,
)
from sfumato.party.core.wire import VERSION, Message
from sfumato.party.transports.pake import authenticate

SECRET = SharedSecret(secret="correct horse battery staple")
TIMEOUT = 120.0
"""Seconds that a busy machine may need; tests of a timeout name their own."""
SMALL = Agreement(bits=4, key_bits=1024, count=2, chunk=2)


@pytest.fixture(scope="module")
def key() -> PrivateKey:
    return PrivateKey.generate(1024)


@pytest.fixture(scope="module")
def identities(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path]]:
    folder = tmp_path_factory.mktemp("identities")
    return {name: make_identity(folder / name) for name in ("alice", "bob", "eve")}


def in_threads(first: Callable[[], Any], second: Callable[[], Any]) -> list[Any]:
    """What both give, or the error that each raises."""
    results: list[Any] = [None, None]

    def run(place: int, work: Callable[[], Any]) -> None:
        try:
            results[place] = work()
        except Exception as error:
            results[place] = error

    threads = [threading.Thread(target=run, args=(k, work)) for k, work in enumerate((first, second))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * TIMEOUT)
    assert not any(thread.is_alive() for thread in threads), "a side hangs"
    return results


@pytest.fixture
def pair() -> Iterator[tuple[SocketChannel, SocketChannel]]:
    """Two ends of a connection without TLS."""
    ends = socket.socketpair()
    channels = tuple(SocketChannel(end, timeout=TIMEOUT) for end in ends)
    yield channels  # type: ignore[misc]
    for channel in channels:
        channel.close()


def over_tls(server: Any, client: Any, work: tuple[Callable[[SocketChannel], Any], ...]) -> list[Any]:
    """Connect two securities on loopback and let each side work on its channel."""
    with serve("127.0.0.1", 0, server) as listener:

        def listen() -> Any:
            with listener.accept(timeout=TIMEOUT, wait=TIMEOUT) as channel:
                return work[1](channel)

        def call() -> Any:
            with connect("127.0.0.1", listener.port, client, timeout=TIMEOUT) as channel:
                return work[0](channel)

        return in_threads(call, listen)


def comparing(key: PrivateKey | None, agreement: Agreement = SMALL) -> tuple[Callable[[SocketChannel], Any], ...]:
    """Alice has 3 and 9, Bob 5 and 9."""
    return (
        lambda channel: shake_hands(channel, agreement, "alice", key=key).compare([3, 9], None, 2),
        lambda channel: shake_hands(channel, agreement, "bob").compare(None, [5, 9], 2),
    )


def certificates(identities: dict[str, tuple[Path, Path]], own: str, peer: str) -> Certificates:
    return Certificates(certificate=identities[own][0], key=identities[own][1], peer=identities[peer][0])


def test_certificates_of_both_sides(identities: dict[str, tuple[Path, Path]], key: PrivateKey) -> None:
    alice, bob = certificates(identities, "alice", "bob"), certificates(identities, "bob", "alice")
    assert over_tls(bob, alice, comparing(key)) == [[0, 1], [0, 1]]


@pytest.mark.parametrize("wrong", ["server", "client"])
def test_another_certificate_is_refused_on_both_sides(
    identities: dict[str, tuple[Path, Path]], key: PrivateKey, wrong: str
) -> None:
    bob = certificates(identities, "eve" if wrong == "server" else "bob", "alice")
    alice = certificates(identities, "eve" if wrong == "client" else "alice", "bob")
    for error in over_tls(bob, alice, comparing(key)):
        assert isinstance(error, PeerError)
        assert any(word in str(error) for word in ("certificate", "secure connection", "closed", "broken")), error


def test_a_certificate_that_the_right_one_signed_is_refused(
    identities: dict[str, tuple[Path, Path]],
    pair: tuple[SocketChannel, SocketChannel],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Even where OpenSSL would accept a chain, only the very certificate is."""
    monkeypatch.setattr("sfumato.party.transports.tls._peer_certificate", lambda channel: b"another one")
    with pytest.raises(PeerError, match="another certificate"):
        certificates(identities, "bob", "alice").check(pair[0], True)


def test_a_shared_secret(key: PrivateKey) -> None:
    assert over_tls(SECRET, SECRET, comparing(key)) == [[0, 1], [0, 1]]


def test_another_secret_is_refused_on_both_sides(key: PrivateKey) -> None:
    called, listened = over_tls(SECRET, SharedSecret(secret="incorrect horse"), comparing(key))
    assert "does not know this peer" in str(called)
    assert "another secret" in str(listened)
    assert "horse" not in f"{called}{listened}{SECRET!r}"


def test_somebody_in_the_middle_who_passes_everything_on_is_found(pair: tuple[SocketChannel, SocketChannel]) -> None:
    """Both know the secret, but the certificates that they see differ: the codes do not match."""
    pair[1].timeout = 1.0
    results = in_threads(
        lambda: authenticate(pair[0], SECRET.secret, server=True, binding=b"the listener's"),
        lambda: authenticate(pair[1], SECRET.secret, server=False, binding=b"that of the middle"),
    )
    assert "somebody is between us" in str(results[0])


def test_a_code_that_comes_back_is_no_proof(pair: tuple[SocketChannel, SocketChannel]) -> None:
    """A peer that knows nothing and returns what it is sent."""

    def mirror() -> None:
        pair[1].timeout = 1.0
        pair[1].send(pair[1].receive())
        pair[1].send(pair[1].receive())

    error = in_threads(lambda: authenticate(pair[0], SECRET.secret, server=False, binding=b""), mirror)[0]
    assert isinstance(error, PeerError)


@pytest.mark.parametrize("secret", ["", "short", "       x       ", 12345678])
def test_short_secrets_are_refused(secret: str) -> None:
    with pytest.raises(InputError, match="at least 8 characters") as caught:
        SharedSecret(secret=secret)
    assert "short" not in str(caught.value)


def test_a_peer_without_tls_is_refused(key: PrivateKey) -> None:
    with serve("127.0.0.1", 0, SECRET) as listener:

        def plain() -> bytes:
            with socket.create_connection(("127.0.0.1", listener.port), timeout=TIMEOUT) as raw:
                raw.sendall(b"GET / HTTP/1.1\r\n\r\n" * 10)
                return raw.recv(100)

        _, listened = in_threads(plain, lambda: listener.accept(timeout=TIMEOUT, wait=TIMEOUT))
    assert "no secure connection" in str(listened)


def record(body: bytes, kind: int = 22) -> bytes:
    """A record of TLS, which announces its length."""
    return bytes([kind, 3, 3]) + len(body).to_bytes(2, "big") + body


def dripping(raw: socket.socket, data: bytes, stop: threading.Event, pause: float = 0.05) -> None:
    """Send one byte after the other until somebody says stop."""
    for one in data:
        if stop.wait(pause):
            return
        try:
            raw.send(bytes([one]))
        except OSError:
            return


@pytest.mark.parametrize("listens", [True, False], ids=["listener", "connector"])
def test_a_peer_that_drips_the_handshake_is_not_waited_for(listens: bool) -> None:
    """Bytes of a handshake that would take 800 seconds, ten of them within the timeout: the limit is for all of it."""
    stop, endless = threading.Event(), record(b"\x01\x00\x3f\x00" + bytes(16_000))

    def drip_at(port: int) -> None:
        with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT) as raw:
            dripping(raw, endless, stop)

    def drip_from(server: socket.socket) -> None:
        raw, _ = server.accept()
        with raw:
            dripping(raw, endless, stop)

    def until_refused(work: Callable[[], Any]) -> Any:
        try:
            return work()
        finally:
            stop.set()

    if listens:
        with serve("127.0.0.1", 0, SECRET) as listener:
            work = lambda: listener.accept(timeout=0.5, wait=TIMEOUT)  # noqa: E731
            error = in_threads(lambda: drip_at(listener.port), lambda: until_refused(work))[1]
    else:
        with socket.create_server(("127.0.0.1", 0)) as server:
            call = lambda: connect("127.0.0.1", server.getsockname()[1], SECRET, timeout=0.5)  # noqa: E731
            error = in_threads(lambda: drip_from(server), lambda: until_refused(call))[1]
    assert isinstance(error, PeerError)
    assert "did not answer within 0.5 seconds" in str(error)


def test_one_deadline_until_the_peer_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof has what the TLS handshake left of the timeout, and messages have a timeout each only after it."""
    seen: list[float] = []
    before = time.monotonic()
    prove = SharedSecret.check

    def check(self: SharedSecret, channel: SocketChannel, server: bool) -> None:
        seen.append(channel.deadline)
        prove(self, channel, server)

    monkeypatch.setattr(SharedSecret, "check", check)
    late = over_tls(SECRET, SECRET, (lambda channel: channel.deadline, lambda channel: channel.deadline))
    assert late == [math.inf, math.inf]
    assert len(seen) == 2
    assert all(before < one < time.monotonic() + TIMEOUT for one in seen)


def test_a_deadline_ends_a_wait_before_the_timeout(pair: tuple[SocketChannel, SocketChannel]) -> None:
    pair[0].timeout, pair[0].deadline = 600.0, time.monotonic() + 0.1
    with pytest.raises(PeerError, match="did not answer"):
        pair[0].receive()


def test_old_tls_is_refused() -> None:
    context = SECRET.context(False)
    assert context.minimum_version is ssl.TLSVersion.TLSv1_3
    assert SECRET.context(True).minimum_version is ssl.TLSVersion.TLSv1_3


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(PeerError, match="cannot connect"):
        connect("127.0.0.1", port, SECRET, timeout=2.0)
    with serve("127.0.0.1", 0, SECRET) as listener, pytest.raises(PeerError, match="no peer came"):
        listener.accept(wait=0.05)


def test_identities_are_private_and_not_overwritten(tmp_path: Path) -> None:
    certificate, secret = make_identity(tmp_path / "mine")
    assert secret.stat().st_mode & 0o777 == 0o600
    assert b"PRIVATE" not in certificate.read_bytes()
    with pytest.raises(InputError, match="a name that is free"):
        make_identity(tmp_path / "mine")
    broken = Certificates(certificate=tmp_path / "none.pem", key=secret, peer=certificate)
    with pytest.raises(InputError, match="sfumato party identity"):
        broken.context(True)


# what a channel does with a peer that misbehaves


def test_a_peer_that_hangs(pair: tuple[SocketChannel, SocketChannel]) -> None:
    pair[0].timeout = 0.2
    with pytest.raises(PeerError, match=r"did not answer within 0\.2 seconds"):
        pair[0].receive()


def test_a_peer_that_sends_one_byte_at_a_time_is_not_waited_for_longer(
    pair: tuple[SocketChannel, SocketChannel],
) -> None:
    """The limit is for the message, not for each byte."""
    pair[0].timeout = 0.5
    stop = threading.Event()

    def drip() -> None:
        while not stop.wait(0.05):
            pair[1].connection.send(b"\x00")

    thread = threading.Thread(target=drip)
    thread.start()
    pair[1].connection.send(b"\x00\x00\xff\x00\x00")
    try:
        with pytest.raises(PeerError, match="did not answer within"):
            pair[0].receive()
    finally:
        stop.set()
        thread.join()


def test_a_peer_that_closes(pair: tuple[SocketChannel, SocketChannel]) -> None:
    pair[1].connection.send(b"\x00\x00")
    pair[1].close()
    with pytest.raises(PeerError, match="closed the connection"):
        pair[0].receive()


def test_a_message_that_is_announced_as_enormous_is_not_read(pair: tuple[SocketChannel, SocketChannel]) -> None:
    pair[0].limit = 1_000
    pair[1].connection.send(b"\xff\xff\xff\xff\x00")
    with pytest.raises(PeerError, match="expected at most 1000"):
        pair[0].receive()


def test_long_messages_pass_whatever_the_buffers_hold(pair: tuple[SocketChannel, SocketChannel]) -> None:
    data = bytes(range(256)) * 40_000
    received = in_threads(lambda: pair[0].send(data), lambda: pair[1].receive())[1]
    assert received == data


def test_errors_reach_the_other_side_as_a_number(pair: tuple[SocketChannel, SocketChannel]) -> None:
    """A side that was given a wrong number says so without saying which."""
    alice, bob = tiny_sides(plan("PN-NP-PN"))
    made = Comparison(plan=plan("PN-NP-PN"), bits=4)
    errors = in_threads(
        lambda: drive(Machine(made.steps(alice, [3])), pair[0]),
        lambda: drive(Machine(made.steps(bob, None, [77])), pair[1]),
    )
    assert "it was given something that it cannot use" in str(errors[0])
    assert isinstance(errors[1], InputError)
    assert "77" not in f"{errors[0]}{errors[1]}"


# agreement


@pytest.mark.parametrize(
    ("name", "value"), [("bits", 8), ("type", "PN-NP-PN"), ("count", 3), ("key_bits", 2048), ("comparator", "dgk")]
)
def test_parameters_must_be_the_same(
    pair: tuple[SocketChannel, SocketChannel], key: PrivateKey, name: str, value: Any
) -> None:
    from dataclasses import replace

    errors = in_threads(
        lambda: shake_hands(pair[0], SMALL, "alice", key=key),
        lambda: shake_hands(pair[1], replace(SMALL, **{name: value}), "bob"),
    )
    assert all(isinstance(error, PeerError) for error in errors)
    assert any(f"{name} = " in str(error) for error in errors)


def test_two_of_the_same_role(pair: tuple[SocketChannel, SocketChannel], key: PrivateKey) -> None:
    errors = in_threads(
        lambda: shake_hands(pair[0], SMALL, "alice", key=key), lambda: shake_hands(pair[1], SMALL, "alice", key=key)
    )
    assert all(isinstance(error, PeerError) for error in errors)
    assert any("both sides want to be alice" in str(error) for error in errors)


def test_another_version(pair: tuple[SocketChannel, SocketChannel]) -> None:
    import msgpack

    pair[1].send(msgpack.packb([VERSION + 1, bytes(16), 0, [["offer", b""]]]))
    with pytest.raises(PeerError, match="another version"):
        shake_hands(pair[0], SMALL, "bob")


def offer(modulus: bytes, **changes: Any) -> bytes:
    from sfumato.party.transports.handshake import _pack

    asked = Agreement(**({"bits": 4, "key_bits": 1024, "count": 2, "chunk": 2} | changes))
    parts = (("offer", _pack(asked, "alice", 0, modulus)),)
    return Message(session=bytes(16), number=0, parts=parts).pack()


@pytest.mark.parametrize(
    ("modulus", "message"),
    [
        (b"", "none where one is"),
        (b"\x0f" * 20, "a key of"),
        (b"\xff" * 64 + bytes(64), "not of the right form"),
        ((2**1024 - 105).to_bytes(128, "big"), "not of the right form"),
    ],
)
def test_bad_keys(pair: tuple[SocketChannel, SocketChannel], modulus: bytes, message: str) -> None:
    """None, too short, even, and a prime."""
    pair[1].send(offer(modulus))
    with pytest.raises(PeerError, match=message):
        shake_hands(pair[0], SMALL, "bob")


@pytest.mark.parametrize("data", [b"", b"\xc0", b"\x94\x90\xa5alice\x00\xc4\x00", b"\x93\x01\x02\x03"])
def test_offers_that_are_none(pair: tuple[SocketChannel, SocketChannel], data: bytes) -> None:
    pair[1].send(Message(session=bytes(16), number=0, parts=(("offer", data),)).pack())
    with pytest.raises(PeerError, match="cannot be understood"):
        shake_hands(pair[0], SMALL, "bob")


@pytest.mark.parametrize("changes", [{"bits": 0}, {"bits": 300}, {"chunk": 0}, {"key_bits": 512}, {"type": "no"}])
def test_agreements_are_checked(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Agreement(**changes)


# two processes


def other_process(port: int, value: int) -> None:
    with connect("127.0.0.1", port, SECRET, timeout=TIMEOUT) as channel:
        session = shake_hands(channel, Agreement(bits=8, key_bits=1024), "alice")
        answer = session.compare([value], None, 1)
    raise SystemExit(10 + answer[0])


@pytest.mark.parametrize(("value", "code"), [(200, 11), (20, 10)])
def test_two_processes_over_tls(value: int, code: int) -> None:
    with serve("127.0.0.1", 0, SECRET) as listener:
        process = multiprocessing.get_context("spawn").Process(target=other_process, args=(listener.port, value))
        process.start()
        with listener.accept(timeout=TIMEOUT, wait=TIMEOUT) as channel:
            answer = shake_hands(channel, Agreement(bits=8, key_bits=1024), "bob").compare(None, [100], 1)
        process.join(TIMEOUT)
    assert answer == [code - 10]
    assert process.exitcode == code


def hang(port: int) -> None:
    with connect("127.0.0.1", port, SECRET, timeout=TIMEOUT) as channel:
        shake_hands(channel, Agreement(bits=8, key_bits=1024), "alice")
        time.sleep(2 * TIMEOUT)


def test_a_process_that_is_killed_is_noticed() -> None:
    with serve("127.0.0.1", 0, SECRET) as listener:
        process = multiprocessing.get_context("spawn").Process(target=hang, args=(listener.port,))
        process.start()
        with listener.accept(timeout=TIMEOUT, wait=TIMEOUT) as channel:
            session = shake_hands(channel, Agreement(bits=8, key_bits=1024), "bob")
            threading.Timer(0.2, process.kill).start()
            with pytest.raises(PeerError, match=r"closed|broken|broke off"):
                session.compare(None, [100], 1)
        process.join(TIMEOUT)


@pytest.mark.parametrize("comparator", ["tree", "bitwise", "dgk", "boolean"])
def test_every_comparator_over_a_channel(
    pair: tuple[SocketChannel, SocketChannel], key: PrivateKey, comparator: str
) -> None:
    from dataclasses import replace

    agreed = replace(SMALL, comparator=comparator)
    first, second = comparing(key, agreed)
    for channel in pair:
        channel.timeout = 30.0
    assert in_threads(lambda: first(pair[0]), lambda: second(pair[1])) == [[0, 1], [0, 1]]
