"""Mimoto, *Utility-aware privacy-preserving techniques* (Osaka 2022): what is printed, and what judges it."""

from __future__ import annotations

from reproduction.claims import arithmetic_rows as arithmetic
from reproduction.claims import data_rows as data
from reproduction.claims import mimoto_judges as judges
from reproduction.claims import table_rows as tables
from reproduction.claims.claim import Claim, beyond, collected, judged

LOG = "the access log is private; a stand-in of its size is judged instead"
REPORTS = "the reports are private and the web has changed; planted events are judged instead"

ACTIVITY = [
    ("§5.3, text", "MF alone cuts linkage, .80 → .31–.58", "MF alone cuts linkage"),
    ("§5.3, text", "r > 40 saturates", "r > 40 saturates"),
    ("§5.3, text", "r = 30 at 8 h is linked like raw 2 h (.54, .51)", "r = 30 at 8 h is linked"),
    ("§5.3, text", "2-anonymity cuts linkage by 77 %", "2-anonymity cuts linkage"),
    ("§5.3, Tables 5.3–5.9", "k-anonymised rows are re-identified with 1/k", "re-identified with 1/k"),
    ("§5.3, text", "privacy improves with r for MF and k", "“privacy improves with r”"),
    ("§5.3, text", "at equal risk MF with noise keeps more than noise (.907, .744)", "at equal risk MF + noise"),
    ("ch. 9", "MF and k add little over k alone", "MF + k adds little"),
    (
        "§5.3, Tables 5.3–5.9",
        "MF alone: re-identification rises with r (.98 to 1.00 at r = 10 … 40)",
        "MF alone, re-identified",
    ),
    ("§5.3, Tables 5.3–5.9", "MF alone: linkage rises with r (.31, .45, .54, .58)", "MF alone, linked"),
    (
        "§5.3, Tables 5.3–5.9",
        "Experiment 1: linkage falls with k (.185, .050, .038, .027, .023 at k = 2 … 10)",
        "k-anonymised rows, linked",
    ),
    (
        "§5.3, Tables 5.3–5.9",
        "Experiment 1: re-identification falls with k (.500, .250, .167, .125, .098)",
        "k-anonymised rows, re-identified, falls",
    ),
    (
        "§5.3, Tables 5.3–5.9",
        "Experiment 2: re-identification falls with φ (1.00, 1.00, .95, .81, .62 at φ = .3 … 1.5)",
        "5.9, noise, re-identified",
    ),
    ("§5.3, Tables 5.3–5.9", "Experiment 2: linkage falls with φ (.33, .10, .01, .03, .00)", "5.9, noise, linked"),
    (
        "§5.3, Tables 5.3–5.9",
        "Experiment 3: re-identification falls with k at every r (20 values)",
        "MF + k, re-identified",
    ),
    ("§5.3, Tables 5.3–5.9", "Experiment 3: linkage falls with k at every r (20 values)", "MF + k, linked"),
    (
        "§5.3, Tables 5.3–5.9",
        "Experiment 4: re-identification falls with φ at every r (16 values)",
        "MF + noise, re-identified",
    ),
    ("§5.3, Tables 5.3–5.9", "Experiment 4: linkage falls with φ at every r (16 values)", "MF + noise, linked"),
    ("§5.3, Tables 5.10–5.14", "F of k-anonymised rows stays above .9 of raw", "F of k-anonymised rows"),
    ("§5.3, Tables 5.10–5.14", "F of noise falls with φ, .941 to .744 of raw", "F of noise falls"),
    ("§5.3, Tables 5.10–5.14", "F of MF with k = 2 rises with r, .930 to .980", "F of MF with k = 2"),
    ("§5.3, Tables 5.10–5.14", "F of MF with φ = .10 rises with r, .909 to .965", "F of MF with φ = 0.10"),
    ("§5.3, Tables 5.10–5.14", "F of MF with φ = .15 rises with r, .868 to .935", "F of MF with φ = 0.15"),
    ("§5.3, Figs 5.4, 5.5", "their curves", "error flat after 100 sweeps"),
    ("§5.1.2", "F = .763 on the original log", "utility of the private log"),
]
PARTY = [
    ("§8.1.1, Lemma 8.1", "216 types, 42 trivial, 174 others", "Lemma 8.1"),
    ("§8.1.1", "Conversions 1 to 5 and Protocols 1 and 2 are right", "Conversions 1 to 5"),
    ("§8.1.2, Lemmas 8.2–8.4", "a point and a range share one node or none", "Lemmas 8.2 to 8.4"),
    ("§8.1.3", "one ciphertext is saved if y = 1", "One ciphertext is saved"),
    ("§8.1.4", "Type 1 takes 6 messages", "Type 1 in 6 messages"),
    ("§3.2, Conversion 5", "4n < N is enough", "4n < N is enough"),
    ("§8.1.3", "what each side sees can be simulated", "What each side sees"),
    ("§8.2, Table 8.1", "time is almost constant in ℓ: 47.7 to 65.5 ms", "time almost constant in"),
    ("§8.2, Table 8.1", "communication is two ciphertexts a layer (5.294 to 64.296 KB)", "5.3 to 64.3 KB"),
    (
        "§8.2, Table 8.2",
        "the subroutine does not grow with ℓ, the rest of Conversion 5 does",
        "Table 8.2: the subroutine",
    ),
    ("§8.2, Table 8.2", "steps 1 and 3 take .01 ms", "steps 1 and 3 in 0.01 ms"),
    ("§8.2, Table 8.3", "initialisation takes 89.124 ms", "initialisation 89.124 ms"),
    ("§8.2, Figs 8.4, 8.5", "faster than BO07 and GHJR15", "Figs 8.4, 8.5"),
    ("ch. 9", "the lowest of all", "Ch. 9: the lowest of all"),
]
UNSPECIFIED = "the text does not specify the baseline protocols"

