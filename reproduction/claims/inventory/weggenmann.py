"""Weggenmann, *Differential Privacy for Sequential and Directional Data* (Stuttgart 2023): what is printed."""

from __future__ import annotations

from reproduction.claims import arithmetic_rows as arithmetic
from reproduction.claims import check_in_rows as check_ins
from reproduction.claims import data_rows as data
from reproduction.claims import direction_judges as judges
from reproduction.claims import direction_rows as directions
from reproduction.claims import latent_rows as latent
from reproduction.claims import syntf_judges as words
from reproduction.claims.claim import Claim, beyond, collected, judged

IMDB = "the corpus of ten IMDb authors is not here; its shape on four film critics stands in the section on rewriting"
YELP = "the ten most prolific users of the sample at hand have 200 reviews together, not 15 729"
CURVE = "the figure has no numbers in the text; what the text reads off it is judged beside it"
THREE = ("Pur", "VMF", "WL")

PARAMETERS = [
    (
        "vectorising alone costs the attacker more than the analyst, except in Top5/Multi",
        "word counts alone cost the attacker",
    ),
    ("the gap grows with the number of suspects", "the gap grows with the number of suspects"),
    ("s = 0 favours the attacker in Top5", "s = 0 favours the attacker in Top5"),
    ("s ≥ .3 favours the analyst", "s ≥ 0.3 favours the analyst"),
    ("the gap of Top10 about doubles from s = 0 to .3", "the gap of Top10 about doubles"),
    ("lemmas and lower case help", "lemmas and lower case widen the gap"),
    ("longer output helps both, with diminishing returns", "longer output helps both"),
    ("synonyms are of no benefit", "synonyms are of no benefit"),
    ("SVM, Top5/Any, ε ≥ 45: SynTF is attacked better than plain word counts", "in Top5/Any, ε ≥ 45"),
]
"""What §5.3.3 reads off Fig. 5.4; the section on words judges each for a pair of classifiers."""

REWRITING = [
    ("Table 6.1", "adaptive attackers are at least as strong as static ones", "Table 6.1: adaptive attackers"),
    ("Table 6.1", "V-VAE and DP-VAE are opposite extremes for the author", "Table 6.1: V-VAE and DP-VAE"),
    (
        "Table 6.1",
        "the DP-VAE does not reach chance (.24 of ten authors)",
        "Table 6.1: the DP-VAE does not reach chance",
    ),
    ("Table 6.1", "the DP-VAE keeps no sentiment", "Table 6.1: the DP-VAE keeps no sentiment"),
    ("Table 6.1", "DP-AAE has a better trade-off than AVG-AAE", "Table 6.1: DP-AAE has the better trade-off"),
    ("Table 6.1", "METEOR falls from V-VAE over the AAEs to the DP-VAE", "Table 6.1: METEOR falls"),
    ("Table 6.1", "text of the DP-VAE is more fluent than the original", "Table 6.1: DP-VAE text is more fluent"),
    ("Fig. 6.4", "the DP-VAE loses sentiment as σ grows", "Fig. 6.4: the DP-VAE loses sentiment"),
    ("Fig. 6.4", "the DP-AAE keeps it", "Fig. 6.4: the DP-AAE keeps it"),
]
"""What chapter 6 says of its models; the section on rewriting judges each on other texts."""

