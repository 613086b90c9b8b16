"""Mimoto ch. 8: secure comparison. Tables 8.1 to 8.3, Figs 8.4 and 8.5, and the claims around them."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from scipy.stats import chisquare

from sfumato.party import (
    BitwiseComparator,
    BooleanComparator,
    Comparison,
    DgkComparator,
    Holding,
    Machine,
    PrivateKey,
    TreeComparator,
    all_types,
    make_sides,
    plan,
    run_together,
    split,
)
from sfumato.party.core.range_tree import point_nodes, range_nodes
from sfumato.party.protocols.conversions import complete
from sfumato.party.protocols.tree_comparator import helper_range

LENGTHS = (5, 10, 25, 50, 100)
PRINTED: dict[str, tuple[float, ...]] = {
    "total ms": (47.731, 47.700, 50.301, 56.419, 65.459),
    "communication KB": (5.294, 8.399, 17.715, 33.243, 64.296),
    "step 1": (0.011, 0.011, 0.011, 0.012, 0.012),
    "step 2": (47.350, 47.679, 50.279, 56.396, 65.435),
    "– Type 3 subroutine": (38.626, 38.678, 38.220, 38.030, 35.000),
    "– Conversion 5 rest": (8.724, 9.001, 12.059, 18.366, 30.435),
    "step 3": (0.010, 0.010, 0.011, 0.011, 0.011),
}
INITIALISATION = {"ours (the dissertation's)": 89.124, "BO07": 89.124, "GHJR15": 612.375, "VBdHE15": 132.501}
STEPS = ("step 1", "step 2", "step 3")
REPEATS = 10

Row = list[str]


def _table(head: Row, rows: list[Row]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return 1e3 * (time.process_time() - start), result


def _type_1(key: PrivateKey, bits: int) -> tuple[dict[str, float], Any]:
    """Milliseconds of processor time of each part of a run of Type 1 with randomness made ahead; what was sent."""
    alice, bob = sides = make_sides(key)
    for side in sides:
        side.pool("alice").fill(bits + 6)
    x, y = (split(key.public, secrets.randbelow(1 << bits)) for _ in range(2))
    made = Comparison(plan=plan("1"), bits=bits)
    a, b = (Machine(made.steps(side, [x[k]], [y[k]])) for k, side in enumerate((alice, bob)))
    parts = dict.fromkeys(("step 1", "– Type 3 subroutine", "– Conversion 5 rest", "step 3"), 0.0)
    b.start()
    spent, messages = _cpu(a.start)
    parts["step 1"] += spent
    order = [(b, "– Conversion 5 rest"), (a, "– Type 3 subroutine"), (b, "– Type 3 subroutine")]
    order += [(a, "– Type 3 subroutine"), (b, "step 3"), (a, "step 3")]
    for machine, name in order:
        spent, messages = _cpu(lambda machine=machine, sent=messages[0]: machine.receive(sent))
        parts[name] += spent
    return parts, a.sent + b.sent


def _tables_1_and_2() -> tuple[str, str, str, list[dict[str, float]], list[Any]]:
    key = PrivateKey.generate(1024)
    _type_1(key, 5)
    found, sent = [], []
    for bits in LENGTHS:
        runs = [_type_1(key, bits) for _ in range(REPEATS)]
        parts = {name: sum(run[0][name] for run in runs) / REPEATS for name in runs[0][0]}
        parts["step 2"] = parts["– Type 3 subroutine"] + parts["– Conversion 5 rest"]
        parts["total ms"] = parts["step 1"] + parts["step 2"] + parts["step 3"]
        found.append(parts)
        sent.append(runs[0][1])
    rows = []
    for name, printed in PRINTED.items():
        rows.append([f"{name}, printed", *(f"{value:.3f}" for value in printed)])
        if name == "communication KB":
            rows.append([f"**{name}, ours**", *(f"{one.bytes / 1000:.3f}" for one in sent)])
        else:
            rows.append([f"**{name}, ours**", *(f"{parts[name]:.3f}" for parts in found)])
    counts = [["messages", *(str(one.messages) for one in sent)]]
    counts.append(["ciphertexts (2ℓ + 6)", *(str(one.ciphertexts) for one in sent)])
    counts.append(["their bytes (256 each)", *(str(one.payload) for one in sent)])
    counts.append(["envelopes", *(str(one.bytes - one.payload) for one in sent)])
    head = ["ℓ", *map(str, LENGTHS)]
    slope = (found[-1]["total ms"] - found[0]["total ms"]) / (LENGTHS[-1] - LENGTHS[0])
    printed_slope = (PRINTED["total ms"][-1] - sum(PRINTED[name][0] for name in STEPS)) / (LENGTHS[-1] - LENGTHS[0])
    words = (
        f"Ours grows by {slope:.2f} ms of processor time a layer (one exponentiation and one decryption), divided "
        f"by the cores; the printed slope is {printed_slope:.3f} ms of wall time, which would be ours on "
        f"{slope / printed_slope:.0f} cores."
    )
    return _table(head, rows), _table(head, counts), words, found, sent


def _table_3() -> tuple[str, float]:
    times = [_cpu(lambda: PrivateKey.generate(1024))[0] for _ in range(20)]
    ours = sum(times) / len(times)
    rows = [[name, f"{value:.3f}", ""] for name, value in INITIALISATION.items()]
    rows[0][2] = f"**{ours:.1f}** (a key of 1024 bits, processor time, mean of 20; one key draw differs from the next)"
    for row in rows[1:]:
        row[2] = "cannot be checked here: the text does not specify it"
    return _table(["initialisation, ms", "printed", "ours"], rows), ours


def _figures() -> tuple[str, dict[str, tuple[float, float]]]:
    """The table, and for each comparator milliseconds and kilobytes at the longest ℓ."""
    key = PrivateKey.generate(1024)
    rows, last = [], {}
    sides = make_sides(key)
    sides[0].short_key()  # a key is made once, as Paillier's
    for comparator in (TreeComparator(), BitwiseComparator(), DgkComparator(), BooleanComparator()):
        row = [comparator.name]
        for bits in LENGTHS:
            made = Comparison(plan=plan("PN-NP-SS", shares="bits"), bits=bits, comparator=comparator)
            x, y = (secrets.randbelow(1 << bits) for _ in range(2))
            steps = made.steps(sides[0], [x], None), made.steps(sides[1], None, [y])
            spent, (_, _, sent) = _cpu(lambda steps=steps: run_together(*steps))
            row.append(f"{spent:.0f} ms, {sent.bytes / 1000:.1f} KB, {sent.messages}")
            last[comparator.name] = (spent, sent.bytes / 1000)
        rows.append(row)
    return _table(["comparator, Type 4 without pool", *(f"ℓ = {bits}" for bits in LENGTHS)], rows), last


def _wrapped() -> tuple[str, bool]:
    """The table, and whether a case with 4n < N goes wrong."""
    rows, fails = [], False
    for bits, modulus in ((4, 77), (2, 77), (3, 187)):
        n, wrong = 1 << bits, 0
        for x, y, b in product(range(n), range(n), range(modulus)):
            z = (n + x - y + b) % modulus
            wrong += complete(z >> bits, b, int(z % n >= b % n), bits) != (x >= y)
        rows.append([str(modulus), str(n), f"{wrong / (n * n * modulus):.4f}", f"{n / modulus:.4f}"])
        fails = fails or (wrong > 0 and 4 * n < modulus)
    return _table(["N", "n", "share wrong, all x, y, b", "n/N"], rows), fails


def _held(holding: Holding, values: list[int], key: PrivateKey, sides: Any) -> tuple[Any, Any]:
    """What Alice and what Bob have of each number."""
    if holding is Holding.SS:
        pairs = [split(key.public, value) for value in values]
        return [a for a, _ in pairs], [b for _, b in pairs]
    if holding in (Holding.SE, Holding.ES):
        hidden = sides[holding is Holding.SE].encrypt("alice" if holding is Holding.SE else "bob", values)
        return (None, hidden) if holding is Holding.SE else (hidden, None)
    return tuple(values if holding.known_to(who) else None for who in ("alice", "bob"))  # type: ignore[return-value]


def _right_types(bits: int = 3) -> int:
    """How many of the 216 types give the right answer for all x, y < 2^bits, with tiny keys."""
    keys = PrivateKey(10007, 10009), PrivateKey(10037, 10039)
    x, y = ([pair[k] for pair in product(range(1 << bits), repeat=2)] for k in (0, 1))
    true = [int(a >= b) for a, b in zip(x, y, strict=True)]
    right = 0
    for one in all_types():
        sides, chosen = make_sides(*keys), plan(one, shares="bits")
        key = keys[chosen.holder == "bob"]
        held = _held(one.x, x, key, sides), _held(one.y, y, key, sides)
        made = Comparison(plan=chosen, bits=bits, count=len(x))
        a, b, _ = run_together(*(made.steps(side, held[0][k], held[1][k]) for k, side in enumerate(sides)))
        if one.answer is Holding.SS:
            a = b = [p ^ q for p, q in zip(a, b, strict=True)]
        elif one.answer in (Holding.SE, Holding.ES):
            a = b = keys[one.answer is Holding.ES].decrypt(b if a is None else a)
        right += all(found == true for found in (a, b) if found is not None)
    return right


def _shared_nodes(bits: int = 6) -> bool:
    """Whether a point and a range share one node if the point is inside and none if not, for all of both."""
    n = 1 << bits
    points = {x: set(point_nodes(x, bits)) for x in range(1, n + 1)}
    ranges = [(low, high) for low in range(1, n + 1) for high in range(low, n + 1)]
    return all(
        len(points[x] & set(range_nodes(low, high, bits))) == (low <= x <= high) for low, high in ranges for x in points
    )


def _views(repeats: int = 1_000) -> float:
    """The least of all p-values of what the holder sees against the simulator's law, for all x, y < 4 and coins."""
    key, bits = PrivateKey(7, 11), 2
    units = [k for k in range(1, 77) if k % 7 and k % 11]
    alice, bob = make_sides(key)
    least = 1.0
    for x, y, coin in product(range(4), range(4), (0, 1)):
        points = next(TreeComparator().holder(alice, [x] * repeats, bits))
        steps = TreeComparator().helper(bob, [y] * repeats, [coin] * repeats, bits)
        next(steps)
        seen = key.decrypt(steps.send(list(points.values)).values)  # type: ignore[union-attr]
        if sum(value == 0 for value in seen) != repeats * (int(x >= y) ^ coin):
            return 0.0
        counts = [sum(value == unit for value in seen) for unit in units]
        least = min(least, float(chisquare(counts).pvalue) if any(counts) else 1.0)
    return least


