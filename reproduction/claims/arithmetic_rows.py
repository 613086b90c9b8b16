"""Small numbers that the dissertations print and that a few lines recompute, each with its judge."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reproduction._rows import recipe
from reproduction.claims.claim import Finding


@recipe()
def two_sided_bound() -> dict[str, float]:
    """m = n = 1, t = ½, Δ = ½: how often |U/mn − Δ| ≥ t over both orders of two numbers, and the printed bound."""
    far = [abs(float(b > a) - 0.5) >= 0.5 for a, b in ((0, 1), (1, 0))]
    return {"true": sum(far) / len(far), "bound": math.exp(-2 * 0.25 / 2)}


def judge_two_sided_bound(row: Any) -> Finding:
    """A bound lies above the truth."""
    return Finding(
        row["bound"] >= row["true"], f"at m = n = 1, t = ½, Δ = ½ it is {row['true']:.0f}, the bound {row['bound']:.3f}"
    )


@recipe()
def rank_sum() -> dict[str, float]:
    """The rank statistic of {1, 3, 5, 7} and {2, 4, 6}."""
    a, b = np.array([1, 3, 5, 7]), np.array([2, 4, 6])
    u = float((b[:, None] > a).sum())
    return {"U": u, "Z": (u - 6) / math.sqrt(12 * 8 / 12)}


def judge_rank_sum(row: Any) -> Finding:
    """As printed."""
    return Finding(row["U"] == 6 and row["Z"] == 0, f"U = {row['U']:g}, Z = {row['Z']:g}")


@recipe()
def dominant_alpha() -> float:
    """Where α exceeds 2kε in Theorem 5."""
    return 2 * 5 * 0.2


def judge_dominant_alpha(row: Any) -> Finding:
    """As printed."""
    return Finding(row == 2.0, f"2kε = {row:g}")


@recipe()
def kernel_correlation() -> list[float]:
    """RBF correlation at lags of .67 and 1 l_eff."""
    return [math.exp(-(lag**2) / 2) for lag in (0.67, 1.0)]


def judge_kernel_correlation(row: Any) -> Finding:
    """Above .8 up to a lag of l_eff."""
    return Finding(row[1] > 0.8, f"{row[1]:.2f} at a lag of l_eff, {row[0]:.2f} at .67 l_eff")


@recipe()
def correlated_noise() -> dict[str, float]:
    """Eq. 5.5 and the exact loss for a point that follows the secret (.999) and noise of correlation −.99."""
    correlation, noise = 0.999, 0.5 * np.array([[1.0, -0.99], [-0.99, 1.0]])
    a = np.array([1.0, correlation])
    within = np.diag([0.0, 1 - correlation**2])
    exact = float(a @ np.linalg.solve(within + noise, a))
    block = 1 / noise[0, 0] + correlation**2 / (within[1, 1] + noise[1, 1])
    return {"printed": float(block), "exact": exact}


def judge_correlated_noise(row: Any) -> Finding:
    """The formula is the loss."""
    return Finding(
        abs(row["printed"] / row["exact"] - 1) < 0.01,
        f"it says {row['printed']:.1f} where {row['exact']:.0f} is true, if the noise correlates with the secret's",
    )


@recipe()
def odds() -> list[float]:
    """e^{ε + ln(1/δ)/(λ − 1)} at λ = 5, ε = .1."""
    return [math.exp(0.1 + math.log(1 / delta) / 4) for delta in (0.01, 0.1)]


def judge_odds(row: Any) -> Finding:
    """As printed."""
    return Finding(abs(row[0] - 3.49) < 0.01 and abs(row[1] - 1.97) < 0.01, f"{row[0]:.2f} and {row[1]:.2f}")


@recipe()
def means_of_table_2_2() -> float:
    """The mean of 36 and 38."""
    return (36 + 38) / 2


def judge_means_of_table_2_2(row: Any) -> Finding:
    """36 is printed."""
    return Finding(row == 36, f"the mean of 36 and 38 is {row:g}")


@recipe()
def utilities_of_chapter_5() -> dict[str, float]:
    """Tables 5.10–5.14: F from P and R, and F/.763, against what is printed."""
    printed = (
        (0.780, 0.720, 0.749, 0.981), (0.741, 0.688, 0.714, 0.936), (0.755, 0.691, 0.721, 0.946),
        (0.737, 0.659, 0.696, 0.913), (0.748, 0.677, 0.711, 0.932), (0.780, 0.664, 0.717, 0.941),
        (0.738, 0.610, 0.668, 0.876), (0.719, 0.541, 0.618, 0.810), (0.652, 0.507, 0.571, 0.748),
        (0.625, 0.520, 0.567, 0.744), (0.686, 0.735, 0.710, 0.930), (0.699, 0.767, 0.731, 0.959),
        (0.695, 0.773, 0.732, 0.960), (0.712, 0.786, 0.747, 0.980), (0.742, 0.650, 0.693, 0.909),
        (0.752, 0.688, 0.719, 0.943), (0.736, 0.703, 0.719, 0.943), (0.737, 0.735, 0.736, 0.965),
        (0.718, 0.614, 0.662, 0.868), (0.748, 0.655, 0.698, 0.915), (0.704, 0.680, 0.692, 0.907),
        (0.716, 0.711, 0.713, 0.935),
    )  # fmt: skip
    p, r, f, use = np.array(printed).T
    return {
        "rows": len(printed),
        "F": float(np.abs(2 * p * r / (p + r) - f).max()),
        "use": float(np.abs(f / 0.763 - use).max()),
    }


def judge_utilities_of_chapter_5(row: Any) -> Finding:
    """Within rounding of the three inputs."""
    return Finding(
        max(row["F"], row["use"]) < 0.0015,
        f"{row['rows']} rows, F within {row['F']:.4f}, its share within {row['use']:.4f}",
    )


@recipe()
def figure_5_1() -> list[float]:
    """Seven users, 2 to 5 assigned to each other: the share that is right, and half of that in the right cluster."""
    assigned = {1: 1, 2: 3, 3: 2, 4: 5, 5: 4, 6: 6, 7: 7}
    clusters = ({4, 5}, {2, 6}, {1, 3, 7})
    right = sum(user == found for user, found in assigned.items())
    near = sum(any({user, found} <= cluster for cluster in clusters) for user, found in assigned.items())
    return [right / 7, near / 7 / 2]


def judge_figure_5_1(row: Any) -> Finding:
    """3/7 and 5/14."""
    return Finding(abs(row[0] - 3 / 7) < 1e-12 and abs(row[1] - 5 / 14) < 1e-12, f"{row[0]:.4f} and {row[1]:.4f}")


@recipe()
def moved_cells() -> float:
    """Pr[|Lap(1.5)| > 1]."""
    return math.exp(-1 / 1.5)


def judge_moved_cells(row: Any) -> Finding:
    """Most cells."""
    return Finding(row > 0.5, f"{row:.1%}")


@recipe()
def labels_of_table_6_3() -> dict[str, float]:
    """TP 650, TN 646, FP 10, FN 6 of half of 2 300 reports."""
    tp, tn, fp, fn = 650, 646, 10, 6
    total = tp + tn + fp + fn
    return {"total": total, "accuracy": (tp + tn) / total, "precision": tp / (tp + fp), "recall": tp / (tp + fn)}


def judge_labels_of_table_6_3(row: Any) -> Finding:
    """The ratios are those printed, and the cells add up to the 1 150 reports."""
    ratios = abs(row["accuracy"] - 0.988) < 6e-4 and abs(row["precision"] - 0.985) < 6e-4
    return Finding(
        ratios and row["total"] == 1150,
        f"the ratios are .988, .985 and .991, but the cells add up to {row['total']:.0f} of 1 150 reports",
    )


@recipe()
def removed_by_hand() -> dict[str, float]:
    """93 of 169 words removed, 12 of 76 left lead to the name; 22 of 84 at the courts."""
    return {"removed": 93 / 169, "sums": 93 + 40 + 36, "left": 35 + 20 + 21, "accidents": 12 / 76, "courts": 22 / 84}


def judge_removed_by_hand(row: Any) -> Finding:
    """55 %, 15.8 % and 26 % of the printed counts."""
    holds = (
        row["sums"] == 169
        and row["left"] == 76
        and abs(row["accidents"] - 0.158) < 1e-3
        and abs(row["courts"] - 0.26) < 5e-3
    )
    return Finding(
        holds and abs(row["removed"] - 0.55) < 5e-3,
        f"{row['removed']:.1%}, {row['accidents']:.1%} and {row['courts']:.1%} of the printed counts, which add up",
    )


@recipe()
def levels_of_information() -> dict[str, list[float]]:
    """Differences of the three largest I(w), accidents and courts, and log₂ of counts 1, 2, 3."""
    return {
        "accidents": [23.80 - 22.79, 23.80 - 22.21],
        "courts": [31.50 - 31.21, 31.50 - 30.83],
        "counts": [1.0, math.log2(3)],
    }


def judge_levels(which: str) -> Any:
    """Whether words that occur once, twice and three times explain the three levels."""

    def judge(row: Any) -> Finding:
        far = max(abs(a - b) for a, b in zip(row[which], row["counts"], strict=True))
        counts = ", ".join(f"{2**step:.2f}" for step in row[which])
        return Finding(far < 0.02, f"the levels mean counts of 1, {counts}")

    return judge


@recipe()
def parts_of_table_8_1() -> dict[str, Any]:
    """The printed parts of Tables 8.1 and 8.2 added up, and a line through the communication."""
    parts = np.array([[0.011, 47.350, 0.010], [0.011, 47.679, 0.010], [0.011, 50.279, 0.011], [0.012, 56.396, 0.011],
                      [0.012, 65.435, 0.011]])  # fmt: skip
    total = np.array([47.731, 47.700, 50.301, 56.419, 65.459])
    bits, kilobytes = np.array([5, 10, 25, 50, 100]), np.array([5.294, 8.399, 17.715, 33.243, 64.296])
    slope, start = np.polyfit(bits, kilobytes, 1)
    return {
        "gap": np.abs(parts.sum(axis=1) - total).round(4).tolist(),
        "line": [float(start), float(slope), float(np.abs(start + slope * bits - kilobytes).max())],
    }


def judge_parts_of_table_8_1(row: Any) -> Finding:
    """Totals are the sums of their parts."""
    return Finding(max(row["gap"]) < 0.002, f"off by {', '.join(f'{gap:.3f}' for gap in row['gap'])} ms at ℓ = 5 … 100")


def judge_communication_line(row: Any) -> Finding:
    """O(ℓ): a line."""
    start, slope, far = row["line"]
    return Finding(far < 0.01, f"{start:.3f} + {slope:.4f}·ℓ KB, off by at most {far:.4f}")


@recipe()
def splits_of_the_mails() -> dict[str, Any]:
    """Fischer's sizes: .49/.21/.30 of 90 000 and 80 000 mails, steps of batches of 70, 20 epochs."""
    return {
        str(mails): [round(mails * share) for share in (0.49, 0.21, 0.30)] + [mails * 0.49 / 70, mails * 0.49 / 70 * 20]
        for mails in (90_000, 80_000)
    }


