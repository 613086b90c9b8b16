"""Messages and machines: what is refused, and that nothing of a secret is in what they say."""

from __future__ import annotations

import random
import tracemalloc

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.party_holdings import ALICE, tiny_sides
from sfumato.errors import PeerError
from sfumato.party import Comparison, Machine, plan
from sfumato.party.core.wire import VERSION, Bits, Ciphertexts, Message, Residues

SESSION = bytes(range(16))
GOOD = Message(session=SESSION, number=0, parts=(("points", b"abc"), ("more", b"")))


def test_a_message_comes_back() -> None:
    assert Message.parse(GOOD.pack()) == GOOD


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no message"),
        (b"\x00", "no message"),
        (GOOD.pack()[:-1], "no message"),
        (GOOD.pack() + b"x", "no message"),
        (msgpack.packb({"version": 1}), "no message"),
        (msgpack.packb([VERSION + 1, SESSION, 0, []]), "another version"),
        (msgpack.packb([VERSION, SESSION, 0, []]), "another form"),
        (msgpack.packb([VERSION, SESSION[:5], 0, [["a", b"b"]]]), "another form"),
        (msgpack.packb([VERSION, SESSION, -1, [["a", b"b"]]]), "another form"),
        (msgpack.packb([VERSION, SESSION, True, [["a", b"b"]]]), "another form"),
        (msgpack.packb([VERSION, SESSION, 0, [["a", "text"]]]), "another form"),
        (msgpack.packb([VERSION, SESSION, 0, [["a" * 99, b"b"]]]), "no message"),
        (msgpack.packb([VERSION, SESSION, 0, [["a", b"b"]] * 65]), "no message"),
        (msgpack.packb([VERSION, SESSION, 0, [["a", b"b", b"c"]]]), "another form"),
        (msgpack.packb([VERSION, SESSION, 0, [["a", msgpack.ExtType(1, b"x")]]]), "no message"),
        (b"\xdd\xff\xff\xff\xff", "no message"),
        (b"\xc6\xff\xff\xff\xff", "no message"),
        (b"\x91" * 5_000, "no message"),
    ],
)
def test_what_is_no_message_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(PeerError, match=message):
        Message.parse(data)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_an_error(data: bytes) -> None:
    try:
        Message.parse(data)
    except PeerError:
        return
    assert Message.parse(data).parts


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Turn bits, cut, double or splice."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        kind = rng.randrange(5)
        at = rng.randrange(len(changed)) if changed else 0
        if kind == 0 and changed:
            changed[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and changed:
            changed[at] = rng.randrange(256)
        elif kind == 2:
            del changed[at : at + rng.randint(1, 40)]
        elif kind == 3:
            changed[at:at] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 8)))
        else:
            changed[at:at] = changed[at : at + rng.randint(1, 60)]
    return bytes(changed)


def fuzz(count: int, seed: int) -> dict[str, int]:
    """Give mutated messages to machines that wait for them: a right answer, an error, or nothing else."""
    rng = random.Random(seed)
    alice, bob = tiny_sides(plan("1"))
    made = Comparison(plan=plan("1"), bits=4)
    first = Machine(made.steps(alice, [3], [4]), SESSION).start()[0]
    answer = Machine(made.steps(bob, [3], [4]), SESSION)
    answer.start()
    second = answer.receive(first)[0]
    outcomes = {"taken": 0, "refused": 0}
    for number in range(count):
        side, message = (bob, first) if number % 2 else (alice, second)
        machine = Machine(made.steps(side, [3], [4]), SESSION)
        machine.start()
        try:
            machine.receive(mutate(message, rng))
            outcomes["taken"] += 1
        except PeerError:
            outcomes["refused"] += 1
    return outcomes


def test_mutated_messages_do_no_harm() -> None:
    """The same with a million messages is in benchmarks/bench_party.py."""
    tracemalloc.start()
    outcomes = fuzz(4_000, seed=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert outcomes["refused"] > 2_000
    assert outcomes["taken"] > 0  # a turned bit of a ciphertext is another ciphertext: nobody can tell
    assert peak < 20e6


def started(type: str = "PN-NP-PN", bits: int = 4) -> tuple[Machine, Machine]:
    alice, bob = tiny_sides(plan(type))
    made = Comparison(plan=plan(type), bits=bits)
    return Machine(made.steps(alice, [3], None), SESSION), Machine(made.steps(bob, None, [4]), SESSION)


def test_replayed_reordered_and_foreign_messages_are_refused() -> None:
    alice, bob = started()
    (points,) = alice.start()
    bob.start()
    (blinded,) = bob.receive(points)
    with pytest.raises(PeerError, match="nobody waits"):
        bob.receive(points)
    with pytest.raises(PeerError, match="another message than 'blinded'"):
        alice.receive(points)
    with pytest.raises(PeerError, match="nobody waits"):  # a machine that failed stays so
        alice.receive(blinded)
    again, _ = started()
    again.start()
    foreign = Message(session=bytes(16), number=0, parts=Message.parse(blinded).parts).pack()
    with pytest.raises(PeerError, match="another session"):
        again.receive(foreign)
    later, _ = started()
    later.start()
    with pytest.raises(PeerError, match="twice, or out of order"):
        later.receive(Message(session=SESSION, number=1, parts=Message.parse(blinded).parts).pack())


def test_wrong_lengths_are_refused() -> None:
    alice, _ = started()
    alice.start()
    with pytest.raises(PeerError, match=r"sent 3 bytes for 'blinded': expected \d+"):
        alice.receive(Message(session=SESSION, number=0, parts=(("blinded", b"abc"),)).pack())
    alice, bob = started()
    (points,) = alice.start()
    bob.start()
    parts = (*Message.parse(points).parts, ("points", b"more"))
    with pytest.raises(PeerError, match="more than the protocol has"):
        bob.receive(Message(session=SESSION, number=0, parts=parts).pack())


def test_more_than_one_zero_is_a_fault() -> None:
    alice, _ = started()
    alice.start()
    form = Ciphertexts(ALICE.public, 4)
    zeros = form.encode(ALICE.encrypt([0, 0, 5, 7]))
    with pytest.raises(PeerError, match="more than one zero"):
        alice.receive(Message(session=SESSION, number=0, parts=(("blinded", zeros),)).pack())


def test_fields_refuse_what_is_out_of_range() -> None:
    key = ALICE.public
    with pytest.raises(PeerError, match="out of range"):
        Ciphertexts(key, 1).decode(b"\xff" * key.width)
    with pytest.raises(PeerError, match="not invertible"):
        Ciphertexts(key, 1).decode(ALICE.p.to_bytes(key.width, "big"))
    with pytest.raises(PeerError, match="not below N"):
        Residues(key, 1).decode(b"\xff" * key.residue_width)
    with pytest.raises(PeerError, match="more bits"):
        Bits(3).decode(b"\xff")
    assert Bits(3).decode(Bits(3).encode([1, 0, 1])) == [1, 0, 1]
    assert Residues(key, 2).decode(Residues(key, 2).encode([0, key.n - 1])) == [0, key.n - 1]


def test_nothing_secret_is_shown() -> None:
    """Neither messages nor the repr of what is around them tell a number or a key."""
    alice, bob = tiny_sides()
    shown = f"{alice!r} {bob!r} {Machine(Comparison(plan=plan('PN-NP-PN'), bits=4).steps(alice, [13]))!r}"
    for secret in (ALICE.p, ALICE.q, 13):
        assert f"={secret}" not in shown.replace(" ", "")
        assert f"[{secret}]" not in shown
