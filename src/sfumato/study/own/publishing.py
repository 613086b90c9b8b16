"""Your own file through the whole loop: propose, protect, attack, measure, decide, certify."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import InfeasibleError, InputError, SfumatoError, bad_input
from sfumato.io.atomic import check_output, output_folder
from sfumato.io.formats.endings import require_format, table_format
from sfumato.io.formats.formulas import FORMULA_NOTE, disarmed, disarmed_name
from sfumato.io.texts import document_format
from sfumato.noise import Rng
from sfumato.registry import room_module, rooms
from sfumato.release import Adversary, Release, Risk, Terms
from sfumato.release.issuance import OWNER_ONLY
from sfumato.release.signature import read_private
from sfumato.study.door import Dialect, risks_of, uses_of
from sfumato.study.own.decisions import Decisions
from sfumato.study.report.certificate import write_certificate
from sfumato.study.score import Finding, Note, Score, silent
from sfumato.study.threshold import Threshold
from sfumato.validate import extra

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Candidate", "Proposal", "Published", "Trial", "looks_like", "publish"]


_FEW = 6
"""Columns of a table that is a path, at most: one with more describes somebody."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A way to protect the data that is worth trying.

    Parameters
    ----------
    name : str
        What a reader sees, such as ``"local recoding, k = 12"``.
    protect : callable
        Takes terms and generator and gives the release.
    settings : mapping
        Arguments that repeat it, for ``decisions.toml``.
    cost : callable
        How much of the data is lost, from what was measured; the least wins among those that keep the limits.
    """

    name: str
    protect: Callable[[Terms, Rng | None], Release]
    settings: Mapping[str, Any]
    cost: Callable[[Sequence[Finding]], float] = lambda found: 0.0


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """What a kind of data proposes for a file: decisions and the candidates to try.

    Parameters
    ----------
    write_schema : callable, optional
        Writes what the decisions rest on beside them (roles and hierarchies) and gives the name of the file.
    """

    decisions: Decisions
    candidates: Sequence[Candidate]
    write_schema: Callable[[Path], str] | None = None


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A candidate that was tried: its release, what attacks achieved, what is left, and which limits it breaks."""

    candidate: Candidate
    release: Release | None
    attacked: Sequence[Finding] = ()
    measured: Sequence[Finding] = ()
    broken: Sequence[str] = ()
    reason: str = ""

    @property
    def kept(self) -> bool:
        """Whether it could be made and keeps every limit."""
        return self.release is not None and not self.broken


@dataclass(frozen=True, kw_only=True)
class Published:
    """What came of :func:`publish`: the release that was chosen, all that were tried, and the decisions."""

    release: Release
    chosen: Trial
    trials: tuple[Trial, ...]
    decisions: Decisions
    folder: Path


