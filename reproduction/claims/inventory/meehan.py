"""Meehan, *The Primacy of Applied Privacy* (UC San Diego 2023): what is printed, and what judges it."""

from __future__ import annotations

from reproduction.claims import arithmetic_rows as arithmetic
from reproduction.claims import data_rows as data
from reproduction.claims import meehan_judges as judges
from reproduction.claims import survey_rows as shuffling
from reproduction.claims.claim import Claim, beyond, collected, judged

IMAGENET = "there is no ImageNet and no accelerator here; the shape on panel cards is judged beside it"
NO_CURVE = "the figure is a curve or a picture without numbers in the text"

MEMORY = [
    ("ch. 1 (p. 3–21), Fig. 1.4", "the most confident fifth shows more déjà vu than all images", "the most confident fifth shows more"),
    ("ch. 1, §1.4.1 (p. 14), Fig. 1.5", "déjà vu grows with the epochs", "déjà vu grows with epochs"),
    ("ch. 1, §1.4.1 (p. 14), Fig. 1.5", "the probe's train–test gap moves only a few percent meanwhile", "the probe's gap hardly moves"),
    ("ch. 1 (p. 3–21), Fig. 1.6", "DV is roughly constant for training sets of 100k to 500k", "roughly constant in the size"),
    ("ch. 1 (p. 3–21), Fig. 1.8a", "DV peaks in a narrow band of VICReg's λ, near 25", "a peak in λ of VICReg"),
    ("ch. 1 (p. 3–21), §1.6", "DV peaks in a narrow band of SimCLR's τ, near .15", "a peak in τ of SimCLR"),
    ("ch. 1 (p. 3–21), Fig. 1.8b", "déjà vu grows from the backbone through the layers of the projector", "layer by layer"),
    ("ch. 1 (p. 3–21), Fig. 1.8b", "VICReg's memory sits in the projector's last layers, SimCLR's also in the backbone", "almost all of VICReg's memory"),
    ("ch. 1 (p. 3–21), Fig. 1.9a", "DV grows with capacity (ResNet-18 to 101, ViT-T to L)", "a larger network remembers more"),
    ("ch. 1 (p. 3–21), Table 1.9b", "order of DV: BYOL, supervised, SimCLR, DINO, Barlow Twins, VICReg", "order of the criteria"),
    ("app. A.0.2 (p. 107)", "any K between 50 and the number of images of a class does", "any K between 50"),
    ("app. A.0.5 (p. 123)", "the corner crop follows the same trends, slightly lower", "the corner crop follows"),
]  # fmt: skip
COPYING = [
    ("ch. 2 (p. 22–43), Fig. 2.2", "C_T of moons rises from copying through 0 to underfitting as σ grows", "moons at 13 bandwidths"),
    ("ch. 2 (p. 22–43), §2.4", "Fréchet and binning are flat up to σ_MLE, NN never reaches 0, the gap misses underfitting", "up to σ_MLE Fréchet"),
    ("ch. 2 (p. 22–43), Fig. 2.3", "MNIST-KDE: C_T from below −13 to above 13", "MNIST-KDE: C_T from below"),
    ("ch. 2 (p. 22–43), Fig. 2.3", "MNIST-KDE: NN accuracy is closest to ½ for the worst copiers", "MNIST-KDE: NN accuracy"),
    ("ch. 2 (p. 22–43), Fig. 2.4", "MNIST-VAE: C_T > 0 for small codes, < 0 for large (there +4 at d = 10, −1.7 at d = 100)", "MNIST-VAE: C_T above 0"),
    ("ch. 2 (p. 22–43), Fig. 2.4", "MNIST-VAE: C_T falls as the code grows", "MNIST-VAE: C_T falls"),
    ("ch. 2 (p. 22–43), Fig. 2.5", "one model copies in one cell and underfits in another (there Z = −8.54 and +3.30)", "a model copies in one cell"),
    ("ch. 2 (p. 22–43), §2.4", "MNIST-VAE: all NN accuracies are above ½", "NN accuracies are all above"),
    ("app. B.3", "NDB is another question: a copier has as many different bins", "NDB is another question"),
    ("app. B.6", "the kernel discrepancy hardly moves for d > 50", "the kernel discrepancy hardly moves"),
    ("ch. 2 (p. 22–43), Figs 2.4d–e", "C_T is well below 0 until the truncation is near its maximum", "truncation: C_T far below 0"),
]  # fmt: skip
DOCUMENTS = [
    ("ch. 3 (p. 44–61), Fig. 3.4b", "DeepCandidate is useful below ε = 10", "DeepCandidate is useful below"),
    (
        "ch. 3 (p. 44–61), Fig. 3.4b",
        "truncation is near random at every ε",
        "near random at every ε (within 0.1 of chance)",
    ),
    (
        "ch. 3 (p. 44–61), Fig. 3.4b",
        "word-by-word metric DP is competitive only for ε ≥ 30",
        "Word metric-DP is competitive",
    ),
    ("ch. 3 (p. 44–61), Fig. 3.4b", "DeepCandidate saturates after ε ≈ 25", "It saturates after"),
    ("ch. 3 (p. 44–61), Fig. 3.4b", "about 10–15 % below not private", "10–15 % below not private, in the full"),
    (
        "ch. 3 (p. 44–61), Fig. 3.4e",
        "documents of more than 10–15 sentences embed well",
        "Documents of more than 10–15",
    ),
    ("ch. 3 (p. 44–61), Fig. 3.4c", "IMDb: useful at ε = 10", "useful at ε = 10 (above .6)"),
    ("ch. 3 (p. 44–61), Fig. 3.4c", "IMDb: truncation is near random", "(at most .6)"),
]