def judge_splits(row: Any) -> Finding:
    """44 100/18 900/27 000 with 630 and 12 600 steps; 39 200/16 800/24 000 with 560 and 11 200."""
    printed = {"90000": [44_100, 18_900, 27_000, 630, 12_600], "80000": [39_200, 16_800, 24_000, 560, 11_200]}
    return Finding(
        all(np.allclose(row[key], printed[key]) for key in printed), "; ".join(str(value) for value in row.values())
    )


@recipe()
def connections() -> dict[str, int]:
    """Connections of the last layer, 20 and 2 units a word, n = 70, 90 senders; and 64·64·3."""
    return {"twenty": 20 * 70 * 90, "two": 2 * 70 * 90, "pixels": 64 * 64 * 3}


def judge_connections(row: Any) -> Finding:
    """126 000 and 12 600."""
    return Finding(row["twenty"] == 126_000 and row["two"] == 12_600, f"{row['twenty']} and {row['two']}")


def judge_pixels(row: Any) -> Finding:
    """12 228 is printed."""
    return Finding(row["pixels"] == 12_228, f"64·64·3 = {row['pixels']}")


@recipe()
def exclusive_or() -> list[float]:
    """max(XW + (0, −1), 0)·(1, −2)ᵀ with W of ones."""
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    return (np.maximum(x @ np.ones((2, 2)) + [0, -1], 0) @ [1, -2]).tolist()