def publish(
    input: str | Path,
    out: str | Path,
    *,
    kind: str | None = None,
    decisions: Decisions | str | Path | None = None,
    protect: Mapping[str, Any] | None = None,
    limit: float | None = None,
    context: Mapping[str, Any] | None = None,
    description: str | None = None,
    terms: Terms | None = None,
    dialect: Dialect | None = None,
    sign: str | Path | None = None,
    format: str = "csv",
    spreadsheet: bool = False,
    rng: Rng | None = None,
    note: Note = silent,
) -> Published:
    """Take a file through the whole loop and write everything that leaves, with its papers.

    Roles are proposed with reasons, sensible methods are tried and attacked, and the one that loses least among those
    that keep the limits is released. ``out`` then holds ``release.csv``, its card and ``certificate.html``;
    ``out/private`` (mode 0700, not to be handed on) holds ``decisions.toml``, which repeats it, the schema and the key.

    Parameters
    ----------
    kind : str, optional
        The kind of data; by default what the file looks like.
    decisions : Decisions or path, optional
        Earlier decisions to repeat. Nothing is proposed then.
    protect : mapping, optional
        Arguments of the kind's ``protect``. Kinds of data without a proposal of their own need them.
    limit : float, optional
        The largest risk of any record that is accepted; by default a published one, which the certificate names.
    context : mapping, optional
        Recipient, purpose, sharing model and controls, as in :class:`~sfumato.release.Context`.
    description : str, optional
        What the data are, in words.
    terms : Terms, optional
        Who pays; only the release that is chosen is charged.
    spreadsheet : bool
        Disarm texts that a spreadsheet would run as formulas (:func:`~sfumato.io.formats.formulas.disarmed`).
    note : callable
        Is told what is done and what came of it.

    Notes
    -----
    A method that promises differential privacy is tried once, with the parameters given: choosing the best of several
    draws by looking at the private data would not be covered by the promise. Recoding is deterministic and promises
    form only, so that several can be compared.
    """
    extra("jinja2", "report")  # what is missing is said before the work, and before anything is paid
    require_format(table_format(f"release.{format}", writing=True), writing=True)
    if sign is not None:
        read_private(sign)
    book = terms or Terms()
    read = dialect or Dialect()
    documents = str(input) != "-" and (Path(input).is_dir() or document_format(input, read.format) is not None)
    table = read.read_texts(input, "text") if documents else read.read(input)
    if isinstance(decisions, str | Path):
        decisions = Decisions.read(decisions)
    chosen_kind = kind or (decisions.kind if decisions else looks_like(input, table))
    if chosen_kind not in rooms():
        raise bad_input("kind of data", chosen_kind, "one of " + ", ".join(rooms()))
    proposal = _proposal(chosen_kind, table, decisions, dict(protect or {}), limit)
    folder = output_folder(out)
    check_output(folder / f"release.{format}", input)
    decided = proposal.decisions
    decided = replace(decided, context=replace(decided.context, **dict(context or {})))
    if description is not None:
        decided = replace(decided, source=replace(decided.source, description=description))
    for one in decided.roles:
        note(f"{one.column}: {one.role}" + (f" ({one.reason})" if one.reason else ""))
    trials = tuple(_try(one, table, decided, rng, note) for one in proposal.candidates)
    best = _best(trials)
    private = output_folder(folder / "private")
    os.chmod(private, 0o700)
    decided = replace(decided, protect=dict(best.candidate.settings))
    if proposal.write_schema is not None:
        decided = replace(decided, schema=proposal.write_schema(private))
    digest = decided.write(private / "decisions.toml")
    risk = [_limited(one, decided.limits) for one in risks_of(best.attacked)]
    utility = uses_of(best.measured)
    release = _final(best, book, decided, digest).assessed(risk, utility)
    if spreadsheet:
        release = _disarmed(release)
    card = release.write(folder / f"release.{format}", key=private / "release.key", sign=sign)
    write_certificate(card, folder / "certificate.html")
    if OWNER_ONLY in card.not_covered:
        write_certificate(card, private / "certificate.html", risk=risk, utility=utility)
    final = replace(release, card=card)
    return Published(release=final, chosen=best, trials=trials, decisions=decided, folder=folder)


def _proposal(
    kind: str, table: pa.Table, decisions: Decisions | None, protect: dict[str, Any], limit: float | None
) -> Proposal:
    if find_spec(f"sfumato.{kind}.publishing") is not None:
        found: Proposal = room_module(kind, "publishing").propose(
            table, decisions=decisions, protect=protect, limit=limit
        )
        return found
    decided = decisions or Decisions(kind=kind)
    given = {**decided.protect, **protect}
    if not given:
        raise InputError(
            f"{kind} needs to know how to protect: say --set name=value for the arguments of sfumato {kind} protect, "
            f"{_arguments(kind)}"
        )
    decided = replace(decided, protect=given)
    call = room_module(kind, "protection").protect
    candidate = Candidate(
        name=str(given.get("mechanism", kind)),
        settings=given,
        protect=lambda terms, rng: call(table, **given, terms=terms, rng=rng),
    )
    return Proposal(decisions=decided, candidates=[candidate])


def _arguments(kind: str) -> str:
    """The first few arguments of a kind's ``protect``, for a message."""
    names = list(inspect.signature(room_module(kind, "protection").protect).parameters)[1:]
    return "such as " + ", ".join(names[:4])


