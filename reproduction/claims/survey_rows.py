"""Meehan ch. 4 and app. D: the rows that judge the figures on shuffling, at the sizes of the dissertation."""

from __future__ import annotations

import math
import time
from collections import deque
from typing import Any

import numpy as np

from reproduction._rows import recipe
from sfumato.auditor.auditor import audit
from sfumato.mechanism import RandomizedResponse
from sfumato.noise import seeded_rng
from sfumato.survey import (
    BayesianAttack,
    Collection,
    Groups,
    Learnability,
    MajorityVoteAttack,
    Prediction,
    Shuffler,
    bfs_order,
    chosen_order,
    cuthill_mckee_order,
    empirical_preservation,
    linked_order,
    preserved_share,
    sorted_order,
)
from sfumato.survey.core.order import group_sensitivities, group_widths, printed_sensitivity
from sfumato.survey.data.public_sets import adult_survey
from sfumato.survey.data.survey import Survey, make_colour_map, make_hospital_stays
from sfumato.survey.examples import audit_cases
from sfumato.survey.permutation.mallows import hamming_distance, kendall_distance

PEOPLE = 20_000
COLOURS = RandomizedResponse(epsilon=2.55, categories=8)
PRESERVED = {
    (4, 10): (0.75, 0.975, 0.990, 0.995),
    (4, 30): (0.13, 0.82, 0.93, 0.96),
    (4, 100): (0.01, 0.18, 0.44, 0.69),
    (4, 300): (0.0, 0.09, 0.23, 0.50),
    (1, 30): (0.02, 0.44, 0.73, 0.87),
    (10, 30): (0.42, 0.93, 0.97, 0.99),
}
"""(η, δ)-preservation of the specification at l = 100, 1000, 2500, 5000, by α and ω."""


@recipe()
def worked_permutations() -> dict[str, Any]:
    """The worked examples of §4.4 and D.1."""
    swapped = np.array([1, 2, 3, 6, 5, 4, 7, 8, 9, 10]) - 1
    order = np.array([1, 3, 7, 8, 6, 4, 5, 2, 9, 10]) - 1
    members = sorted(i - 1 for i in (1, 7, 8, 2, 5, 6))
    groups = Groups.from_lists([members if i == 0 else [i] for i in range(10)])
    width = int(group_widths(groups, order).max())
    reference, drawn = np.array([5, 2, 3, 8, 4, 1, 6, 7]) - 1, np.array([3, 2, 5, 4, 8, 1, 7, 6]) - 1
    moved = np.empty(8, int)
    moved[reference] = drawn
    sigma = np.array([5, 3, 2, 6, 7, 9, 8, 1, 4, 10]) - 1
    return {
        "kendall": int(kendall_distance(swapped, range(10))),
        "hamming": int(hamming_distance(swapped, range(10))),
        "z": [int(i) + 1 for i in moved],
        "width": width,
        "printed sensitivity": int(printed_sensitivity(width)),
        "exact sensitivity": int(group_sensitivities(groups, order).max()),
        "preserved": float(preserved_share(sigma, np.array([1, 4, 5, 7, 8]) - 1)),
    }


@recipe()
def enumerated_losses() -> list[list[Any]]:
    """Theorem 6 by enumeration of all outputs of five owners: promised α and the largest log-ratio."""
    cases = [case for case in audit_cases() if isinstance(case.mechanism, Shuffler)]
    return [[case.label, float((found := audit(case)).promised), float(found.found)] for case in cases]


