"""Comparisons of two parties: against python-paillier (phe), against the model of their cost, and over TLS.

    python benchmarks/bench_party.py                  # everything (about six minutes of two cores)
    python benchmarks/bench_party.py phe slope        # some of: phe, slope, comparators, batch, fuzz

Processor time is printed beside wall time, because the ratio of processor times does not depend on who else is at work.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import secrets
import sys
import time
from collections.abc import Callable
from typing import Any

from peers import run_peer
from sfumato.errors import PeerError
from sfumato.party import (
    Agreement,
    BitwiseComparator,
    BooleanComparator,
    Comparison,
    DgkComparator,
    Machine,
    Pool,
    PrivateKey,
    SharedSecret,
    TreeComparator,
    connect,
    make_sides,
    plan,
    run_together,
    serve,
    shake_hands,
    split,
)
from sfumato.party.core.machine import expect
from sfumato.party.core.wire import Ciphertexts, Message

LENGTHS = (5, 10, 25, 50, 100)
ROWS, ROW_BITS, CHUNK = 1_000, 32, 250
CORES = os.cpu_count() or 1
SECRET = SharedSecret(secret="a secret of the benchmark")

PEER = """
import json, random, time
from phe import paillier
def each(work, count):
    rounds = []
    for _ in range(3):
        start = time.process_time()
        for k in range(count):
            work(k)
        rounds.append((time.process_time() - start) / count)
    return min(rounds)
out = {}
for bits in (1024, 2048):
    public, private = paillier.generate_paillier_keypair(n_length=bits)
    values = [random.randrange(2**32) for _ in range(64)]
    hidden = [public.encrypt(v) for v in values]
    out[f"encrypt {bits}"] = each(lambda k: public.encrypt(values[k % 64]), 60)
    out[f"decrypt {bits}"] = each(lambda k: private.decrypt(hidden[k % 64]), 200)
    raw = [h.ciphertext() for h in hidden]
    out[f"raw decrypt {bits}"] = each(lambda k: private.raw_decrypt(raw[k % 64]), 200)
print(json.dumps(out))
"""


def both(work: Callable[[], Any]) -> tuple[float, float]:
    """Wall and processor seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def each(work: Callable[[Any], Any], items: list[Any]) -> float:
    """Processor seconds for one item, on one core; the best of three rounds."""
    return min(both(lambda: [work(item) for item in items])[1] for _ in range(3)) / len(items)


def bench_phe() -> None:
    """Encryption and decryption, ours and theirs, each on one core."""
    peer = run_peer("phe", ["phe>=1.5", "gmpy2>=2.2"], PEER)
    print(f"\n{'milliseconds of processor time':38}{'ours':>9}{'phe':>9}{'phe / ours':>12}")
    for bits in (1024, 2048):
        for name, seconds, theirs in _operations(PrivateKey.generate(bits)):
            other = peer[f"{theirs} {bits}"]
            print(f"{f'{name}, {bits} bits':38}{1e3 * seconds:9.3f}{1e3 * other:9.3f}{other / seconds:12.2f}")


def _operations(key: PrivateKey) -> list[tuple[str, float, str]]:
    """What one operation costs, and what it is called at the peer."""
    pool, fresh = Pool(key.public), Pool(key.public)
    pool.fill(1_200)
    return [
        ("encrypt, from the pool", each(lambda k: pool.encrypt([k]), list(range(400))), "encrypt"),
        ("encrypt, no pool", each(lambda k: fresh.encrypt([k]), list(range(30))), "encrypt"),
        ("encrypt, holder of the key", each(lambda k: key.encrypt([k]), list(range(60))), "encrypt"),
        ("decrypt", each(key._decrypt, key.encrypt(range(200))), "raw decrypt"),
    ]


def type_1(sides: Any, bits: int) -> tuple[float, float, Any]:
    """Wall and processor time of one comparison of Type 1 with full pools, and what was sent."""
    alice, bob = sides
    alice.pool("alice").fill(bits + 4)
    bob.pool("alice").fill(bits + 4)
    key = alice.public("alice")
    x, y = split(key, secrets.randbelow(1 << bits)), split(key, secrets.randbelow(1 << bits))
    made = Comparison(plan=plan("1"), bits=bits)
    sent: list[Any] = []
    steps = [made.steps(side, [x[k]], [y[k]]) for k, side in enumerate(sides)]
    wall, cpu = both(lambda: sent.append(run_together(*steps)[2]))
    return wall, cpu, sent[0]