def _word(holds: bool) -> str:
    return "reproduced" if holds else "**not reproduced**"


def _growth(values: Sequence[float]) -> float:
    return values[-1] / values[0]


def _claims(found: list[dict[str, float]], sent: list[Any], key_time: float, others: Any, wraps: bool) -> str:
    trivial, right, least = sum(one.trivial for one in all_types()), _right_types(), _views()
    nodes = [dict(helper_range(0, coin, 4)) for coin in (0, 1)]  # y = 1 of the print
    total, kilobytes = [one["total ms"] for one in found], [one.bytes / 1000 for one in sent]
    layer = [
        (values[-1] - values[0]) / (LENGTHS[-1] - LENGTHS[0]) for values in (PRINTED["communication KB"], kilobytes)
    ]
    part = {name: [one[name] for one in found] for name in found[0]}
    inner, rest = "– Type 3 subroutine", "– Conversion 5 rest"
    short = max(part["step 1"][0], part["step 3"][0])
    printed, printed_sum = PRINTED["total ms"][0], sum(PRINTED[name][0] for name in STEPS)
    six = all((one.messages, one.ciphertexts) == (6, 2 * bits + 6) for one, bits in zip(sent, LENGTHS, strict=True))
    best = [min(others, key=lambda name: others[name][k]) for k in (0, 1)]
    rows = [
        [
            "Lemma 8.1: 216 types, 42 trivial, 174 others",
            f"{_word(trivial == 42)}: {trivial} and {216 - trivial}",
        ],
        [
            "Conversions 1 to 5 and Protocols 1, 2 are right",
            f"{_word(right == 216)}: for all x, y < 8 in {right} of 216 types (all x, y < 16 in the tests)",
        ],
        [
            "Lemmas 8.2 to 8.4 (a point and a range share one node or none)",
            f"{_word(_shared_nodes())} for all points and ranges at n = 64, with layer 0, which the print leaves out",
        ],
        [
            "One ciphertext is saved if y = 1",
            f"{_word(4 in nodes[0] and 4 in nodes[1])} as printed: with one coin the range of y = 1 is "
            f"{_range(nodes[0])}, with the other {_range(nodes[1])}",
        ],
        ["Type 1 in 6 messages", f"{_word(six)} with 2ℓ + 6 ciphertexts at every ℓ"],
        ["4n < N is enough for Conversion 5", f"{_word(not wraps)}: wrong in n/N of all cases, below"],
        [
            "What each side sees can be simulated",
            f"{_word(least > 1e-6)} with N = 77: uniform units and at most one zero for all x, y < 4 and coins, least "
            f"p-value of 32 is {least:.2g}; semi-honest only",
        ],
        [
            "Table 8.1: time almost constant in ℓ",
            f"{_word(_growth(total) < 1.5)}: × {_growth(total):.1f} from ℓ = 5 to 100, printed "
            f"× {_growth(PRINTED['total ms']):.1f}",
        ],
        [
            f"Table 8.1: {printed} ms at ℓ = 5",
            f"{_word(abs(printed_sum - printed) < 0.005)}: the printed parts add up to {printed_sum:.3f}",
        ],
        [
            "Table 8.1: 5.3 to 64.3 KB",
            f"{_word(0.5 < layer[1] / layer[0] < 2)} in shape: {1000 * layer[1]:.0f} bytes a layer here, "
            f"{1000 * layer[0]:.0f} there, for two ciphertexts",
        ],
        [
            "Table 8.2: the subroutine does not grow with ℓ, the rest of Conversion 5 does",
            f"{_word(_growth(part[inner]) < 1.5 < _growth(part[rest]))}: × {_growth(part[inner]):.1f} and "
            f"× {_growth(part[rest]):.1f}; the subroutine holds all layers, so the two rows are probably exchanged",
        ],
        [
            "Table 8.2: steps 1 and 3 in 0.01 ms",
            f"{_word(short < 0.02)}: {part['step 1'][0]:.3f} and {part['step 3'][0]:.3f} ms at ℓ = 5",
        ],
        [
            "Table 8.3: initialisation 89.124 ms",
            f"{_word(0.5 < key_time / 89.124 < 2)}: a key takes {key_time:.0f} ms here; the others cannot be checked",
        ],
        [
            "Figs 8.4, 8.5: faster than BO07 and GHJR15",
            "cannot be checked here, because the text does not specify them; comparators of our own below",
        ],
        [
            "Ch. 9: the lowest of all",
            f"{_word(best == ['tree', 'tree'])}: at ℓ = {LENGTHS[-1]} lowest in time is {best[0]}, in bytes {best[1]}; "
            "the chapter's own figures show VBdHE15 lower",
        ],
        ["Type 7 is PP-SS-ES", "an erratum: its table shows Bob with an encryption of y, PP-SE-ES"],
    ]
    return _table(["printed", "ours"], rows)