@recipe()
def colour_map_at_20000() -> list[dict[str, Any]]:
    """Fig. 4.1 at its size: 20 000 people, ε = 2.55, α = 1; accuracy by eight, four and two colours, CPU seconds."""
    survey = make_colour_map(PEOPLE)
    found = [_colours("local privacy only", survey, Collection(front=COLOURS), 0.0)]
    for radius in (0.005, 0.01, 0.02, 0.04, 0.08, 0.16):
        groups = Groups.from_places(survey.where, radius=radius)
        for name, of in (("linked", radius), ("linked at twice the radius", 2 * radius)):
            order = linked_order(Groups.from_places(survey.where, radius=of), survey.where)
            shuffler = Shuffler(alpha=1.0, groups=groups, order=order)
            collection = Collection(front=COLOURS, shuffler=shuffler)
            found.append(_colours(name, survey, collection, radius) | {"travels": 1 / shuffler.theta})
    everyone = Shuffler(alpha=0.0, groups=Groups.everyone(survey.n))
    return [*found, _colours("uniform shuffle", survey, Collection(front=COLOURS, shuffler=everyone), math.inf)]


def _colours(name: str, survey: Survey, collection: Collection, radius: float) -> dict[str, Any]:
    started, rng = time.process_time(), seeded_rng(0)
    release = collection.release(survey, rng=rng)
    scores = [Prediction(merge=merge).measure(survey, release, rng=rng).value for merge in (1, 2, 4)]
    spent = time.process_time() - started
    return {"order": name, "radius": radius if radius < 9 else None, "accuracy": scores, "cpu": round(spent, 2)}


@recipe()
def gaussian_process_attacker() -> list[dict[str, Any]]:
    """Fig. 4.1's attacker: a Gaussian-process classifier of the reports around guesses 1 000 owners' colours."""
    survey = make_colour_map(PEOPLE)
    lines: list[tuple[str, Collection]] = [("local privacy only", Collection(front=COLOURS))]
    for radius in (0.01, 0.04):
        groups = Groups.from_places(survey.where, radius=radius)
        order = linked_order(Groups.from_places(survey.where, radius=2 * radius), survey.where)
        shuffler = Shuffler(alpha=1.0, groups=groups, order=order)
        lines.append((f"r = {radius:g}", Collection(front=COLOURS, shuffler=shuffler)))
    lines.append(("uniform", Collection(front=COLOURS, shuffler=Shuffler(alpha=0.0, groups=Groups.everyone(PEOPLE)))))
    found = []
    for name, collection in lines:
        scores = []
        for seed in range(3):
            rng = seeded_rng(seed)
            release = collection.release(survey, rng=rng)
            scores.append(_gaussian_process(survey, release.answers, rng))
        found.append({"release": name, "mean": float(np.mean(scores)), "spread": float(np.std(scores, ddof=1))})
    return found


def _gaussian_process(survey: Survey, reports: np.ndarray, rng: np.random.Generator) -> float:
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel

    chosen = rng.permutation(survey.n)
    learned, asked = chosen[:800], chosen[800:1800]
    kernel = ConstantKernel(9.0, "fixed") * RBF(0.15, "fixed")
    model = GaussianProcessClassifier(kernel, optimizer=None).fit(survey.where[learned], reports[learned])
    return float(np.mean(model.predict(survey.where[asked]) == survey.answers[asked]))


@recipe()
def hospital_stays() -> list[dict[str, Any]]:
    """PUDF-like: 29 000 stays, ε = 2.5, α = 4: ρ of the vote within r* = 10 km, and λ; 3 trials.

    At 200 hospitals the largest have 600 patients, and α = 4 is a uniform shuffle at r = 0 already; at 2 000 it is not.
    """
    found = []
    for sites in (200, 2000):
        survey = make_hospital_stays(29_000, sites=sites)
        front = RandomizedResponse(epsilon=2.5, categories=survey.k)
        lines: list[tuple[str, Collection]] = [("local privacy only", Collection(front=front))]
        for radius in (0.0, 1.0, 2.0, 5.0, 10.0):
            groups = Groups.from_places(survey.where, radius=radius)
            order = chosen_order(groups, survey.where, alpha=4.0).order
            shuffler = Shuffler(alpha=4.0, groups=groups, order=order)
            lines.append((f"r = {radius:g} km", Collection(front=front, shuffler=shuffler)))
        everyone = Shuffler(alpha=0.0, groups=Groups.everyone(survey.n))
        lines.append(("uniform", Collection(front=front, shuffler=everyone)))
        for name, collection in lines:
            row = _trials(f"{sites} hospitals, {name}", survey, collection, radius=10.0)
            shuffler = collection.shuffler
            found.append(row | {"travels": None if shuffler is None or not shuffler.theta else 1 / shuffler.theta})
    return found