def bench_slope(repeats: int = 12) -> None:
    """Time of Type 1 against ℓ at 1024 bits, beside one exponentiation and one decryption for each layer."""
    key = PrivateKey.generate(1024)
    sides = make_sides(key)
    public = key.public
    type_1(sides, 5)
    numbers = [(secrets.randbelow(public.n**2), public.random_unit()) for _ in range(150)]
    ciphertexts = key.encrypt(range(150))
    rows, units, bare = [], [], []
    for bits in LENGTHS:
        # The cost of the two operations is measured between the runs: a busy machine slows both alike.
        units.append((each(lambda pair: public.multiply(*pair), numbers), each(key._decrypt, ciphertexts)))
        runs = []
        for _ in range(repeats):
            runs.append(type_1(sides, bits))
            bare.append(both(lambda: (public.multiply_all(*zip(*numbers, strict=True)), key.decrypt(ciphertexts)))[0])
        rows.append((bits, min(r[0] for r in runs), min(r[1] for r in runs), runs[0][2]))
    power, decryption = (min(pair[k] for pair in units) for k in (0, 1))
    parallel = min(bare) / len(numbers)
    print(f"\nType 1 at 1024 bits, {CORES} cores")
    print(f"one exponentiation {1e3 * power:.3f} ms, one decryption {1e3 * decryption:.3f} ms of processor time")
    heads = ("wall ms", "CPU ms", "messages", "ciphertexts", "payload", "counted", "sent")
    print(f"{'ℓ':>4}" + "".join(f"{head:>13}" for head in heads))
    for bits, wall, cpu, sent in rows:
        counted = 256 * (2 * bits + 6)
        shown = (f"{1e3 * wall:.2f}", f"{1e3 * cpu:.2f}", sent.messages, sent.ciphertexts, sent.payload, counted)
        print(f"{bits:4}" + "".join(f"{one:>13}" for one in (*shown, sent.bytes)))
        assert (sent.messages, sent.ciphertexts, sent.payload) == (6, 2 * bits + 6, counted)
    models = [("CPU", 2, power + decryption), ("wall", 1, (power + decryption) / CORES)]
    models.append(("wall, model measured bare on all cores", 1, parallel))
    for name, column, model in models:
        slope = _slope([row[0] for row in rows], [row[column] for row in rows])
        print(f"slope, {name}: {1e3 * slope:.3f} ms a layer; model {1e3 * model:.3f}; ratio {slope / model:.3f}")


def _slope(x: list[int], y: list[float]) -> float:
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    top = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return top / sum((a - mean_x) ** 2 for a in x)


def bench_comparators(count: int = 20) -> None:
    """The comparators behind one interface, both sides together, without pools; keys are made before."""
    sides = make_sides(PrivateKey.generate(1024))
    sides[0].short_key()
    print(f"\n{count} comparisons of {ROW_BITS} bits, 1024-bit keys, no pool, to one party")
    print(f"{'comparator':12}{'CPU ms each':>12}{'messages':>10}{'ciphertexts each':>18}{'to the tree':>13}")
    first = None
    for comparator in (TreeComparator(), BitwiseComparator(), DgkComparator(), BooleanComparator()):
        made = Comparison(plan=plan("PN-NP-PN"), bits=ROW_BITS, count=count, comparator=comparator)
        x, y = ([secrets.randbelow(1 << ROW_BITS) for _ in range(count)] for _ in range(2))
        sent: list[Any] = []
        steps = made.steps(sides[0], x, None), made.steps(sides[1], None, y)
        cpu = both(lambda steps=steps, sent=sent: sent.append(run_together(*steps)[2]))[1] / count
        first = first or cpu
        each_sent = sent[0].ciphertexts / count
        print(f"{comparator.name:12}{1e3 * cpu:12.1f}{sent[0].messages:10}{each_sent:18.1f}{cpu / first:13.2f}")


def _numbers(seed: int) -> list[int]:
    return [random.Random(seed).randrange(1 << ROW_BITS) for _ in range(ROWS)]


def _agreement() -> Agreement:
    return Agreement(type="PN-NP-SS", bits=ROW_BITS, count=ROWS, chunk=CHUNK, key_bits=1024)


def _fill(side: Any) -> None:
    side.pool("alice").fill(ROWS * (ROW_BITS + 1))


def _rows(side: Any, compare: Callable[..., Any], values: list[int]) -> None:
    for at in range(0, ROWS, CHUNK):
        part = values[at : at + CHUNK]
        compare(part if side.role == "alice" else None, None if side.role == "alice" else part, len(part))


