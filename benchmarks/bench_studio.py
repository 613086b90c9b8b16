"""The studio's sliders: from a request to the new risk, loss and records, over the loop-back network.

Peers answer no slider at once: DP Wizard takes 7–10 s for a new ε (measured in its page), ARX anonymises in a dialog.
So the same question without the studio stands beside it: ``sf.table.protect`` from the start, as a page without a kept
lattice would call it. Times of a busy machine are upper bounds: CPU times and the ratio are what counts.

    python benchmarks/bench_studio.py [--rows 30162 1000000] [--moves 12]

It also drives Chromium the whole way of a privacy officer, from the entrance to the papers of a table of 30 162 people,
and the keys of a review, from a key to the paint. ``--rows`` without numbers leaves the sliders out.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pyarrow as pa
import uvicorn

from sfumato.io.files import write_table
from sfumato.studio.admission import Admission
from sfumato.studio.application import make_application
from sfumato.studio.desk import Desk
from sfumato.studio.server import _listen
from sfumato.studio.workspace import Workspace
from sfumato.table import protect
from sfumato.table.data import census_schema, make_census

TARGET = {30_162: 150, 1_000_000: 400}
"""Milliseconds at the median that the studio aims at."""


@contextmanager
def studio(root: Path) -> Iterator[tuple[Desk, httpx.Client]]:
    """A studio that serves, and a client that was admitted."""
    admission, listening = Admission(), _listen(0)
    port = listening.getsockname()[1]
    desk = Desk(root=root, workspace=Workspace(), admission=admission)
    server = uvicorn.Server(uvicorn.Config(make_application(desk, port), log_level="critical", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    headers = {"host": f"{admission.host}:{port}", "x-studio": admission.secret, "hx-request": "true"}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=600) as client:
        cookie = client.post("/enter", data={"token": admission.token}).headers["set-cookie"].partition(";")[0]
        client.headers["cookie"] = cookie
        yield desk, client
    server.should_exit = True
    thread.join()


def measure(rows: int, moves: int) -> None:
    """Print the times of a table of some size."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_table(make_census(rows), root / "people.parquet")
        with studio(root) as (desk, client):
            assert client.post("/open", data={"path": "people.parquet"}).status_code == 200
            project = replace(desk.project, schema=census_schema().bound(desk.opened.table))
            desk.decide("the hierarchies of the census", project)
            for name, fields in {
                "k": [{"k": str(k)} for k in range(3, 3 + moves)],
                "k with l = 2": [{"k": str(k), "l": "2"} for k in range(3, 3 + moves)],
                "suppression": [{"k": "10", "suppression": f"{share / 2}"} for share in range(moves)],
            }.items():
                times, cpu = [], []
                for place, one in enumerate(fields):
                    given = {"k": "5", "l": "1", "t": "100", "suppression": "2", "recoding": "global", **one}
                    start, spent = time.perf_counter(), time.process_time()
                    answer = client.post("/protect/live", data=given)
                    if place:  # the first one sums the table up
                        times.append(1000 * (time.perf_counter() - start))
                        cpu.append(1000 * (time.process_time() - spent))
                    assert answer.status_code == 200, answer.text
                start = time.process_time()
                table = desk.opened.table
                protect(table, project.roles, k=10, l=2 if "l" in name.split() else None, suppression=0.02)
                alone = 1000 * (time.process_time() - start)
                aim = f", aim {TARGET[rows]}" if rows in TARGET else ""
                print(
                    f"{rows:>9,} rows, {name:<12} {statistics.median(times):6.0f} ms at the median{aim} (worst "
                    f"{max(times):.0f}; CPU {statistics.median(cpu):.0f}); protect from the start {alone:.0f} ms CPU: "
                    f"{alone / statistics.median(cpu):.1f} times as long"
                )


def other_kinds(rows: int, moves: int) -> None:
    """Print the times of the sliders of a survey, of records to learn from, and of a log: the library's previews."""
    rng = np.random.default_rng(0)
    start = np.datetime64("2024-01-01T00:00:00")
    log = {
        "user": rng.integers(0, 1000, rows),
        "item": [f"i{item}" for item in rng.zipf(1.6, rows) % 800],
        "time": start + rng.integers(0, 28 * 86400, rows).astype("timedelta64[s]"),
    }
    plane = {"x": rng.normal(size=2000), "y": rng.normal(size=2000), "answer": rng.choice(["a", "b"], 2000)}
    cases = {
        "survey": (make_census(rows).select(["sex"]), "dial-epsilon", np.linspace(0.5, 4, moves),
                   'column = "sex"\nmechanism = "unary-encoding"\nepsilon = 1.0\ncategories = ["Female", "Male"]'),
        "survey on a map": (pa.table(plane), "dial-alpha", np.linspace(1, 8, moves),
                            'group = ["x", "y"]\nradius = 0.2\nalpha = 4.0'),
        "model": (make_census(rows).select(["sex"]), "dial-epsilon", np.linspace(0.5, 4, moves),
                  'columns = ["sex"]\nepsilon = 1.0\nsettings = { domains = { sex = ["Female", "Male"] } }'),
        "activity": (pa.table(log), "dial-k", np.arange(3, 3 + moves), "k = 12"),
    }  # fmt: skip
    for name, (table, dial, values, settings) in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            write_table(table, Path(folder) / "data.parquet")
            with studio(Path(folder)) as (_, client):
                client.post("/open", data={"path": "data.parquet"})
                client.post("/kind", data={"kind": name.split()[0]})
                times, cpu = [], []
                for place, value in enumerate(values):
                    begun, spent = time.perf_counter(), time.process_time()
                    answer = client.post("/settings/live", data={"settings": settings, dial: f"{value:g}"})
                    assert answer.status_code == 200, answer.text
                    if place:
                        times.append(1000 * (time.perf_counter() - begun))
                        cpu.append(1000 * (time.process_time() - spent))
        print(
            f"{table.num_rows:>9,} rows, {name:<16} {statistics.median(times):6.0f} ms at the median (worst "
            f"{max(times):.0f}; CPU {statistics.median(cpu):.0f})"
        )


