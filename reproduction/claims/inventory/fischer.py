"""Fischer, *attention-guided anonymisation of text* (LMU master thesis, 2020): what is printed, and what judges it."""

from __future__ import annotations

from reproduction.claims import arithmetic_rows as arithmetic
from reproduction.claims import fischer_judges as judges
from reproduction.claims.claim import Claim, beyond, collected, judged

SENDERS = "no more than 39 senders of the public mails have 100 of their own, not 80 or 90 with 1 000"
PICTURE = "its numbers stand in pictures that the text does not have"
CITED = "it is a result of a cited paper on data that is not here"

TABLE_9 = (
    ("Bi-LSTM", ".9733/.9555, .9721/.9686, .9732/.9699, .9755/.9657"),
    ("basic FFN", ".0869/.1001, .0940/.1078, .1185/.1251, .1282/.1183"),
    ("Identificator", ".8162/.9028, .9173/.8668, .9251/.9009, .9013/.9224"),
)

CLAIMS: list[Claim] = [
    judged("§2.1.2, Thm 2", "Gaussian noise with c² > 2 ln(1.25/δ) is (ε, δ)-DP for ε in (0, 1)", arithmetic.gaussian_rule, arithmetic.judge_gaussian_rule),
    judged("§2.1.3, example", "“Deep down in the ocean …”: a bag in which fish has 2", "text_attacks", judges.fish),
    judged("§2.1.3, example", "E(b₁, b₂) = 3.3296, E(b₁, b₃) = 3.6710, E(b₂, b₃) = 4.0060", "text_attacks", judges.bags),
    judged("§2.1.3, example", "the order of the three distances", "text_attacks", judges.bags_order),
    judged("§2.1.3, eqs 14, 63", "the identity is an optimal flow of the Earth Mover's distance", "text_attacks", judges.positional_is_above),
    judged("§2.2, XOR", "max(XW + (0, −1), 0)·(1, −2)ᵀ gives 0, 1, 1, 0", arithmetic.exclusive_or, arithmetic.judge_exclusive_or),
    judged("§2.3, example", "token numbers 3 4 5 1 6 7 2 … 21 22", arithmetic.token_numbers, arithmetic.judge_token_numbers),
    judged("§2.4", "64·64·3 = 12 228", arithmetic.connections, arithmetic.judge_pixels),
    beyond("§2.3.2", "dpUGC: MAP .0085 … .1758 and .0048 … .1047, RMSE 2.656/1.290", CITED),
    judged("§2.4.2", "utility falls as the privacy of a learned representation rises (cited figures; on MotionSense)", "model", judges.privacy_costs_utility),
    collected("§2.4.3", "a student learns from digits of a private generator", "model", "DP-SGD GAN: a student learns"),
    collected("§2.4.4", "motion sensors: activity above 92 %, identity below 7 %", "model", "MotionSense: activity above"),
    beyond("§3.1", "312 789 mails of 200 words and 370 841 of 100 after filtering", "the filters are not listed"),
    beyond("§3.1", "3.3 % of the mails are truncated, so that .97 is about the ceiling", SENDERS),
    judged("§3.1", "splits 44 100/18 900/27 000 and 39 200/16 800/24 000; 630 and 560 steps, 20 epochs", arithmetic.splits_of_the_mails, arithmetic.judge_splits),
    judged("§3.4", "a layer of two units cuts 126 000 connections to 12 600", arithmetic.connections, arithmetic.judge_connections),
    judged("§3.6", "the L₁ loss was dropped because it is not concave", arithmetic.flat_l1_loss, arithmetic.judge_flat_l1_loss),
    *(beyond("§3.8, Table 9", f"{name} at m = 50, 60, 80, 100 (lengths 100/200): {values}", SENDERS) for name, values in TABLE_9),
    judged("§3.8, Table 9", "the order: FFN far behind, Identificator near the Bi-LSTM", "rewriting", judges.classifiers),
    judged("§3.8", "LSTM test accuracy .937 (text)", arithmetic.text_and_table_9, arithmetic.judge_lstm_of_the_text),
    judged("§3.8", "m = 60 and m = 100 are best for the Identificator, at lengths 100 and 200", arithmetic.text_and_table_9, arithmetic.judge_chosen_dimensions),
    judged("§3.8", "the attack learns from half as much data", arithmetic.text_and_table_9, arithmetic.judge_data_of_the_attack),
    beyond("§3.8", "the training accuracy of the LSTM is about half of the validation accuracy", SENDERS),
    judged("§3.8, attack", "at ε = .001 all words are replaced, and names survive at larger ε", "rewriting", judges.names_survive),
    *(judged("§3.8, utility", f"Anonymizer, m = {size}: its four losses, {losses} (by constant attention, within 2 %)", "rewriting", judges.constant_attention(size)) for size, losses in (("60", "6.14 to 9 080"), ("100", "4.70 to 7 050"))),
    *(judged("§3.8, utility", f"manual, m = {size}: four losses, above the Anonymizer's", "rewriting", judges.manual_above(size)) for size in ("60", "100")),
    beyond("§3.8, utility", "manual losses 23.76 … 41 516 and 32.70 … 42 890: the levels", "they depend on the weights of a network that is not public; ours on other mails stand in the section on rewriting"),
    judged("§3.8, attack", "manual output is identified easily at large ε", "rewriting", judges.manual_is_identified),
    judged("§3.8, attack", "the Anonymizer's output is attacked less well than manual output at equal ε", "rewriting", judges.anonymizer_hides_more),
    judged("§3.8.3", "manual output ends at few “hub” words, more than under even noise", "rewriting", judges.hub_words),
    judged("§3.8", "attention finds the names: they change more often than other words", "rewriting", judges.finds_names),
    beyond("§3.8, attack", "manual, ε = .00002: accuracy below .50, “2-anonymity”", SENDERS),
    beyond("§3.8, attack", "Anonymizer, n = 70: about .5 at ε = .001, at most .10 at .0001; n = 135: at most .083 at .001", SENDERS),
    beyond("§3.8.3, Tables 2–4", "examples: 8 of 31, 6 of 12, 21 of 22 and 22 of 22 words changed", "examples are no result; shares of changed words stand in the section on rewriting"),
    beyond("Figs 30–42", "learning curves and heat maps of attention", PICTURE),
]  # fmt: skip
