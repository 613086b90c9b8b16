"""The studio's sliders: from a request to the new risk, loss and records, over the loop-back network.

Peers answer no slider at once: DP Wizard takes 7–10 s for a new ε (measured in its page), ARX anonymises in a dialog.
So the same question without the studio stands beside it: ``sf.table.protect`` from the start, as a page without a kept
lattice would call it. Times of a busy machine are upper bounds: CPU times and the ratio are what counts.

    python benchmarks/bench_studio.py [--rows 30162 1000000]
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[30_162, 1_000_000])
    parser.add_argument("--moves", type=int, default=12)
    options = parser.parse_args()
    for rows in options.rows:
        measure(rows, options.moves)


if __name__ == "__main__":
    main()
