"""A folder in, the same folder out."""

from __future__ import annotations

import signal
import stat
import subprocess
import sys

import pytest

from sfumato.cli import main
from sfumato.errors import InputError
from sfumato.ledger import Ledger
from sfumato.promise import PureDP
from sfumato.release import Card, make_keys, verify
from sfumato.text import PseudonymKey, Scrubber, restore_files, scrub_files
from sfumato.text.scrub.cascade import quick_recognisers

QUICK = Scrubber(recognisers=quick_recognisers())


@pytest.fixture
def folder(tmp_path):
    source = tmp_path / "in"
    (source / "more").mkdir(parents=True)
    (source / "note.txt").write_text("Hi Zofia,\ncall +44 20 7946 0018 before 12 May 2024.\n")
    (source / "more" / "zofia_letter.html").write_text("<p>ask <b>zofia</b></p>")
    (source / "more" / "mail.eml").write_text("From: Zofia Nowicka <z@example.org>\nSubject: hello\n\nBest,\nZofia\n")
    (source / "blank.txt").write_text("\n")
    return source


def test_the_same_tree_comes_out(folder, tmp_path):
    said: list[str] = []
    report = scrub_files(folder, tmp_path / "out", scrubber=QUICK, notes=said.append)
    out = tmp_path / "out"
    assert sorted(p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file()) == [
        "more/mail.eml",
        "more/person_letter.html",
        "note.txt",
    ]
    assert (report.files, report.skipped, report.renamed) == (3, 1, 1)
    assert not any("zofia" in p.read_text().lower() for p in out.rglob("*") if p.is_file())
    assert any("no text: left out" in one for one in said)
    card = Card.read(tmp_path / "out.card.json")
    assert card == report.card
    assert {part.name for part in card.release.parts} == {"more/mail.eml", "more/person_letter.html", "note.txt"}
    assert card.promised.startswith("no guarantee")
    assert "zofia" not in card.to_json().lower()


def test_the_files_are_verified(folder, tmp_path):
    out = tmp_path / "out"
    scrub_files(folder, out, scrubber=QUICK)

    def data() -> str:
        return next(one.words for one in verify(out).checks if one.name == "data")

    assert verify(out).holds
    note = (out / "note.txt").read_text()
    (out / "note.txt").write_text(note + "Zofia")
    assert not verify(out).holds
    assert "note.txt is not the file" in data()
    (out / "note.txt").write_text(note)
    (out / "stray.txt").write_text("more")
    assert not verify(out).holds
    assert "stray.txt is not a file of the release" in data()
    (out / "stray.txt").unlink()
    (out / "note.txt").unlink()
    assert not verify(out).holds
    assert "missing" in data()