def _try(candidate: Candidate, table: pa.Table, decided: Decisions, rng: Rng | None, note: Note) -> Trial:
    """Protect, attack and measure; what cannot be done is a trial with a reason."""
    note(f"trying {candidate.name}")
    try:
        release = candidate.protect(Terms(ledger=False), rng)  # nothing leaves yet
    except (InfeasibleError, InputError) as error:
        note(f"{candidate.name}: not possible: {error}")
        return Trial(candidate=candidate, release=None, reason=str(error))
    attacked = _run(partial(release.attack, table, **decided.attack), "attacks")
    measured = _run(partial(release.measure, table), "measures")
    broken = [
        f"{name}: {one.score.value:.4g}, limit {limit.value:.4g}"
        for name, limit in decided.limits.items()
        for one in attacked
        if one.name == name and not one.score.value <= limit.value
    ]
    untested = [name for name in decided.limits if name not in {one.name for one in attacked}]
    broken += [f"{name}: not tested" for name in untested]
    note(f"{candidate.name}: " + ("keeps every limit" if not broken else "breaks " + "; ".join(broken)))
    return Trial(candidate=candidate, release=release, attacked=attacked, measured=measured, broken=broken)


def _run(work: Callable[[], Sequence[Finding]], what: str) -> Sequence[Finding]:
    try:
        return work()
    except SfumatoError as error:
        return [Finding(name=what, score=Score(float("nan")), reason=str(error))]


def _best(trials: Sequence[Trial]) -> Trial:
    kept = [trial for trial in trials if trial.kept]
    if not kept:
        reasons = "; ".join(f"{one.candidate.name}: {one.reason or ', '.join(one.broken)}" for one in trials)
        raise InfeasibleError(f"nothing that was tried keeps the limits ({reasons}); set other limits or other roles")
    return min(kept, key=lambda trial: trial.candidate.cost(trial.measured))


def _final(best: Trial, book: Terms, decided: Decisions, digest: str) -> Release:
    """The chosen release under its real terms, paid."""
    assert best.release is not None
    terms = replace(
        book,
        source=decided.source,
        context=decided.context,
        people=decided.people,
        valid_until=decided.valid_until,
    )
    release = best.release.under(terms)
    card = replace(
        release.card,
        adversary=tuple(Adversary(knows=words) for words in dict.fromkeys(one.knows for one in best.attacked) if words),
        decisions_sha256=digest,
        reassess_when=decided.reassess_when,
    )
    return replace(release, card=card)


def _disarmed(release: Release) -> Release:
    """The release in which no text is a formula to a spreadsheet; its card says so where that changed something."""
    table = disarmed(release.arrow)
    if table.equals(release.arrow):
        return release
    columns = tuple(replace(one, name=disarmed_name(one.name)) for one in release.card.release.columns)
    content = replace(release.card.release, columns=columns)
    card = replace(release.card, release=content, not_covered=(*release.card.not_covered, FORMULA_NOTE))
    return replace(release, table=table, card=card)


def _limited(risk: Risk, limits: Mapping[str, Threshold]) -> Risk:
    limit = limits.get(risk.attack)
    if limit is None:
        return risk
    return replace(risk, threshold=limit.value, threshold_source=limit.origin, met=risk.score <= limit.value)


def looks_like(input: str | Path, table: pa.Table) -> str:
    """A guess from the name and the columns: a track, texts, a log of events, or a table."""
    columns = {name.lower() for name in table.column_names}
    placed = any(pair <= columns for pair in ({"latitude", "longitude"}, {"lat", "lon"}, {"lat", "lng"}))
    if Path(str(input)).suffix.lower() == ".gpx" or (placed and columns & {"time", "t"} and len(columns) <= _FEW):
        return "trace"
    if Path(str(input)).is_dir() or document_format(input) is not None or "text" in columns:
        return "text"
    if {"user", "item", "time"} <= columns:
        return "activity"
    return "table"