CLAIMS: list[Claim] = [
    judged("§2.3.2 (p. 24)", "classical Gaussian noise, σ ≥ Δ₂√(2 ln(1.25/δ))/ε for ε < 1, is (ε, δ)-DP", arithmetic.gaussian_rule, arithmetic.judge_gaussian_rule),
    # chapter 5
    judged("§5.2.4 (p. 81), Fig. 5.1", "the improved bound ε + ln η for L = 2, 100, 30 000", "text", words.bounds),
    judged("§5.2.4 (p. 81), Cor. 5.7", "half the probability for one word of 30 000 needs ε ≥ 20.62: ε = Ω(ln L)", "text", words.needed),
    judged("§5.2.4 (p. 81), eq. 5.1", "the tight loss nℓ is attained", "text", words.enumeration),
    judged("§5.3.3", "ε = 47.5 costs ℓ ≈ 25.4 per word", "text", words.tight_loss),
    judged("§5.2.4 (p. 81)", "the tight loss is about half of the nominal", "text", words.halved),
    judged("§5.3.2 (p. 88), Table 5.1", "least posts of the scenarios: 35/17, 28/9, 29/9, 21/8", "text_attacks", words.scenarios),
    judged("§5.3.2 (p. 88)", "5 735 authors (judged within 2 %)", "text_attacks", words.authors),
    judged("§5.3.3, Fig. 5.3a (naive Bayes)", "word counts alone: analysts keep .98/.99/1.01/.97", "text_attacks", words.pairs_of_classifiers("analyst", "word counts", 0.02)),
    beyond("§5.3.3, Fig. 5.3a (naive Bayes)", "word counts alone: attackers keep .94/.92/.93/.81", "our attacker is the one of twelve variants that agrees with this row"),
    judged("§5.3.3, Fig. 5.3a (naive Bayes)", "SynTF: attackers keep .77/.57/.70/.48", "text_attacks", words.pairs_of_classifiers("attacker", "SynTF", 0.03)),
    beyond("§5.3.3, Fig. 5.3b (SVM), Fig. 5.5", "the bars of the other classifiers and scenarios", CURVE),
    *(collected(f"§5.3.3, Fig. 5.4 ({number})", printed, "text", says, after="Fig. 5.4", column="linear SVM" if printed.startswith("SVM") else "") for number, (printed, says) in enumerate(PARAMETERS, 1)),
    judged("§5.3.4 (p. 94), Top10/Any", "original: F1 .69 of the analyst, .64 of the attacker", "text", words.levels("original", (0.69, 0.64))),
    judged("§5.3.4 (p. 94), Top10/Any", "SynTF: F1 .60 and .42", "text", words.levels("SynTF", (0.60, 0.42))),
    judged("§5.3.4 (p. 94), Top10/Any", "scrubadub: F1 .64 and .57", "text", words.levels("scrubbing", (0.64, 0.57))),
    judged("§5.3.4 (p. 94)", "SynTF keeps 87 % of the analyst's F1 and 66 % of the attacker's", "text", words.syntf_shares),
    judged("§5.3.4 (p. 94)", "scrubadub keeps 92 % and 90 %", "text_attacks", words.scrubbing_shares),
    judged("§5.3.4 (p. 94)", "SynTF hurts the attack more than scrubbing, in all four scenarios", "text", words.stronger_than_scrubbing),
    judged("ch. 5, conclusion", "the analyst keeps far more than the attacker (against the attacker who knows the method)", "text_attacks", words.strongest),
    judged("§5.3.2 (p. 88)", "5 711 of 5 735 authors have fewer than 20 training messages (judged by their share)", data.authors_with_few_posts, data.judge_few_posts),
    # chapter 6
    beyond("§6.5 (p. 111)", "10 000 reviews of ten IMDb authors, more than 80 % positive in the test; 15 729 of ten Yelp users", "neither corpus is here in that form"),
    beyond("§6.5 (p. 111)", "best σ: 1.0 for the DP-VAE, 14.2 and 38.8 for the DP-AAE, of 40 trials", "the search needs 40 trainings for each of four models on corpora that are not here"),
    judged("§6.3 (p. 104), Fig. 6.2", "R = 3, δ = 1e-6: 34.539 ≳ ε ≳ .815", latent.latent_levels, latent.judge_latent_levels),
    judged("§6.5 (p. 111)", "α = 13.398 is best for IMDb's σ = 14.2", latent.latent_levels, latent.judge_orders),
    judged("§6.3 (p. 104)", "R = 3 covers 99.7 % of the prior", latent.latent_levels, latent.judge_prior_mass),
    judged("§6.5 (p. 111), Table 6.1", "DP-AAE has a slightly better trade-off than AVG-AAE, on both sets", latent.trade_offs, latent.judge_trade_offs),
    *(collected(f"§6.5 (p. 111), {where} (on four film critics)", printed, "rewriting", says) for where, printed, says in REWRITING),
    beyond("§6.5 (p. 111), Table 6.1 (IMDb)", "120 values of accuracy, MCC, similarity and perplexity", IMDB),
    beyond("§6.5 (p. 111), Table 6.1 (Yelp)", "120 values of accuracy, MCC, similarity and perplexity", YELP),
    beyond("§6.5 (p. 111), Fig. 6.4", "the levels of its curves", CURVE),
    beyond("§6.5 (p. 111), Tables 6.2, 6.3", "examples of rewritten reviews", "examples are no result; ours stand in the section on rewriting"),
    # chapter 7, laws
    judged("§7.3.6.2 (p. 141), Fig. 7.2, Thm 7.26", "wrapped Laplace has a larger expected angle than Pur at every κ", directions.baseline_angles, judges.above("WL", "Pur2")),
    judged("§7.3.6.2 (p. 141), Thm 7.26", "E_WL − E_Pur > κπ²/(e^{2κπ} − 1)", directions.baseline_angles, judges.middle_bound),
    judged("§7.3.6.3 (p. 144), Fig. 7.3", "polar Laplace has a larger expected angle than Pur on the sphere", directions.baseline_angles, judges.above("Polar", "Pur3")),
    judged("§7.3.6.3 (p. 144), Fig. 7.3", "polar Laplace at κ = 2/π: 1.733 rad (64 M samples)", directions.baseline_angles, judges.polar_at),
    judged("§7.3.4.1 (p. 138)", "the rejection sampler accepts at least about .66", latent.acceptance_rate, latent.judge_acceptance_rate),
    judged("§7.3.4.2 (p. 138), Fig. 7.4", "10⁴ to more than 10⁵ samples a second for low and medium n, usable to tens of thousands of dimensions", directions.sampling_rate, judges.rate),
    judged("§7.3.4.2 (p. 138), Fig. 7.4", "the rate falls with n, and clearly for κ ≳ 100", directions.sampling_rate, judges.rate_falls),
    judged("§7.3.2–7.3.3 (p. 131), Figs 7.5, 7.6, (7.19), (7.26)", "expected errors agree with samples, n = 2 … 500, κ = 10⁻³ … 10³", directions.angular_formulas, judges.formulas),
    judged("§7.3.3 (p. 134), Fig. 7.7, (7.28)", "Pur's distribution function agrees with samples, as that of θ and of cosθ", directions.angular_formulas, judges.distribution("pur")),
    judged("§7.3.2 (p. 131), Fig. 7.7", "VMF's distribution function agrees with samples, as that of θ and of cosθ", directions.angular_formulas, judges.distribution("vmf")),
    judged("§7.3.2 (p. 131), (7.20)", "VMF's distribution function by Φ₁", directions.humbert_series, judges.humbert),
    judged("§7.3.2–7.3.3 (p. 131), Figs 7.5, 7.6", "Pur has less error than VMF at equal κ", directions.angular_formulas, judges.smaller_error),
    judged("§7.3.8, Fig. 7.8", "ε = 1, τ = .1 rad: about 750 (Pur) against more than 3 600 (WL), 4.8-fold", directions.sample_sizes, judges.fourfold),
    judged("§7.3.8, Fig. 7.8 (circle)", "VMF with Δ₂ needs fewest, then Pur, VMF, WL; clipped Laplace does not converge", directions.sample_sizes, judges.more_releases),
    judged("§7.3.8, Fig. 7.8 (sphere)", "Polar does not reach τ with 10⁸ samples; Pur and VMF do", directions.sample_sizes, judges.sphere_releases),
    # chapter 7, the poll
    judged("§7.4.3 (p. 151)", "one record can turn a circular mean by half a circle: Δ∠ = π, Δ₂ = 2", directions.flipped_mean, judges.flipped_mean),
    judged("§7.3.5", "VMF gains a factor π/2 in κ by Δ₂ = 2 instead of Δ∠ = π", directions.flipped_mean, judges.chord_gain),
    beyond("§7.4.3 (p. 151), Fig. 7.9a", "bed and wake times of 1 508 people, weekdays and weekends", "the poll (NSF 2011) is not public and the figure has no numbers; errors depend on the spread of the answers alone (next rows)"),
    judged("§7.4.3 (p. 151), Fig. 7.9b", "error of the central mean in hours, 21 values", directions.sleep_errors, judges.central),
    judged("§7.4.3 (p. 151), Fig. 7.9b", "error of the local mean in hours, 12 values at ε ≥ 1", directions.sleep_errors, judges.local),
    judged("§7.4.3 (p. 151), Fig. 7.9b", "at small ε every error is that of a uniform guess, 6 h", directions.sleep_errors, judges.uniform_guess),
    judged("§7.4.3 (p. 157)", "both directional mechanisms clearly outperform WL across the entire range (local model)", directions.sleep_errors, judges.outperform),
    judged("§7.4.3 (p. 157)", "MAEs of .407 and .321 are less than half of .695", directions.sleep_errors, judges.less_than_half),
    judged("§7.4.3 (p. 151)", "central, pure DP: VMF with Δ₂ is best for ε ≲ 10^.25", directions.pure_central_error, judges.pure_winner),
    judged("§7.4.3 (p. 151), Fig. 7.10", "the local model ranks the age groups far better than the naive central one", directions.rank_agreement, judges.local_ranks_better),
    judged("§7.4.3 (p. 151), Fig. 7.10", "local, ε = 1: Pur ahead of VMF ahead of WL (directional)", directions.rank_agreement, judges.rank_order),
    judged("§7.4.3 (p. 151), Fig. 7.10", "local, ε = 1: VMF with Δ₂ is best under pure DP", directions.rank_agreement, judges.rank_pure),
    judged("§7.4.3 (p. 151), Fig. 7.10", "central, ε = 10: Pur and WL alike, VMF behind", directions.rank_agreement, judges.rank_central),
    # chapter 7, check-ins
    judged("§7.4.4 (p. 158), Fig. 7.11 (EMD)", "times, large ε: wrapped Laplace ≈ Pur < VMF", check_ins.hour_profiles, judges.large_epsilon("emd", "WL")),
    judged("§7.4.4 (p. 158), Fig. 7.11 (EMD)", "times, small and medium ε: Pur is best (directional)", check_ins.hour_profiles, judges.best_at("emd", "Pur", (0.3, 1.0, 3.0), THREE)),
    judged("§7.4.4 (p. 158), Fig. 7.11 (EMD)", "times, small and medium ε: VMF with Δ₂ is best (pure)", check_ins.hour_profiles, judges.best_at("emd", "VMF-d2", (0.3, 1.0, 3.0), ("Pur", "VMF-d2", "WL"))),
    judged("§7.4.4 (p. 158), Fig. 7.11 (EMD)", "clipped Laplace is worst", check_ins.hour_profiles, judges.clipped_worst),
    judged("§7.4.4 (p. 158), Fig. 7.11 (MAE)", "by the MAE of bins VMF is worst at large ε", check_ins.hour_profiles, judges.hour_mae),
    judged("§7.4.4 (p. 158), Fig. 7.12 (EMD)", "places, large ε: Polar ≈ Pur < VMF", check_ins.place_maps, judges.large_epsilon("emd", "Polar")),
    judged("§7.4.4 (p. 158), Fig. 7.12 (EMD)", "places, small and medium ε: Pur is best (directional)", check_ins.place_maps, judges.best_at("emd", "Pur", (1.0, 3.0, 10.0), ("Pur", "VMF", "Polar"))),
    judged("§7.4.4 (p. 158), Fig. 7.12 (EMD)", "places, small and medium ε: VMF with Δ₂ is best (pure)", check_ins.place_maps, judges.best_at("emd", "VMF-d2", (1.0, 3.0), ("Pur", "VMF-d2", "Polar"))),
    judged("§7.4.4 (p. 158), Fig. 7.12 (EMD)", "Polar has a bump for .1 ≲ ε ≲ 10", check_ins.place_maps, judges.polar_bump),
    judged("§7.4.4 (p. 158), Fig. 7.12 (MAE)", "by the MAE of bins VMF is worst and Pur ≈ Polar", check_ins.place_maps, judges.vmf_worst_by_mae),
    judged("§7.4.4 (p. 158), Figs 7.13–7.15", "busyness: Pur's advantage is largest for .1 ≲ ℓ_t ≲ 1", check_ins.busy_places, judges.advantage),
    judged("§7.4.4 (p. 158), Figs 7.13–7.15", "… and depends little on ℓ_s", check_ins.busy_places, judges.little_by_place),
    judged("§7.4.4 (p. 158), Figs 7.14, 7.15", "at ℓ_s = ℓ_t = 10^−.5 Pur keeps the hours of places better than WL with Polar", check_ins.busy_places, judges.examples_of_places),
    beyond("§7.4.4 (p. 158), Figs 7.11–7.15", "levels on 6 442 890 check-ins of Gowalla", "the subset at hand has venues and counts but no times; venues are Gowalla's, hours the cabs'"),
]  # fmt: skip