def test_a_folder_with_something_in_it_is_refused(folder, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old.txt").write_text("Zofia")
    with pytest.raises(InputError, match="new or empty"):
        scrub_files(folder, tmp_path / "out", scrubber=QUICK)
    assert not (tmp_path / "out.card.json").exists()


def test_a_ledger_records_it_and_the_card_is_signed(folder, tmp_path, capfd):
    ledger, out = tmp_path / "budget.db", tmp_path / "out"
    with Ledger(ledger) as book:
        book.set("mails", PureDP(1.0))
    private, public = make_keys(tmp_path / "office.key")
    words = ["text", "scrub", str(folder), "--names", "lists", "--ledger", str(ledger)]
    assert run([*words, "-o", str(out), "--subject", "mails", "--sign", str(private)]) == 0
    assert "without a budget" in capfd.readouterr().err
    assert verify(out, ledger=ledger, public_key=public).holds
    assert run(["verify", str(out), "--ledger", str(ledger), "--public-key", str(public)]) == 0
    assert run([*words, "-o", str(tmp_path / "two"), "--subject", "mails"]) == 0
    first, second = (Card.read(tmp_path / f"{name}.card.json") for name in ("out", "two"))
    assert second.earlier_releases == (first.id,)
    assert second.ledger is not None
    assert not second.ledger.paid
    card = (tmp_path / "out.card.json").read_text()
    (tmp_path / "out.card.json").write_text(card.replace('"replacement": "label"', '"replacement": "mask"'))
    assert not verify(out, public_key=public).holds
    assert run([*words[:-2], "-o", str(tmp_path / "three"), "--subject", "mails"]) == 2  # whose, but in which ledger?
    assert not (tmp_path / "three").exists()


def test_scrubbed_documents_are_not_attacked_as_a_table(folder, tmp_path, capfd):
    scrub_files(folder, tmp_path / "out", scrubber=QUICK)
    assert run(["text", "attack", str(folder), str(tmp_path / "out")]) == 2
    assert "--mechanism scrubber" in capfd.readouterr().err


def test_blank_files_can_be_kept(folder, tmp_path):
    report = scrub_files(folder, tmp_path / "out", scrubber=QUICK, empty="keep")
    assert (report.files, report.skipped) == (4, 0)
    assert (tmp_path / "out" / "blank.txt").exists()


def test_blank_files_can_be_kept_by_the_command(folder, tmp_path, capfd):
    words = ["text", "scrub", str(folder), "--names", "lists", "-o"]
    assert run([*words, str(tmp_path / "all"), "--empty", "keep"]) == 0
    assert "blank.txt has no text: kept" in capfd.readouterr().err
    assert (tmp_path / "all" / "blank.txt").read_text() == "\n"
    assert verify(tmp_path / "all").holds
    assert run([*words, str(tmp_path / "some")]) == 0
    assert not (tmp_path / "some" / "blank.txt").exists()
    assert run([*words, str(tmp_path / "none"), "--empty", "drop"]) == 2
    assert not (tmp_path / "none").exists()


def test_files_of_other_kinds_are_said(folder, tmp_path):
    (folder / "table.xlsx").write_bytes(b"Zofia")
    (folder / ".zofia.txt").write_text("Zofia")
    said: list[str] = []
    scrub_files(folder, tmp_path / "out", scrubber=QUICK, notes=said.append)
    assert any("2 files of other kinds or hidden: not read" in one for one in said)
    assert not (tmp_path / "out" / "table.xlsx").exists()


@pytest.mark.parametrize("place", ["issue", "write_card", "os.rename"])
def test_a_kill_does_not_lose_the_way_back(folder, tmp_path, place):
    """Whenever the process dies, the key is whole before any scrubbed file is in its place."""
    patched = "import os; os.rename = die" if place == "os.rename" else f"scrubbed_files.{place} = die"
    code = f"""
import os, signal
from sfumato.text.scrub.writing import scrubbed_files
from sfumato.text import PseudonymKey, Scrubber, scrub_files
from sfumato.text.scrub.cascade import quick_recognisers
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
key = PseudonymKey()
scrubber = Scrubber(recognisers=quick_recognisers(), replacement="pseudonym", key=key.secret)
{patched}
scrub_files({str(folder)!r}, {str(tmp_path / "out")!r}, scrubber=scrubber, key_file={str(tmp_path / "k.key")!r})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert done.returncode == -signal.SIGKILL
    assert not (tmp_path / "out").exists()
    key = PseudonymKey.read(tmp_path / "k.key")
    assert "Zofia Nowicka" in key.originals.values()
    again = Scrubber(recognisers=quick_recognisers(), replacement="pseudonym", key=key.secret)
    scrub_files(folder, tmp_path / "out", scrubber=again, key_file=tmp_path / "k.key")
    assert (
        restore_files(tmp_path / "out", tmp_path / "back", dict(PseudonymKey.read(tmp_path / "k.key").originals)) == 3
    )


def test_an_error_leaves_nothing(folder, tmp_path, monkeypatch):
    from sfumato.text.scrub.writing import scrubbed_files

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(scrubbed_files, "write_card", stop)
    (tmp_path / "out").mkdir()
    with pytest.raises(KeyboardInterrupt):
        scrub_files(folder, tmp_path / "out", scrubber=QUICK)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]
    assert not any((tmp_path / "out").iterdir())


def test_a_key_of_another_secret_is_refused(folder, tmp_path):
    PseudonymKey().write(tmp_path / "k.key")
    other = Scrubber(recognisers=QUICK.recognisers, replacement="pseudonym", key=PseudonymKey().secret)
    with pytest.raises(InputError, match="secret of the scrubber"):
        scrub_files(folder, tmp_path / "out", scrubber=other, key_file=tmp_path / "k.key")
    with pytest.raises(InputError, match="none without pseudonyms"):
        scrub_files(folder, tmp_path / "out", scrubber=QUICK, key_file=tmp_path / "k.key")
    assert not (tmp_path / "out").exists()


def test_files_are_not_restored_over_others(folder, tmp_path):
    with pytest.raises(InputError, match="choose another"):
        restore_files(folder, folder, {})
    with pytest.raises(InputError, match="new or empty"):
        restore_files(folder / "more", folder.parent, {})


def test_pseudonyms_are_undone_by_the_key(folder, tmp_path):
    key = PseudonymKey()
    scrubber = Scrubber(recognisers=quick_recognisers(), replacement="pseudonym", key=key.secret)
    report = scrub_files(folder, tmp_path / "out", scrubber=scrubber)
    assert "Zofia" not in (tmp_path / "out" / "note.txt").read_text()
    restore_files(tmp_path / "out", tmp_path / "again", report.originals)
    assert (tmp_path / "again" / "note.txt").read_text() == (
        "Hi Zofia Nowicka,\ncall +44 20 7946 0018 before 12 May 2024.\n"  # one person, in the fullest form
    )
    with pytest.raises(InputError, match="without an original"):
        restore_files(tmp_path / "out", tmp_path / "never", {})


def test_key_files_are_private_and_go_on(tmp_path):
    path = tmp_path / "names.key"
    key = PseudonymKey(originals={"[PERSON-AAAAAAAAAA]": "Anna"})
    key.with_originals({"[PERSON-AAAAAAAAAA]": "Anna Kowalska"}).write(path)
    again = PseudonymKey.read(path)
    assert (again.secret, dict(again.originals)) == (key.secret, {"[PERSON-AAAAAAAAAA]": "Anna Kowalska"})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text("{}")
    with pytest.raises(InputError, match="no key of pseudonyms"):
        PseudonymKey.read(path)


def test_the_format_is_what_the_name_says(folder, tmp_path):
    scrub_files(folder / "more" / "mail.eml", tmp_path / "mail.txt", scrubber=QUICK)
    assert "From: [PERSON]" in (tmp_path / "mail.txt").read_text()
    with pytest.raises(InputError, match=r"ends in \.eml or \.txt"):
        scrub_files(folder / "more" / "mail.eml", tmp_path / "mail.pdf", scrubber=QUICK)
    with pytest.raises(InputError, match="choose another"):
        scrub_files(folder, folder, scrubber=QUICK)
    with pytest.raises(InputError, match="skip"):
        scrub_files(folder, tmp_path / "out", scrubber=QUICK, empty="drop")  # type: ignore[arg-type]


def test_what_is_replaced_once_is_replaced_everywhere(tmp_path):
    """An id that only one place calls an id is one at the others, too."""
    (tmp_path / "a.txt").write_text("My customer number is 48291077.\nSee 48291077 again.")
    scrub_files(tmp_path / "a.txt", tmp_path / "b.txt", scrubber=QUICK)
    assert "48291077" not in (tmp_path / "b.txt").read_text()


def test_an_allowed_phrase_stays_whole(tmp_path):
    """Its words may be replaced elsewhere, but not in it."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("Hi Gerda,\nall is well.")
    (folder / "b.txt").write_text("The Gerda Weiler Foundation, not Gerda, pays.")
    scrub_files(folder, tmp_path / "out", scrubber=Scrubber(recognisers=QUICK.recognisers, allow=("Gerda Weiler",)))
    assert (tmp_path / "out" / "b.txt").read_text() == "The Gerda Weiler Foundation, not [PERSON], pays."


def test_of_a_folder_all_but_pdfs_is_restored(tmp_path):
    pikepdf = pytest.importorskip("pikepdf")
    token = "[PERSON-ABCDEFGHIJ]"
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text(f"ask {token}")
    pdf = pikepdf.new()
    pdf.add_blank_page()
    pdf.save(folder / "b.pdf")
    told: list[str] = []
    assert restore_files(folder, tmp_path / "again", {token: "Gerda"}, notes=told.append) == 1
    assert (tmp_path / "again" / "a.txt").read_text() == "ask Gerda"
    assert [path.name for path in (tmp_path / "again").iterdir()] == ["a.txt"]
    assert len(told) == 1
    assert "b.pdf" in told[0]
    with pytest.raises(InputError, match="PDF"):
        restore_files(folder / "b.pdf", tmp_path / "c.pdf", {token: "Gerda"})


def run(words):
    with pytest.raises(SystemExit) as ended:
        main(words)
    return ended.value.code or 0


def test_commands(folder, tmp_path, capfd):
    out, key = tmp_path / "out", tmp_path / "k.key"
    words = ["text", "scrub", str(folder), "-o", str(out), "--replace", "pseudonym", "--key-file", str(key)]
    assert run([*words, "--keep", "DATE", "--names", "lists"]) == 0
    assert "12 May 2024" in (out / "note.txt").read_text()
    assert "no guarantee" in capfd.readouterr().err
    assert run(["text", "restore", str(out), "-o", str(tmp_path / "again"), "--key-file", str(key)]) == 0
    assert "Zofia Nowicka" in (tmp_path / "again" / "note.txt").read_text()
    assert run(["text", "scrub", str(folder), "-o", str(out), "--replace", "pseudonym"]) != 0
    assert run(["text", "scrub", str(folder), "-o", str(out), "--names", "guess"]) != 0


def test_a_pdf_is_redacted(tmp_path):
    pikepdf = pytest.importorskip("pikepdf")
    pytest.importorskip("fontTools")
    pypdfium2 = pytest.importorskip("pypdfium2")
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(400, 200))
    font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
    pdf.pages[0].obj.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
    pdf.pages[0].obj.Contents = pdf.make_stream(
        b"BT /F1 12 Tf 14 TL 20 150 Td (Dear Anna Kowalska, call +44 20 7946 0018.) Tj "
        b"T* (ANNA KOWALSKA was here.) Tj ET"
    )
    pdf.docinfo["/Author"] = "Anna Kowalska"
    pdf.save(tmp_path / "a.pdf")
    report = scrub_files(tmp_path / "a.pdf", tmp_path / "b.pdf", scrubber=QUICK)
    assert report.found == {"PERSON": 2, "PHONE": 1}  # a page has several readings
    scrub_files(tmp_path / "a.pdf", tmp_path / "b.txt", scrubber=QUICK)
    assert (tmp_path / "b.txt").read_text() == "Dear [PERSON], call [PHONE].\n[PERSON] was here."
    raw = (tmp_path / "b.pdf").read_bytes()
    read = pypdfium2.PdfDocument(raw)[0].get_textpage().get_text_range()
    assert "was here." in read
    assert not any(word in read.lower() for word in ("anna", "kowalska", "7946"))
    assert b"Kowalska" not in raw


def test_usual_folders_keep_their_names(tmp_path):
    """No person is called so, although file names are read as if each of their words had a capital."""
    names = ["inbox/one.eml", "outbox/readme.txt", "misc/todo.txt", "archive/anna_kowalska.txt"]
    for name in names:
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text("Subject: hello\n\nDear Anna Kowalska,\nall is well.\n")
    scrub_files(tmp_path / "in", tmp_path / "out", scrubber=Scrubber())
    made = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert made == {*names[:3], "archive/person.txt"}