def _connector(port: int) -> None:
    with connect("127.0.0.1", port, SECRET, timeout=900.0) as channel:
        session = shake_hands(channel, _agreement(), "alice")
        _fill(session.side)
        channel.receive()
        _rows(session.side, session.compare, _numbers(1))
        spent = resource.getrusage(resource.RUSAGE_SELF)
        channel.send(repr(spent.ru_utime + spent.ru_stime).encode())
        channel.receive()


def bench_batch() -> None:
    """Many comparisons of 32 bits into shares: without pool, with it, and with it over TLS between two processes."""
    key = PrivateKey.generate(1024)
    sides = make_sides(key)
    values = _numbers(1), _numbers(2)

    def here() -> None:
        for at in range(0, ROWS, CHUNK):
            x, y = (part[at : at + CHUNK] for part in values)
            made = Comparison(plan=plan("PN-NP-SS", shares="bits"), bits=ROW_BITS, count=len(x))
            run_together(made.steps(sides[0], x, None), made.steps(sides[1], None, y))

    bare = both(here)
    filling = both(lambda: [_fill(side) for side in sides])
    pooled = both(here)
    with serve("127.0.0.1", 0, SECRET) as listener:
        process = multiprocessing.get_context("spawn").Process(target=_connector, args=(listener.port,))
        process.start()
        with listener.accept(timeout=900.0, wait=120.0) as channel:
            session = shake_hands(channel, _agreement(), "bob")
            _fill(session.side)
            before = _child_seconds(process.pid)
            channel.send(b"go")
            wall, cpu = both(lambda: _rows(session.side, session.compare, values[1]))
            theirs = float(channel.receive()) - before
            channel.send(b"end")
        process.join()
    print(f"\n{ROWS} comparisons of {ROW_BITS} bits into shares, 1024-bit keys, {CHUNK} at a time, {CORES} cores")
    print(f"{'':34}{'wall s':>9}{'CPU s':>9}{'a CPU second':>14}{'throughput, CPU':>17}{'wall':>8}")
    table = [("without pool", bare), ("filling the pools", filling), ("with pool, one process", pooled)]
    for name, (w, c) in [*table, ("with pool, TLS, two processes", (wall, cpu + theirs))]:
        print(f"{name:34}{w:9.1f}{c:9.1f}{ROWS / c:14.1f}{pooled[1] / c:17.2f}{pooled[0] / w:8.2f}")


def _child_seconds(process: int | None) -> float:
    """User and system seconds of another process, where the system tells; it is idle then and waits for us."""
    time.sleep(0.5)
    with open(f"/proc/{process}/stat") as file:
        parts = file.read().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def bench_fuzz(count: int = 1_000_000, seed: int = 1) -> None:
    """Mutated messages into a machine that waits for ciphertexts: taken or refused, nothing else, in bounded memory."""
    rng = random.Random(seed)
    key = PrivateKey(10007, 10009)
    form = Ciphertexts(key.public, 8)
    good = Message(session=bytes(16), number=0, parts=(("points", form.encode(key.encrypt(range(8)))),)).pack()
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcomes = {"taken": 0, "refused": 0}
    seconds = both(lambda: _fuzz(count, rng, form, good, outcomes))[1]
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) / 1024
    print(f"\n{count:,} mutated messages: {outcomes}, {seconds:.0f} CPU s, peak memory grew by {grown:.1f} MB")


def _fuzz(count: int, rng: random.Random, form: Ciphertexts, good: bytes, outcomes: dict[str, int]) -> None:
    for _ in range(count):
        changed = bytearray(good)
        for _ in range(rng.randint(1, 4)):
            at, kind = rng.randrange(len(changed) or 1), rng.randrange(5)
            if kind == 0 and changed:
                changed[at] ^= 1 << rng.randrange(8)
            elif kind == 1 and changed:
                changed[at] = rng.randrange(256)
            elif kind == 2:
                del changed[at : at + rng.randint(1, 40)]
            elif kind == 3:
                changed[at:at] = rng.randbytes(rng.randint(1, 8))
            else:
                changed[at:at] = changed[at : at + rng.randint(1, 60)]
        machine = Machine(expect("points", form))
        machine.start()
        try:
            machine.receive(bytes(changed))
            outcomes["taken"] += 1
        except PeerError:
            outcomes["refused"] += 1


PARTS = {
    "phe": bench_phe,
    "slope": bench_slope,
    "comparators": bench_comparators,
    "batch": bench_batch,
    "fuzz": bench_fuzz,
}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