def _range(nodes: dict[int, int]) -> str:
    return "everything" if 4 in nodes else "empty" if not nodes else "a part"


def section() -> str:
    first, counts, words, found, sent = _tables_1_and_2()
    third, key_time = _table_3()
    figures, others = _figures()
    wrapped, wraps = _wrapped()
    return f"""## Two parties (Mimoto, chapter 8)

{_claims(found, sent, key_time, others, wraps)}

### Tables 8.1 and 8.2: Type 1 at 1024 bits

Mean of {REPEATS} runs; printed: wall time on a four-core i7-4790; ours: processor time of both sides together on
{os.cpu_count()} cores, with the randomness of the encryptions made ahead. Ours counts the decryption of z with the
subroutine, because it is answered by the same message. {words}

{first}

What was sent, counted:

{counts}

### Table 8.3

{third}

### Figs 8.4 and 8.5: other comparators

Processor time of both sides, bytes and messages, one comparison into shares, no randomness made ahead. In place of the
dissertation's baselines: bit by bit after Damgård, Geisler and Krøigaard (2007) over the same encryption (bitwise) and
over their own (dgk), and a circuit on shared bits, whose products are made in packed ciphertexts.

{figures}

### Conversion 5 wraps

Counted over all x, y and all masks b in Z_N. With masks below N − 2n, the default here, nothing wraps.

{wrapped}
"""