def judge_exclusive_or(row: Any) -> Finding:
    """0, 1, 1, 0."""
    return Finding(row == [0, 1, 1, 0], f"{row}")


@recipe()
def token_numbers() -> list[int]:
    """Words numbered by frequency, ties by their first place."""
    text = (
        "Eating porridge in the morning is a healthy way to start your day. Continuing with a short workout will then "
        "keep the doctor away."
    )
    words = [word.strip(".").lower() for word in text.split()]
    ranked = sorted(dict.fromkeys(words), key=lambda word: -words.count(word))
    return [ranked.index(word) + 1 for word in words]


def judge_token_numbers(row: Any) -> Finding:
    """As printed."""
    printed = [3, 4, 5, 1, 6, 7, 2, 8, 9, 10, 11, 12, 13, 14, 15, 2, 16, 17, 18, 19, 20, 1, 21, 22]
    return Finding(row == printed, f"{len(row)} words, {max(row)} different")


@recipe()
def flat_l1_loss() -> list[float]:
    """ε·E Σ_j a_j|Z_j| for even, uneven and one-hot rows that sum to 1."""
    rng = np.random.default_rng(0)
    noise = np.abs(rng.laplace(size=(200_000, 60)))
    rows = [np.full(60, 1 / 60), rng.dirichlet(np.full(60, 0.2)), np.eye(60)[0]]
    return [float((noise @ row).mean()) for row in rows]