@recipe("adult")
def adult_incomes() -> list[dict[str, Any]]:
    """Adult, ε = 2.5: ρ, ρ of those above 50K, the Bayesian attacker and λ with r* = 1 year; 3 trials."""
    survey = adult_survey()
    order = sorted_order(survey.where[:, 0])
    front = RandomizedResponse(epsilon=2.5, categories=2)
    lines: list[tuple[str, Collection]] = [("local privacy only", Collection(front=front))]
    for alpha in (1.0, 4.0, 16.0):
        shuffler = Shuffler(alpha=alpha, groups=Groups.banded(order, reach=5), order=order)
        lines.append((f"11 nearest, α = {alpha:g}", Collection(front=front, shuffler=shuffler)))
    shuffler = Shuffler(alpha=4.0, groups=Groups.from_places(survey.where, radius=1.0), order=order)
    lines.append(("r = 1 year, α = 4", Collection(front=front, shuffler=shuffler)))
    return [_trials(name, survey, collection, radius=1.0, rare=1) for name, collection in lines]


def _trials(name: str, survey: Survey, collection: Collection, *, radius: float, rare: int | None = None) -> Any:
    attacks: list[Any] = [MajorityVoteAttack(radius=radius)]
    if rare is not None:
        attacks += [MajorityVoteAttack(radius=radius, answer=rare), BayesianAttack(radius=radius)]
    found = []
    for trial in range(3):
        rng = seeded_rng(trial)
        release = collection.release(survey, rng=rng)
        row = [one.attack(survey, release, mechanism=collection, rng=rng).value for one in attacks]
        found.append([*row, Learnability(radius=radius, unbiased=False).measure(survey, release, rng=rng).value])
    names = ["rho", "rho of the rare", "bayes", "lambda"] if rare is not None else ["rho", "lambda"]
    mean, spread = np.mean(found, axis=0), np.std(found, axis=0, ddof=1)
    return {"release": name} | {key: [float(m), float(s)] for key, m, s in zip(names, mean, spread, strict=True)}