CLAIMS: list[Claim] = [
    judged("§2.1.1, Table 2.2", "the mean of ages 36 and 38 is 36", arithmetic.means_of_table_2_2, arithmetic.judge_means_of_table_2_2),
    judged("§2.1.1, Table 2.2", "the generalised table is 2-anonymous", tables.table_2_2, tables.judge_table_2_2),
    judged("§4.2, worked example", "C^H = {r2, r4}, C^L = {r1, r7}, risk 1/5", tables.worked_example, tables.judge_worked_example),
    judged("§4.2, worked example", "the risk of the table is 1/5", tables.worked_example, tables.judge_worked_risk),
    judged("§4.3, data set 1", "4-anonymous", "table", judges.anonymity("1", 4)),
    judged("§4.3, data set 4", "22-anonymous", "table", judges.anonymity("4", 22)),
    judged("§4.3, data set 5", "10-anonymous", "table", judges.anonymity("5", 10, exactly=False)),
    judged("§4.3, Table 4.5", "n_q of data set 2, 30 values from 1.5 to 3.8", "table", judges.level("Table 4.5", 0.8)),
    judged("§4.3, Table 4.5", "n_q rises with noise", "table", judges.rises_with_noise("Table 4.5")),
    judged("§4.3, Table 4.5", "n_q rises as fewer rows are sampled", "table", judges.rises_with_sampling("Table 4.5")),
    judged("§4.3, Table 4.6", "n_q of data set 3, 30 values from 6.7 to 19.3", "table", judges.level("Table 4.6", 3.0)),
    judged("§4.3, Table 4.6", "n_q rises with noise", "table", judges.rises_with_noise("Table 4.6")),
    judged("§4.3, Table 4.6", "n_q rises as fewer rows are sampled", "table", judges.rises_with_sampling("Table 4.6")),
    judged("§4.3, Tables 4.5, 4.6", "noise on categories hides more", "table", judges.category_noise_hides_more),
    judged("§4.3, Table 4.7", "seven utilities from .588 to .695", "table", judges.utility),
    judged("§4.3, Table 4.7", "n_q = 10: data set 3 (1.0, .5) serves better than 5", "table", judges.better_at_equal_risk("3 (1.0, .5) against 5, printed n_q equal")),
    judged("§4.3, Table 4.7", "n_q = 22: data set 3 (.5, .5) serves better than 4", "table", judges.better_at_equal_risk("3 (.5, .5) against 4, printed n_q equal")),
    judged("§4.3, Table 4.7", "n_q = 10: data set 3 (.5, .9) serves about as well as 5 (−.011)", "table", judges.as_good_at_equal_risk("3 (.5, .9) against 5, printed n_q equal")),
    judged("§4.3", "sampling alone barely lowers the worst case: all l outliers vanish with (1 − α)^l", tables.sampled_outliers, tables.judge_sampled_outliers),
    beyond("§5.3, Table 5.2", "raw linkage .51, .64, .80 at 2, 4, 8 h", "the log is private, and the stand-in was fitted to these three values"),
    *(collected(where, printed, "activity", says) for where, printed, says in ACTIVITY),
    judged("§5.3, Fig. 5.2", "the error is flat after 100 sweeps", data.sweeps_of_factors, data.judge_sweeps),
    judged("§5.1, Fig. 5.1", "risks 3/7 and 5/14", arithmetic.figure_5_1, arithmetic.judge_figure_5_1),
    judged("§5.3", "at φ = 1.5 most cells move by more than 1", arithmetic.moved_cells, arithmetic.judge_moved_cells),
    judged("§5.3, Tables 5.10–5.14", "22 rows of P, R, F and share of .763 agree with each other", arithmetic.utilities_of_chapter_5, arithmetic.judge_utilities_of_chapter_5),
    beyond("§5.3, Tables 5.2–5.14", "the levels on the log of 200 users", LOG),
    judged("§6.2, Tables 6.1, 6.2", "55 % of the risk words were removed by hand; 15.8 % and 26 % of the others re-identify", arithmetic.removed_by_hand, arithmetic.judge_removed_by_hand),
    judged("§6.2, Tables 6.1, 6.2", "the rarest words lead to the name most often (9, 3, 0 and 14, 8, 0)", "documents", judges.rarest_lead_most),
    judged("§6.2, Table 6.1", "I(w) = 23.80, 22.79, 22.21: words that occur once, twice, three times", arithmetic.levels_of_information, arithmetic.judge_levels("accidents")),
    judged("§6.2, Table 6.2", "I(w) = 31.50, 31.21, 30.83: words that occur once, twice, three times", arithmetic.levels_of_information, arithmetic.judge_levels("courts")),
    judged("§6.2.3, Table 6.3", "the label: TP 650, TN 646, FP 10, FN 6 of 1 150", arithmetic.labels_of_table_6_3, arithmetic.judge_labels_of_table_6_3),
    beyond("§6.2.3, Table 6.3", "the label is told with accuracy .988", REPORTS + ", whose label is easier"),
    judged("§6.1, Algorithm 4", "after sanitising the attack finds nothing", "documents", judges.sanitised),
    judged("§6.2.3, Fig. 6.3", "success rises with the index w (50 % at w = 16)", "documents", judges.index_rises),
    beyond("§6.2, Tables 6.1, 6.2", "counts 93/35/9 … 36/21/0 and 41/14 … 15/0", REPORTS),
    beyond("§6.2", "attacks on reports of accidents that were not fatal never succeed", REPORTS),
    *(
        judged("§7.2, Table 7.1", f"n = {size}, s² = {variance}: noise {printed} (judged within 15 %)", "statistic", judges.noise_of_table_7_1(size, variance, 0.15))
        for size, values in (("100", ("256.04", "33.07", "10.32")), ("1000", ("78.72", "13.06", "7.23")), ("10000", ("30.33", "8.98", "7.70")))
        for variance, printed in zip(("20", "200", "2000"), values, strict=True)
    ),
    judged("§7.1.3", "the noise is O(m/(ε′√(n·s²)))", "statistic", judges.vanishes),
    judged("§7.1.3, Algorithm 8", "S is β-smooth", "statistic", judges.smooth),
    judged("§7.1.3, Algorithm 8", "the release is (ε′, δ′)-DP", "statistic", judges.algorithm_8_is_private),
    judged("§7.2, Fig. 7.1", "the type-I error is far above .05 unless ε′, n, s² are large", "statistic", judges.type_one_error),
    beyond("§7.2, Fig. 7.1", "the values of its curve", "the figure is a curve without numbers in the text"),
    *(collected(where, printed, "party", says) for where, printed, says in PARTY),
    judged("§8.2, Table 8.1", "47.731 ms at ℓ = 5: totals are the sums of their parts", arithmetic.parts_of_table_8_1, arithmetic.judge_parts_of_table_8_1),
    judged("§8.2, Table 8.1", "communication grows linearly with ℓ", arithmetic.parts_of_table_8_1, arithmetic.judge_communication_line),
    beyond("§8.2, Table 8.3", "initialisation of BO07 89.124, GHJR15 612.375, VBdHE15 132.501 ms", UNSPECIFIED),
    beyond("§8.2, Figs 8.4, 8.5", "the curves of BO07, GHJR15 and VBdHE15", UNSPECIFIED),
]  # fmt: skip