def judge_flat_l1_loss(row: Any) -> Finding:
    """A loss that is the same for every A is linear, so that it is concave, and it has no gradient."""
    shown = ", ".join(f"{value:.3f}" for value in row)
    return Finding(
        max(row) - min(row) > 0.02,
        f"ε·loss is {shown} for even, uneven and one-hot rows: flat, so that nothing is learned",
    )


@recipe()
def text_and_table_9() -> dict[str, Any]:
    """What the running text says of Table 9, beside the table: LSTM and Identificator, m = 50, 60, 80, 100."""
    lstm = [(0.9733, 0.9555), (0.9721, 0.9686), (0.9732, 0.9699), (0.9755, 0.9657)]
    own = {50: (0.8162, 0.9028), 60: (0.9173, 0.8668), 80: (0.9251, 0.9009), 100: (0.9013, 0.9224)}
    best = [max(own, key=lambda m: own[m][length]) for length in (0, 1)]
    return {"lowest": min(min(one) for one in lstm), "best m": best, "data of the attack": 27_000 / 44_100}


def judge_lstm_of_the_text(row: Any) -> Finding:
    """.937 is a value of the table."""
    return Finding(row["lowest"] <= 0.937, f"Table 9 has no value below {row['lowest']:.4f}")


def judge_chosen_dimensions(row: Any) -> Finding:
    """60 is best for length 100, and 100 for length 200."""
    return Finding(row["best m"] == [60, 100], f"in its own table m = {row['best m'][0]} and {row['best m'][1]}")


def judge_data_of_the_attack(row: Any) -> Finding:
    """Half as much."""
    share = row["data of the attack"]
    return Finding(abs(share - 0.5) < 0.05, f"27 000 of 44 100 mails are {share:.0%}")


@recipe()
def gaussian_rule() -> dict[str, float]:
    """The true δ of the classical rule for δ = 1e-5, inside and outside ε < 1."""
    from scipy.stats import norm

    found = {}
    for epsilon in (0.99, 10.0):
        sigma = math.sqrt(2 * math.log(1.25e5)) / epsilon
        found[f"{epsilon:g}"] = float(
            norm.cdf(0.5 / sigma - epsilon * sigma) - math.exp(epsilon + norm.logcdf(-0.5 / sigma - epsilon * sigma))
        )
    return found


def judge_gaussian_rule(row: Any) -> Finding:
    """(ε, δ)-DP for ε in (0, 1)."""
    return Finding(
        row["0.99"] <= 1e-5,
        f"δ is {row['0.99']:.1e} at ε = .99 where 1e-5 is promised ({row['10']:.1e} at ε = 10, outside the theorem)",
    )
