"""Small made-up files under the names that the pages of docs/ use, written to the current folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from helpers.door_contract import run
from sfumato.activity.data.stand_in import make_log
from sfumato.io import write_table
from sfumato.model.data.census import make_census
from sfumato.table.data import make_deliveries, make_hospital
from sfumato.text.data.letters import make_letters

__all__ = ["FILES"]

RNG = np.random.default_rng(20)


def people() -> None:
    """Records with all columns that the pages of tables and statistics name."""
    n = 400
    columns = {
        "age": RNG.integers(18, 90, n),
        "sex": RNG.choice(["f", "m"], n).tolist(),
        "region": RNG.choice(["north", "south"], n).tolist(),
        "illness": RNG.choice(["asthma", "flu", "gout", "none"], n).tolist(),
        "sick": RNG.choice(["yes", "no"], n).tolist(),
        "score": RNG.random(n).round(3),
        "x": RNG.normal(0, 500, n).round(1),
        "y": RNG.normal(0, 500, n).round(1),
    }
    write_table(pa.table(columns), "people.csv")


def trial() -> None:
    rows = [(("drug", "control")[i % 2], float(i * 7 % 30)) for i in range(60)]
    write_table(pa.table({"arm": [arm for arm, _ in rows], "days": [days for _, days in rows]}), "trial.csv")


def schema() -> None:
    typed("table", "init", "people.csv", "-o", "table.toml")


def patients() -> None:
    write_table(make_hospital(600), "patients.csv")


def deliveries() -> None:
    for name, table in zip(("march", "april"), make_deliveries(600), strict=True):
        write_table(table, f"{name}.csv")


def hospital() -> None:
    write_table(make_hospital(200), "people.csv")


def log() -> None:
    write_table(make_log(30, 20), "log.csv")


def poll() -> None:
    n = 60
    hours = {day: RNG.uniform(0, 24, n).round(2) for day in ("wakes", "monday", "tuesday")}
    ages = RNG.choice(["young", "old"], n).tolist()
    write_table(pa.table({"name": [f"p{i % 20}" for i in range(n)], "age": ages, **hours}), "poll.csv")


def hours() -> None:
    write_table(pa.table({"wakes": RNG.uniform(0, 24, 60).round(2)}), "hours.parquet")


def roster() -> None:
    """People with ids, and some of them."""
    for name, n in (("people.csv", 30), ("some.csv", 10)):
        write_table(pa.table({"id": [f"p{i}" for i in range(n)], "age": RNG.integers(18, 90, n)}), name)


def places() -> None:
    for name, n in (("visits.csv", 60), ("venues.csv", 30)):
        near = {"lat": RNG.uniform(48.1, 48.2, n).round(5), "lon": RNG.uniform(16.3, 16.4, n).round(5)}
        whose = {"who": [f"p{i % 4}" for i in range(n)], "day": [f"d{i % 12}" for i in range(n)]}
        write_table(pa.table({**near, "hour": RNG.uniform(0, 24, n).round(2), **whose}), name)


def calls() -> None:
    """Points in time, and embeddings."""
    times = [f"2024-05-{1 + i % 28:02d}T{i % 24:02d}:{i % 60:02d}:00Z" for i in range(40)]
    write_table(pa.table({"started": times}), "calls.csv")
    np.save("embeddings.npy", RNG.standard_normal((20, 5)))


def answers() -> None:
    """Answers of a survey with the places of those asked."""
    n = 40
    about = {"age": RNG.integers(18, 80, n), "status": RNG.choice(["single", "married"], n).tolist()}
    near = {"lat": RNG.uniform(48.0, 48.5, n).round(4), "lon": RNG.uniform(16.0, 16.5, n).round(4)}
    write_table(
        pa.table({"answer": RNG.choice(["yes", "no"], n).tolist(), **about, **near, "who": list(range(n))}),
        "answers.csv",
    )
    write_table(pa.table({"one": list(range(n)), "other": [(k + 1) % n for k in range(n)]}), "friends.csv")


def comparisons() -> None:
    write_table(pa.table({"at_least": RNG.integers(0, 2, 80)}), "answers.csv")


def mails() -> None:
    """Letters by six authors, as records and as folders of text files, and public ones by others."""
    for name, seed in (("mails", 1), ("more", 2), ("public", 3)):
        letters = make_letters(authors=4, letters=3, seed=seed)
        records = [
            {"text": text, "from": author, "folder": topic}
            for text, author, topic in zip(letters.texts, letters.authors, letters.topics, strict=True)
        ]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    for folder in ("mails", "letters"):
        Path(folder).mkdir()
        for number, record in enumerate(records[:6]):
            (Path(folder) / f"{number}.txt").write_text(f"Dear Anna Kowalska,\n{record['text']}\n")


def documents() -> None:
    """Documents with public ones beside them, reports on people, and news that names them."""
    from sfumato.text.sanitise.planted_events import make_planted_events

    mails()
    Path("docs.jsonl").write_text(Path("more.jsonl").read_text())
    made = make_planted_events(events=12, distractors=40, background=10)
    write_table(pa.table({"text": list(made.articles)}), "news.jsonl")
    names = ["; ".join(one) for one in made.names]
    write_table(pa.table({"text": list(made.reports), "names": names}), "reports.jsonl")


def letter() -> None:
    """A page of PDF that names somebody."""
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    page = writer.add_blank_page(300, 300)
    kind = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    font = DictionaryObject({NameObject(name): NameObject(value) for name, value in kind.items()})
    fonts = DictionaryObject({NameObject("/F1"): font})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    stream = DecodedStreamObject()
    stream.set_data(b"BT /F1 12 Tf 20 200 Td (Dear Anna Kowalska, call 020 7946 0018.) Tj ET")
    page[NameObject("/Contents")] = writer._add_object(stream)
    writer.write("letter.pdf")


def day() -> None:
    """Half a day at one point a minute, with an hour at noon in one place."""
    minutes = np.arange(8 * 60, 15 * 60)
    still = (minutes > 705) & (minutes < 780)
    steps = RNG.normal(3e-4, 2e-4, (len(minutes), 2)) * ~still[:, None]
    path = np.array([52.5, 13.4]) + np.cumsum(steps, axis=0)
    points = "".join(
        f'<trkpt lat="{lat:.6f}" lon="{lon:.6f}"><time>2026-03-02T{m // 60:02d}:{m % 60:02d}:00Z</time></trkpt>\n'
        for m, (lat, lon) in zip(minutes.tolist(), path.tolist(), strict=True)
    )
    head = '<gpx version="1.1" creator="a watch" xmlns="http://www.topografix.com/GPX/1/1">'
    Path("day.gpx").write_text(f"{head}<trk><trkseg>{points}</trkseg></trk></gpx>")


def generated() -> None:
    """Samples of a generator beside its training and test data: numbers, images and a table."""
    from PIL import Image

    for name in ("train", "test", "samples"):
        np.save(f"{name}.npy", RNG.normal(size=(300, 4)))
    for folder in ("faces", "other-faces", "made"):
        Path(folder).mkdir()
        for number in range(40):
            pixels = RNG.integers(0, 255, (8, 8), dtype=np.uint8)
            Image.fromarray(pixels).save(f"{folder}/{number}.png")
    for name, seed in (("people", 1), ("others", 2), ("synthetic", 3)):
        write_table(make_census(300, seed=seed), f"{name}.csv")


def typed(*words: str) -> None:
    """Call a command that the page takes for granted."""
    assert run(*words) == 0


def budget(file: str, subject: str, *amount: str) -> Callable[[], None]:
    return lambda: typed("budget", "set", subject, *amount, "--ledger", file)


LOCAL = ("--unit", "answer", "--neighbours", "any-pair", "--model", "local")

FILES: dict[str, Sequence[Callable[[], None]]] = {
    "README": [hospital, day],
    "activity": [log],
    "direction": [poll, places, calls],
    "documents": [documents],
    "ledger": [budget("budgets.db", "clinic", "--epsilon", "1"), roster],
    "model": [generated],
    "party": [comparisons, budget("budgets.db", "bids", "--epsilon", "2", *LOCAL)],
    "release": [patients],
    "rewriting": [mails],
    "scale": [hours],
    "scrub": [mails, letter],
    "statistic": [people, trial, budget("budgets.db", "clinic", "--epsilon", "2")],
    "study": [people, schema],
    "survey": [answers],
    "table": [people, budget("budget.db", "clinic", "--epsilon", "1"), deliveries],
    "text": [mails],
    "trace": [day, budget("me.ledger", "other", "--epsilon", "1")],
}
"""What each page needs before its first command."""