CLAIMS: list[Claim] = [
    *(collected(where, printed, "model", says) for where, printed, says in MEMORY),
    judged("ch. 1, §1.4.2 (p. 15)", "misrepresented below 5 % everywhere, memorised above 15 % at the end", "model", judges.partition),
    beyond("ch. 1 (p. 3–21), Table 1.9b", "DV@20: supervised 8.9, BYOL 8.0, SimCLR 10.0, DINO 14.5, Barlow Twins 30.5, VICReg 33.2", IMAGENET),
    beyond("ch. 1 (p. 3–21), Table 1.9b", "linear probes 55.3/61.1 … 40.3/55.2 %", IMAGENET),
    beyond("ch. 1 (p. 3–21), Fig. 1.4", "VICReg is right on about 95 % of its 1 % most confident images", IMAGENET),
    beyond("ch. 1 (p. 3–21), Fig. 1.5", "DV@20 below 10 % at 250 epochs, above 30 % at 1 000 (300k images): the levels", IMAGENET),
    beyond("ch. 1 (p. 3–21), Fig. 1.6", "the probe's gap falls by more than half from 100k to 500k images", IMAGENET),
    beyond("ch. 1, §1.4.2 (p. 15)", "at least 10 % of the training set is memorised", IMAGENET),
    beyond("ch. 1 (p. 3–21), §1.5", "reconstructions: the dam, the spider, the badger, the carrier", "there is no conditional diffusion model here, and the pictures have no numbers"),
    beyond("app. A, Figs A.1–A.8, A.10", "sweeps over layers, epochs, sizes and architectures", "their numbers stand in the pictures only"),
    *(collected(where, printed, "model", says) for where, printed, says in COPYING),
    judged("ch. 2 (p. 22–43), §2.4", "moons: σ = .01 copies, .13 is nearly the most likely, .5 underfits", "model", judges.moons),
    judged("ch. 2 (p. 22–43), Fig. 2.3", "the most likely bandwidth lies in −13 ≤ C_T ≤ 13 and is slightly over-fit", "model", judges.most_likely),
    judged("ch. 2 (p. 22–43), Thm 1", "Pr(|U/mn − Δ| ≥ t) ≤ exp(−2t²mn/(m+n)), two-sided", arithmetic.two_sided_bound, arithmetic.judge_two_sided_bound),
    judged("ch. 2 (p. 22–43), §2.3.1", "A = {1, 3, 5, 7}, B = {2, 4, 6}: U = 6, Z = 0", arithmetic.rank_sum, arithmetic.judge_rank_sum),
    collected("ch. 2 (p. 22–43), Figs 2.4d–e, 2.5, B.4–5", "BigGAN: coffee −3.1 → +.2, bubble −1.5 → +.6, schooner −2.3 → +.1; cells −1.46 … +1.32", "model", "BigGAN's own numbers"),
    judged("ch. 3 (p. 44–61), Table 3.1", ".953, .976, .957, .952 of the mass at depths 5, 3, 2, 1 of 5 000 candidates", "documents", judges.depth_mass),
    *(collected(where, printed, "documents", says) for where, printed, says in DOCUMENTS),
    judged("ch. 3 (p. 44–61), Fig. 3.4e", "at ε = 10 both baselines are at chance", "documents", judges.both_at_chance),
    judged("app. C.0.3", "a random guess has macro-F1 Σq²", "documents", judges.guess),
    judged("ch. 3 (p. 44–61), §3.5", "20 Newsgroups: 11 239 documents of at least two sentences (judged within 2 %)", "documents", judges.posts),
    beyond("ch. 3 (p. 44–61), Figs 3.4a, d", "GoodReads: 60 000 reviews in four classes, F1 against ε and length", "the corpus is not to be had"),
    beyond("ch. 3 (p. 44–61), §3.5", "IMDb: 29 000 reviews", "the package at hand has 25 000, of which 3 992 are used"),
    beyond("ch. 3 (p. 44–61), Fig. 3.4, levels", "F1 of DeepCandidate with SBERT", "no pretrained SBERT is here; sentence vectors of a word table stand in, so that only orders are judged"),
    judged("ch. 4 (p. 62–81), Fig. 4.1, §4.5", "Syn, 20 000 people: local privacy allows 8-way learning, a uniform shuffle none", shuffling.colour_map_at_20000, judges.extremes),
    judged("ch. 4 (p. 62–81), Fig. 4.1, §4.5", "the finest pattern goes first, the coarsest last: r_8 ≤ r_4 ≤ r_2 (α = 1)", shuffling.colour_map_at_20000, judges.coarse_last),
    judged("ch. 4 (p. 62–81), Fig. 4.1", "a Gaussian-process attacker: right after local privacy, less and less with two radii (α = 1), lost after a uniform shuffle", shuffling.gaussian_process_attacker, judges.process),
    judged("ch. 4 (p. 62–81), §4.5 (PUDF)", "ρ falls at r* (there 2.7 times)", shuffling.hospital_stays, judges.hospitals),
    judged("ch. 4 (p. 62–81), §4.5 (PUDF)", "at r = 0 groups are those of one place, and ρ is below that of local privacy already", shuffling.hospital_stays, judges.same_site),
    beyond("ch. 4 (p. 62–81), §4.5 (PUDF)", "the levels of ρ and λ on 29 000 psychiatric stays in Texas", "the discharge file is given on application only; made-up ones of its size are judged instead"),
    judged("ch. 4 (p. 62–81), §4.5 (Adult)", "ρ falls 1.7 times at the λ of local privacy for r = 1 year", shuffling.adult_incomes, judges.adult_r1),
    judged("ch. 4 (p. 62–81), §4.5 (Adult)", "there is a group size at which ρ falls 1.7 times at the λ of local privacy", shuffling.adult_incomes, judges.adult_nearest),
    judged("ch. 4 (p. 62–81), §4.5 (Adult)", "the attack weakens as α falls", shuffling.adult_incomes, judges.adult_alpha),
    judged("ch. 4 (p. 62–81), §4.5 (Twitch)", "groups by path length; 25 random neighbours vote; the shuffle lowers ρ", shuffling.friendship_graph, judges.friends),
    judged("ch. 4 (p. 62–81), §4.5 (Twitch)", "… and leaves something to learn (on made-up communities)", shuffling.community_graphs, judges.communities),
    beyond("ch. 4 (p. 62–81), §4.5 (Twitch)", "≈ 9K edges, explicit language, the levels of ρ and λ", "the Twitch graph is not here; friends on Gowalla and made-up communities are judged instead"),
    judged("ch. 4 (p. 62–81), §4.4", "worked example: z = y₁ y₂ y₅ y₈ y₃ y₇ y₆ y₄", shuffling.worked_permutations, judges.examples("z", [1, 2, 5, 8, 3, 7, 6, 4])),
    judged("ch. 4 (p. 62–81), §4.4.4", "the width of {1, 7, 8, 2, 5, 6} is 7", shuffling.worked_permutations, judges.examples("width", 7)),
    judged("app. D.1.10", "its Kendall sensitivity is 28", shuffling.worked_permutations, judges.sensitivity),
    judged("app. D.1.1", "Kendall distance 3", shuffling.worked_permutations, judges.examples("kendall", 3)),
    judged("app. D.1.1", "Hamming distance 2", shuffling.worked_permutations, judges.examples("hamming", 2)),
    judged("app. D.1.7", "80 % of S = {1, 4, 5, 7, 8} is preserved", shuffling.worked_permutations, judges.examples("preserved", 0.8)),
    judged("ch. 4 (p. 62–81), Thm 6", "Algorithm 1 is (α, 𝒢)-d_σ private", shuffling.enumerated_losses, judges.theorem_6),
    judged("ch. 4 (p. 62–81), Thm 5", "ε = .2, k = 5: α dominates the bound for α > 2", arithmetic.dominant_alpha, arithmetic.judge_dominant_alpha),
    judged("app. D.1.13, Fig. D.2", "(η, .01)-preservation of the middle places, n = 10 000", shuffling.preservation, judges.preserved),
    judged("app. D.1.13, Fig. D.2", "η grows with the size of S", shuffling.preservation, lambda row: judges.rises(row, "size")),
    judged("app. D.1.13, Fig. D.2", "η grows with α", shuffling.preservation, lambda row: judges.rises(row, "alpha")),
    judged("app. D.1.13, Fig. D.2", "η falls with the width ω", shuffling.preservation, lambda row: judges.rises(row, "width")),
    judged("app. D.1.16, Figs D.3–D.5", "ideal bands: BFS is within 2.5 times the best width", shuffling.reference_widths, judges.banded),
    judged("app. D.1.16, Figs D.3–D.5", "a random order has a width near n", shuffling.reference_widths, judges.random_order),
    judged("app. D.1.16, Figs D.3–D.5", "places on [0, 1], ten trials: BFS stays near the sorted order (within 2.75 times)", shuffling.reference_widths, judges.line),
    judged("app. D.1.16", "the width is 1 at r = 0", shuffling.reference_widths, judges.no_radius),
    beyond("app. D, Figs D.3–D.5", "the levels of their curves", NO_CURVE + "; their study (D.1.16) is made in full above"),
    *(
        judged(f"ch. 5 (p. 82–102), Fig. 5.2 ({case})", f"at equal error SDP_A leaves more uncertainty than {name} noise", "trace", judges.figure_5_2(case, column))
        for case in ("RBF basic", "RBF compound", "PER basic", "PER compound")
        for name, column in (("uniform", 3), ("concentrated", 5))
    ),
    judged("ch. 5 (p. 82–102), Fig. 5.2 (all secrets)", "SDP_B leaves no less uncertainty than uniform noise of its error", "trace", judges.every_time),
    judged("ch. 5 (p. 82–102), Fig. 5.2 (wrong prior)", "SDP_A's uncertainty changes little when the true length differs (judged: by a fifth)", "trace", judges.misjudged),
    judged("ch. 5 (p. 82–102), App. E.1.4", "GeoLife: the median of l_eff is about 6", "trace", judges.median_length("GeoLife, five minutes", 6.0)),
    judged("ch. 5 (p. 82–102), App. E.1.4", "GeoLife: quartiles of l_eff 2.67 / 6.10 / 8.00 (published code)", "trace", judges.lengths("GeoLife, five minutes", 0.05)),
    judged("ch. 5 (p. 82–102), App. E.1.4", "SML2010, room temperature: quartiles 1.040 / 1.097 / 1.145, median about 1.1", "trace", judges.lengths("SML2010, dining room, two days", 0.02, other="SML2010, outdoors, two days")),
    judged("ch. 5 (p. 82–102), §5.5", "the RBF correlation is above .8 for l_eff neighbours", arithmetic.kernel_correlation, arithmetic.judge_kernel_correlation),
    judged("ch. 5 (p. 82–102), Thm 5.3.3", "eq. 5.5 is the loss, whatever the noise", arithmetic.correlated_noise, arithmetic.judge_correlated_noise),
    judged("ch. 5 (p. 82–102), Thm 5.3.1", "λ = 5, ε = .1: odds change at most 3.49 times but for 1 %, 1.97 times but for 10 %", arithmetic.odds, arithmetic.judge_odds),
    beyond("ch. 5 (p. 82–102), App. E.1.1, illustrations", "heat maps of the noise, draws, the staff member's trace", NO_CURVE),
    judged("ch. 5 (p. 82–102), App. E.1.4", "latitude and longitude correlate by about .06 over 10 000 traces", data.correlated_coordinates, data.judge_correlated_coordinates),
]  # fmt: skip
