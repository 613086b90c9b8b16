"""Sanitised documents leave through the door: papers, residual risk, what stays behind; and the commands."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from sfumato.errors import InfeasibleError, InputError
from sfumato.io.files import read_table
from sfumato.ledger import Ledger
from sfumato.promise import PureDP
from sfumato.release import Card, Key, Release, verify
from sfumato.release.signature import make_keys
from sfumato.text import (
    CarefulSearcher,
    PlainAnalyser,
    Sanitiser,
    SearchAttack,
    SearchIndex,
    residual_risk,
    sanitised_release,
    what_is_left,
    wider_risk,
)

ANALYSER = PlainAnalyser()


class Silent:
    """A service that never answers."""

    def search(self, words, hits, *, together="all"):
        raise TimeoutError


def test_commands_from_file_to_file(tmp_path, planted):
    from typer.testing import CliRunner

    from sfumato.cli.app import app

    def lines(path, records):
        path.write_text("".join(json.dumps(record) + "\n" for record in records))

    news, reports = tmp_path / "news.jsonl", tmp_path / "reports.jsonl"
    lines(news, [{"text": text} for text in planted.articles])
    rows = list(range(40))
    lines(
        reports,
        [
            {"id": k, "text": planted.reports[k], "who": "; ".join(planted.names[k]), "label": planted.labels[k]}
            for k in rows
        ],
    )

    def call(*words):
        return CliRunner().invoke(app, ["text", *map(str, words)])

    idx, out, page, key = (tmp_path / name for name in ("news.idx", "out.jsonl", "page.html", "key"))
    built = call("index", news, "-o", idx, "--language", "plain")
    assert built.exit_code == 0, built.output
    looked = call("sanitise", reports, "--search-index", idx, "--names", "who")
    assert looked.exit_code == 0, looked.output
    assert "searches that name the person" in looked.stdout
    assert "no guarantee" in looked.stderr
    book, certificate, office = tmp_path / "book.db", tmp_path / "certificate.html", tmp_path / "office.key"
    with Ledger(book) as ledger:
        ledger.set("school", PureDP(5.0))
    make_keys(office)
    papers = ("--ledger", book, "--subject", "school", "--sign", office, "--certificate", certificate, "--key", key)
    given = ("sanitise", reports, "--search-index", idx, "--names", "who", "-o", out, "--keep", "id", "--report", page)
    done = call(*given, "--label", "label", "--attack", *papers)
    assert done.exit_code == 0, done.output
    written = [json.loads(line) for line in out.read_text().splitlines()]
    assert [sorted(one) for one in written] == [["id", "text"]] * 40
    assert [one["id"] for one in written] != rows  # the order is lost
    held = Key.read(key)
    assert [one["id"] for one in written] == held.rows.tolist()
    card = Card.read(tmp_path / "out.jsonl.card.json")
    assert card.promise["kind"] == "NoGuarantee"
    assert card.risk[0].score == 0.0
    assert "three times the pages" in card.risk[1].attack
    assert "method known" in card.risk[2].attack
    assert {use.use for use in card.utility} == {"words kept", "cosine of words", "label told"}
    assert not card.ledger.paid
    assert verify(out, ledger=book, public_key=tmp_path / "office.key.pub").holds
    assert "search (as sanitised against)" in certificate.read_text()
    again = call("sanitise", out, "--search-index", idx)  # without names: the index decides
    assert again.exit_code == 0, again.output
    assert "<mark>" in page.read_text()
    with pytest.raises(InputError, match="search again"):
        Release.read(out, key=key).attack(read_table(reports))
    out.write_text(out.read_text().replace("school", "shop", 1))
    assert not verify(out).holds
    other = tmp_path / "other.jsonl"
    for wrong in (
        ("sanitise", reports, "--search-index", idx, "-o", reports),
        ("sanitise", reports, "--search-index", tmp_path, "-o", other),
        ("sanitise", reports, "--search-index", idx, "--names", "nobody"),
        ("sanitise", reports, "--search-index", idx, "--keep", "text", "-o", other),
        ("sanitise", reports, "--search-index", idx, "--key", tmp_path / "k"),
        ("sanitise", reports, "--search-index", idx, "--interest", "fatal=2"),
        ("sanitise", reports, "--search-index", idx, "--weight", "names=2"),
        ("sanitise", reports, "--search-index", idx, "--risky", "sell", "-o", other),
        ("sanitise", reports, "--search-index", idx, "--subject", "x", "-o", other),
        ("index", news, "-o", idx),
    ):
        assert isinstance(call(*wrong).exception, InputError), wrong
    assert not other.exists()


def test_what_is_still_found_or_was_not_checked_does_not_leave(planted, news):
    """Zero rounds find people and change nothing; a service that is silent checks nothing."""
    texts, names = list(planted.reports[:60]), planted.names[:60]
    table = pa.table({"text": texts, "id": list(range(60))})
    idle = Sanitiser(attack=SearchAttack(searcher=news), rounds=0)
    made = idle.sanitise(texts, names=names, background=planted.background)
    found = [k for k, one in enumerate(made) if one.state == "still found"]
    assert found
    release = sanitised_release(table, made, idle, keep=["id"])
    assert set(release.data["id"].to_pylist()).isdisjoint(found)
    assert release.card.release.rows_suppressed == len(found)
    assert release.card.risk[0].score == 0.0
    risky = sanitised_release(table, made, idle, risky="release")
    assert risky.card.risk[0].score == pytest.approx(len(found) / 60)
    assert f"{len(found)} documents that are still found" in risky.card.not_covered
    careful = CarefulSearcher(searcher=Silent(), retries=0)
    silent = Sanitiser(attack=SearchAttack(searcher=careful, keywords=1, whole=False))
    unchecked = silent.sanitise(texts, names=names)
    with pytest.raises(InfeasibleError, match="nothing can leave"):
        sanitised_release(table, unchecked, silent)
    assert (
        "60 documents that were not checked"
        in sanitised_release(table, unchecked, silent, risky="release").card.not_covered
    )
    for wrong in ({"keep": ["text"]}, {"keep": ["nobody"]}, {"column": "nothing"}, {"risky": "sell"}):
        with pytest.raises(InputError):
            sanitised_release(table, made, idle, **wrong)
    with pytest.raises(InputError, match="in their order"):
        sanitised_release(table, made[1:], idle)


def test_a_wider_searcher_is_measured(planted, news):
    attack = SearchAttack(searcher=CarefulSearcher(searcher=news), whole=False)
    assert (attack.wider().keywords, attack.wider().hits) == (6, 30)
    assert SearchAttack(searcher=news, keywords={"a": 2, "b": 11}).wider().keywords == {"a": 5, "b": 12}
    sanitiser = Sanitiser(attack=attack)
    content = sanitiser.content(planted.reports, planted.background)
    made = sanitiser.sanitise(planted.reports[:60], names=planted.names[:60], content=content)
    assert residual_risk(made).score.value == 0.0
    assert wider_risk(made, attack, content, names=planted.names[:60]).score.value > 0.0


def test_what_is_left_is_measured(planted):
    before = list(planted.reports[:80])
    same = {one.name: one.score for one in what_is_left(before, before, analyser=ANALYSER, labels=planted.labels[:80])}
    assert same["words kept"].value == 1.0
    assert same["cosine of words"].value == pytest.approx(1.0)
    assert same["label told"].value == same["label told"].reference
    blank = {one.name: one.score.value for one in what_is_left(before, ["[…]"] * 80, analyser=ANALYSER)}
    assert blank == {"words kept": 0.0, "cosine of words": 0.0}
    one_label = what_is_left(before, before, analyser=ANALYSER, labels=["x"] * 80)[-1]
    assert "at least two" in one_label.reason


def test_posts_of_a_stream_from_a_file(tmp_path):
    from typer.testing import CliRunner

    from sfumato.cli.app import app

    pages = ["Ann Ray won the regatta with her trimaran", "the regatta", "one trimaran", *["rain"] * 20]
    SearchIndex.build(pages, folder=tmp_path / "idx")
    posts = tmp_path / "posts.jsonl"
    posts.write_text(
        "".join(
            json.dumps({"text": text, "who": who, "names": "Ann Ray"}) + "\n"
            for text, who in (("My regatta yard", "a"), ("A trimaran noon", "a"), ("A quiet dusk", "b"))
        )
    )
    out = tmp_path / "out.jsonl"
    given = ["text", "sanitise", posts, "--search-index", tmp_path / "idx", "--names", "names", "--stream", "who"]
    given += ["--keywords", "4", "--hits", "1", "-o", out, "--margin", "1", "--keep-order", "--weight", "adverb=0"]
    done = CliRunner().invoke(app, list(map(str, given)))
    assert done.exit_code == 0, done.output
    texts = [json.loads(line)["text"] for line in out.read_text().splitlines()]
    assert [texts[0], texts[2]] == ["My regatta yard", "A quiet dusk"]  # neither leads to her by itself
    assert "trimaran" not in texts[1]