def officer(rows: int) -> None:
    """Print how long the whole way takes in a browser: open, roles, risk, protect, attack, file."""
    with tempfile.TemporaryDirectory() as folder, browser_at(Path(folder)) as (root, page, enter):
        write_table(make_census(rows), root / "people.csv")
        start, marks = time.perf_counter(), []

        def follow(link: str) -> None:
            with page.expect_navigation():
                page.get_by_role("link", name=link).click()
            marks.append(f"{link.removeprefix('Go on to ')} {time.perf_counter() - start:.1f}")

        enter()
        page.get_by_role("button", name="people.csv").click()
        follow("go on to the roles")
        follow("Go on to the risk")
        follow("Go on to protect it")
        page.locator("#k").press("ArrowRight")
        page.locator("#results[data-run^='k = 13']").wait_for()
        follow("Go on to attack it")
        page.get_by_role("button", name="Attack it").click()
        page.get_by_text("Can a secret be guessed?").wait_for()
        follow("Go on to file it")
        page.get_by_role("button", name="Put the papers together").click()
        page.get_by_role("heading", name="The papers are ready").wait_for()
        print(
            f"the whole way with {rows:,} records: {time.perf_counter() - start:.1f} s, aim 60 ({'; '.join(marks)}); "
            f"load of this machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
        )


def reviewer(texts: int) -> None:
    """Print how long a key of the review takes to be painted, and until the server's answer is on the page."""
    paint = """key => new Promise(done => {
      const start = performance.now();
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
    })"""
    with tempfile.TemporaryDirectory() as folder, browser_at(Path(folder)) as (root, page, enter):
        lines = [f"Dear Anna, I met Zofia Nowicka. Call +44 20 7946 00{n % 100:02d} before noon." for n in range(texts)]
        (root / "notes.csv").write_text("text\n" + "\n".join(f'"{line}"' for line in lines) + "\n")
        enter()
        page.get_by_role("button", name="notes.csv").click()
        with page.expect_navigation():
            page.get_by_role("link", name="go on to review them").click()
        page.locator("#names").select_option("lists")
        page.get_by_role("button", name="Set this").click()
        page.locator(".journal li[aria-current=step]", has_text="lists").wait_for()
        page.get_by_role("button", name="Look for what is personal").click()
        page.locator("mark.span").first.wait_for()
        spans = page.locator("mark.span").count()
        page.locator("mark.span").first.focus()
        painted, answered = [], []
        for _ in range(20):
            noted, start = page.locator(".journal li").count(), time.perf_counter()
            painted.append(page.evaluate(paint, "a"))
            page.wait_for_function("wanted => document.querySelectorAll('.journal li').length > wanted", arg=noted)
            answered.append(1000 * (time.perf_counter() - start))
        print(
            f"review of {spans} findings on a page: key to paint {statistics.median(painted):.0f} ms at the median, to "
            f"the answer {statistics.median(answered):.0f} ms; load of this machine {os.getloadavg()[0]:.1f}"
        )


@contextmanager
def browser_at(root: Path) -> Iterator[tuple[Path, Any, Callable[[], None]]]:
    """A browser at a studio for a folder; the last thing given admits it."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with studio(root) as (desk, client), sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = launched.new_page()
        page.set_default_timeout(600_000)

        def enter() -> None:
            page.goto(f"http://{client.headers['host']}/enter")
            page.get_by_label("Token").fill(desk.admission.token)
            page.get_by_role("button", name="Enter").click()
            page.wait_for_url(f"http://{client.headers['host']}/")

        yield root, page, enter
        launched.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[30_162, 1_000_000])
    parser.add_argument("--moves", type=int, default=12)
    options = parser.parse_args()
    if shutil.which("chromium") or shutil.which("chromium-browser"):
        reviewer(90)
        officer(30_162)
    for rows in options.rows:
        measure(rows, options.moves)
    if options.rows:
        other_kinds(200_000, options.moves)


if __name__ == "__main__":
    main()
