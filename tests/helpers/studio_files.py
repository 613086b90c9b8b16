"""Files of every kind that the studio opens, made up."""

from __future__ import annotations

import mailbox
from email.message import EmailMessage
from pathlib import Path

from sfumato.trace.data.day import make_day

NOTES = "id,sex,note\n" + "".join(
    f'{n},{"fm"[n % 2]},"Dear Anna, I met Zofia Nowicka in Wexcombe. Call +44 20 7946 0018 before noon, yours {n}"\n'
    for n in range(12)
)


def write_day(path: Path) -> None:
    """A day with a visit to a clinic, as a CSV."""
    day = make_day()
    rows = [
        f"{1_699_920_000 + int(60 * time)},{52.5 + north / 111_000:.6f},{13.4 + east / 67_000:.6f}"
        for time, (east, north) in zip(day.times, day.path, strict=True)
    ]
    path.write_text("time,latitude,longitude\n" + "\n".join(rows) + "\n")


def write_mails(folder: Path) -> None:
    """Three mails, as files of a folder and as a mailbox."""
    (folder / "mails").mkdir()
    box = mailbox.mbox(str(folder / "all.mbox"))
    for n in range(3):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = f"Zofia Nowicka <z{n}@example.org>", "Anna", f"Trip {n}"
        mail.set_content(f"Dear Anna,\nI met Zofia Nowicka in Wexcombe. Call +44 20 7946 0018.\nYours {n}\n")
        (folder / "mails" / f"{n}.eml").write_bytes(bytes(mail))
        box.add(mail)
    box.close()


def write_kinds(folder: Path) -> None:
    """Notes, a day, answers, hours, people and a log."""
    (folder / "notes.csv").write_text(NOTES)
    write_day(folder / "day.csv")
    (folder / "answers.csv").write_text(
        "answer,town\n" + "".join(f"{['yes', 'no'][n % 3 == 0]},{'ab'[n % 2]}\n" for n in range(200))
    )
    (folder / "hours.csv").write_text("hour,who\n" + "".join(f"{n % 24},{n}\n" for n in range(200)))
    (folder / "ages.csv").write_text("age,sex\n" + "".join(f"{20 + n % 50},{'fm'[n % 2]}\n" for n in range(300)))
    (folder / "log.csv").write_text(
        "user,item,time\n" + "".join(f"u{n % 20},i{n * 7 % 9},2024-01-{1 + n % 27:02d}T10:00:00\n" for n in range(400))
    )
    (folder / "letters").mkdir()
    for n in range(3):
        (folder / "letters" / f"letter{n}.txt").write_text(f"Dear Anna,\nsee you in Wexcombe on day {n}.\n")
    (folder / "letter.txt").write_text("Dear Anna,\nsee you in Wexcombe.\n")