@recipe("gowalla")
def friendship_graph() -> dict[str, Any]:
    """Twitch's place: Gowalla friends; the answer is a home near the commonest city; groups by path length, α = 4."""
    from scipy import sparse

    from sfumato.io.datasets.catalogue import load_packed_csv
    from sfumato.io.frames import column

    visits, friends = load_packed_csv("gowalla/visits.csv.xz"), load_packed_csv("gowalla/friends.csv.xz")
    venues = load_packed_csv("gowalla/venues.csv.xz")
    place = {v: (a, o) for v, a, o in zip(*(column(venues, c) for c in ("venue", "lat", "lon")), strict=True)}
    users = np.unique(column(visits, "user"))
    number = {user: i for i, user in enumerate(users)}
    home: dict[int, tuple[int, Any]] = {}
    for user, venue, count in zip(*(column(visits, c) for c in ("user", "venue", "visits")), strict=True):
        home[number[user]] = max(home.get(number[user], (0, None)), (int(count), venue))
    where = np.array([place[home[i][1]] for i in range(len(users))])
    cells, counts = np.unique(np.round(where), axis=0, return_counts=True)
    answers = (np.abs(where - cells[counts.argmax()]).max(axis=1) <= 0.75).astype(np.int64)
    pairs = [(number[a], number[b]) for a, b in zip(column(friends, "user"), column(friends, "friend"), strict=True)
             if a in number and b in number and a != b]  # fmt: skip
    rows, columns = np.array(pairs).T
    graph = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(users), len(users)))
    graph = ((graph + graph.T) > 0).astype(np.int8)
    near = Groups.from_graph(graph, hops=2)
    found: dict[str, Any] = {"people": len(users), "friendships": int(graph.sum() // 2), "share": float(answers.mean())}
    front = RandomizedResponse(epsilon=2.5, categories=2)
    found["rho"] = {"local privacy only": _graph_votes(answers, near, front, None)}
    for hops in (1, 2):
        groups = Groups.from_graph(graph, hops=hops)
        shuffler = Shuffler(alpha=4.0, groups=groups, order=cuthill_mckee_order(groups))
        found["rho"][f"{hops} step{'s' * (hops > 1)}"] = _graph_votes(answers, near, front, shuffler)
    uniform = Shuffler(alpha=0.0, groups=Groups.everyone(len(users)))
    found["rho"]["uniform"] = _graph_votes(answers, near, front, uniform)
    return found


@recipe()
def community_graphs() -> list[dict[str, Any]]:
    """Twitch-like: 9 000 people in 300 communities of 30 regions that mostly agree, and friendships at random; α = 4.

    ``across`` is how many random friendships there are for each person. ``told`` is the share of regions whose commoner
    answer the release tells.
    """
    people, size, found = 9_000, 30, []
    for across in (0.0, 0.001, 0.01, 0.1):
        rng = seeded_rng(7)
        community, region = np.arange(people) // size, np.arange(people) // (10 * size)
        agreed = (rng.random(people // size) < 0.8) == np.repeat(rng.random(30) < 0.4, 10)
        answers = np.where(rng.random(people) < 0.9, agreed[community], ~agreed[community]).astype(np.int64)
        pairs = [
            (i, i - i % size + (i % size + step) % size) for i in range(people) for step in (1, rng.integers(2, 5))
        ]
        pairs += [(i, i - size) for i in range(size, people, size)]
        pairs += [tuple(rng.integers(0, people, 2)) for _ in range(int(across * people))]
        near = Groups.from_friends(np.arange(people), pairs, hops=2)
        front = RandomizedResponse(epsilon=2.5, categories=2)
        lines: list[tuple[str, Shuffler | None]] = [("local privacy only", None)]
        for hops in (1, 2):
            groups = Groups.from_friends(np.arange(people), pairs, hops=hops)
            shuffler = Shuffler(alpha=4.0, groups=groups, order=cuthill_mckee_order(groups))
            lines.append((f"{hops} step{'s' * (hops > 1)}", shuffler))
        lines.append(("uniform", Shuffler(alpha=0.0, groups=Groups.everyone(people))))
        for name, shuffler in lines:
            travels = None if shuffler is None or not shuffler.theta else 1 / shuffler.theta
            told = _told(answers, region, Collection(front=front, shuffler=shuffler))
            rho = _graph_votes(answers, near, front, shuffler)
            found.append({"across": across, "groups": name, "travels": travels, "rho": rho, "told": told})
    return found


def _told(answers: np.ndarray, region: np.ndarray, collection: Collection) -> list[float]:
    """The share of regions whose commoner answer is told; mean and spread of 5 trials."""
    true, shares = np.bincount(region, answers) * 2 > np.bincount(region), []
    for trial in range(5):
        rng = seeded_rng(trial)
        moved = collection.permutation(len(answers), rng=rng)
        seen = collection.report(answers, rng=rng)[moved]
        shares.append(float(np.mean((np.bincount(region, seen) * 2 > np.bincount(region)) == true)))
    return [float(np.mean(shares)), float(np.std(shares, ddof=1))]


def _graph_votes(answers: np.ndarray, near: Groups, front: Any, shuffler: Shuffler | None) -> list[float]:
    """ρ of those who gave the rare answer: 25 random people within two steps vote; mean and spread of 5 trials."""
    rare = int(answers.mean() < 0.5)
    targets = [i for i in np.flatnonzero(answers == rare) if near.members(i).size > 1]
    shares = []
    for trial in range(5):
        rng = seeded_rng(trial)
        asked = rng.choice(targets, size=min(800, len(targets)), replace=False)
        who = [rng.choice(near.members(i), size=min(25, near.members(i).size), replace=False) for i in asked]
        collection = Collection(front=front, shuffler=shuffler)
        moved = collection.permutation(len(answers), rng=rng)
        hits = np.zeros(len(asked))
        for _ in range(50):
            reports = collection.report(answers, rng=rng)[moved]
            hits += np.array([reports[voters].mean() > 0.5 for voters in who]) == bool(rare)
        shares.append(float(np.mean(hits >= 45)))
    return [float(np.mean(shares)), float(np.std(shares, ddof=1))]


@recipe()
def preservation() -> list[dict[str, Any]]:
    """Fig. D.2 in full: largest η that 99 % of 50 draws keep, n = 10 000, the middle l places."""
    found = []
    for (alpha, width), reference in PRESERVED.items():
        for size, known in zip((100, 1000, 2500, 5000), reference, strict=True):
            middle = np.arange(size) + (10_000 - size) // 2
            eta = empirical_preservation(10_000, alpha / printed_sensitivity(width), middle, rng=seeded_rng(0))
            found.append({"alpha": alpha, "width": width, "size": size, "reference": known, "ours": float(eta)})
    return found


@recipe()
def reference_widths() -> list[dict[str, Any]]:
    """D.1.16 in full (Figs D.3–D.5): widths of reference orders for ideal bands and for places on [0, 1]; 10 trials."""
    found = []
    for n in (200, 1000):
        for share in (0.02, 0.05, 0.1, 0.2):
            rows = []
            for trial in range(10):
                hidden = seeded_rng(trial).permutation(n)
                groups = Groups.banded(hidden, reach=round(n * share / 2))
                listed = _listed_bfs(groups, np.argsort(hidden))
                rows.append(_widths(groups, hidden, listed, trial))
            found.append({"case": "bands", "n": n, "of": share, "widths": np.mean(rows, axis=0).tolist()})
        for radius in (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2):
            rows = []
            for trial in range(10):
                places = seeded_rng(trial).random(n)
                groups = Groups.from_places(places, radius=radius)
                best = sorted_order(places)
                rows.append(_widths(groups, best, _listed_bfs(groups, np.argsort(best)), trial))
            found.append({"case": "[0, 1]", "n": n, "of": radius, "widths": np.mean(rows, axis=0).tolist()})
    return found


def _widths(groups: Groups, best: np.ndarray, listed: np.ndarray, trial: int) -> list[int]:
    """Best order, BFS by number, BFS as groups are listed, Cuthill–McKee, random."""
    orders = (
        best,
        bfs_order(groups),
        listed,
        cuthill_mckee_order(groups),
        seeded_rng(trial + 100).permutation(groups.n),
    )
    return [int(group_widths(groups, order).max()) for order in orders]


def _listed_bfs(groups: Groups, place: np.ndarray) -> np.ndarray:
    """Breadth-first search that visits the members of a group as it lists them: along the line."""
    lists = [members[np.argsort(place[members])] for members in (groups.members(i) for i in range(groups.n))]
    starts = sorted(range(groups.n), key=lambda i: -lists[i].size)
    seen, order = np.zeros(groups.n, bool), []
    for start in starts:
        waiting = deque([] if seen[start] else [start])
        seen[start] = True
        while waiting:
            one = waiting.popleft()
            order.append(one)
            fresh = lists[one][~seen[lists[one]]]
            seen[fresh] = True
            waiting.extend(fresh)
    return np.array(order)
