"""A study gives the same numbers however it is run, and loses nothing when it is stopped."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers import TESTS
from helpers.toy_study import Agreement, Blur, Guess, bits, toy_study
from sfumato.errors import CellError, InputError, SfumatoError
from sfumato.study import RAW_LABEL, Outcome, Score, Study
from sfumato.study.run.journal import Journal
from sfumato.study.run.runner import run


def numbers(outcome: Outcome) -> list[dict[str, str]]:
    """All but the times, as text: NaN equals NaN, and equal means equal to the last bit."""
    return [{name: repr(value) for name, value in row.items() if "seconds" not in name} for row in outcome.rows]


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


@pytest.fixture(scope="module")
def serial() -> Outcome:
    return run(toy_study(), workers=1)


def test_the_rows_are_tidy(serial: Outcome) -> None:
    settings = 1 + 5 + 3
    assert len(serial.rows) == settings * 3 * 3
    assert serial.rows[0]["label"] == RAW_LABEL
    row = serial.select(label="Blur", varied=0.3, seed=1, measure="share of bits guessed")[0]
    assert row["promise"] == "ε = 0.3 per bit (any-pair neighbours, local model)"
    assert json.loads(row["parameters"])["epsilon"] == row["epsilon"] == 0.3
    assert (row["kind"], row["better"], row["reference"], row["guaranteed"]) == ("attack", "lower", 0.5, True)
    assert row["low"] < row["value"] < row["high"]
    assert not serial.select(label="Rounding")[0]["guaranteed"]
    with pytest.raises(InputError, match="column = 'lable'"):
        serial.select(lable="Blur")


def test_parallel_equals_serial_bit_for_bit(serial: Outcome, tmp_path: Path) -> None:
    parallel = run(toy_study(), workers=2, out=tmp_path)
    assert numbers(parallel) == numbers(serial)
    assert numbers(Outcome.read(tmp_path / "results.parquet")) == numbers(serial)
    assert Outcome.read(tmp_path / "results.parquet").title == serial.title


def test_a_cell_does_not_depend_on_the_others(serial: Outcome) -> None:
    study = dataclasses.replace(toy_study(), mechanisms={"Blur": [Blur(epsilon=0.3)]}, utilities=[Agreement()], seeds=1)
    alone = run(study, workers=1).select(label="Blur", measure="correlation")[0]["value"]
    assert alone == serial.select(label="Blur", varied=0.3, seed=0, measure="correlation")[0]["value"]


def test_seeds_differ(serial: Outcome) -> None:
    values = [row["value"] for row in serial.select(label="Blur", varied=0.3, measure="correlation")]
    assert len(set(values)) == 3


def test_a_second_run_computes_only_what_is_missing(tmp_path: Path) -> None:
    log = tmp_path / "log"
    out = tmp_path / "out"
    run(toy_study(seeds=2, log=str(log)), workers=1, out=out)
    assert len(lines(log)) == 10
    again = run(toy_study(seeds=3, log=str(log)), workers=1, out=out)
    assert len(lines(log)) == 15
    assert (again.computed, again.kept) == (9, 18)
    fresh = run(toy_study(seeds=3, log=str(log)), workers=1, out=out, resume=False)
    assert (fresh.computed, fresh.kept) == (27, 0)
    assert numbers(fresh) == numbers(again)


@pytest.mark.parametrize(
    "change",
    [{"data": bits(401)}, {"attacks": [Guess(name="another name")]}, {"varied": "width"}],
    ids=["data", "attack", "varied"],
)
def test_what_changes_a_number_is_computed_again(tmp_path: Path, change: dict[str, Any]) -> None:
    run(toy_study(seeds=1), workers=1, out=tmp_path)
    assert run(dataclasses.replace(toy_study(seeds=1), **change), workers=1, out=tmp_path).kept == 0


def test_data_made_or_given_is_the_same_cell(tmp_path: Path, serial: Outcome) -> None:
    run(toy_study(), workers=1, out=tmp_path)
    given = run(dataclasses.replace(toy_study(), data=bits(400)), workers=1, out=tmp_path)
    assert given.computed == 0
    local = run(dataclasses.replace(toy_study(), data=lambda: bits(400)), workers=2, out=tmp_path, resume=False)
    assert numbers(local) == numbers(serial)


CHILD = """
import sys
sys.path.insert(0, {tests!r})
from helpers.toy_study import toy_study
from sfumato.study.run.runner import run
if __name__ == "__main__":
    run(toy_study(gate={gate!r}, log={log!r}), out={out!r}, workers={workers})
"""


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill", "interrupt"])
def test_a_stopped_study_goes_on(tmp_path: Path, serial: Outcome, workers: int, how: signal.Signals) -> None:
    log, out, gate = tmp_path / "log", tmp_path / "out", tmp_path / "gate"
    tests = str(TESTS)
    code = CHILD.format(tests=tests, gate=str(gate), log=str(log), out=str(out), workers=workers)
    script = tmp_path / "script.py"
    script.write_text(code)
    child = subprocess.Popen(
        [sys.executable, str(script)],
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a suite in the background ignores it
    )
    deadline = time.monotonic() + 120
    while len(lines(out / "journal.jsonl")) < 9 and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(how)
    child.wait(60)
    assert not (out / "results.parquet").exists()
    finished = len(lines(out / "journal.jsonl"))
    assert finished == 9  # raw data and the two settings before the gate, three seeds each
    workers_seen = {int(line.split()[1]) for line in lines(log)}
    _wait_until_gone(workers_seen)
    gate.touch()
    again = run(toy_study(gate=str(gate), log=str(log)), out=out, workers=1)
    assert (again.kept, again.computed) == (finished, 27 - finished)
    assert [row["value"] for row in again.rows if row["label"] != "Blur"] == [
        row["value"] for row in serial.rows if row["label"] != "Blur"
    ]


def _wait_until_gone(processes: set[int]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if not any(Path(f"/proc/{process}").exists() for process in processes - {os.getpid()}):
            return
        time.sleep(0.05)
    raise AssertionError("workers outlive their parent")


def test_a_torn_line_is_computed_again(tmp_path: Path) -> None:
    run(toy_study(seeds=1), workers=1, out=tmp_path)
    journal = tmp_path / "journal.jsonl"
    content = journal.read_bytes()
    journal.write_bytes(content[:-40])
    again = run(toy_study(seeds=1), workers=1, out=tmp_path)
    assert (again.computed, again.kept) == (1, 8)
    assert run(toy_study(seeds=1), workers=1, out=tmp_path).computed == 0


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.jsonl"), pytest.raises(SfumatoError, match="another study is writing"):
        run(toy_study(seeds=1), workers=1, out=tmp_path)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_cell_is_named_and_the_others_are_kept(tmp_path: Path, workers: int) -> None:
    with pytest.raises(
        CellError, match=r"3 of 27 cells failed, first 'Blur' Blur\(epsilon=3.0.*seed 0: ZeroDiv"
    ) as caught:
        run(toy_study(fail_at=3.0), workers=workers, out=tmp_path)
    assert "\n" not in str(caught.value)
    assert len(caught.value.outcome.rows) == 24 * 3
    assert len(lines(tmp_path / "journal.jsonl")) == 24
    assert not (tmp_path / "results.parquet").exists()


def test_a_measure_must_give_a_score() -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Wrong:
        name: str = "wrong"

        def attack(self, data: Any, release: Any, **_: Any) -> Any:
            return 0.5

    with pytest.raises(CellError, match=r"result of wrong = 0\.5: expected a Score"):
        run(dataclasses.replace(toy_study(seeds=1), attacks=[Wrong()]), workers=1)


def test_what_cannot_travel_is_explained() -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Local:
        name: str = "local"

        def attack(self, data: Any, release: Any, **_: Any) -> Score:
            return Score(0.5)

    study = dataclasses.replace(toy_study(seeds=1), attacks=[Local()])
    with pytest.raises(SfumatoError, match="at the top of a module, or use one worker"):
        run(study, workers=2)
    assert run(study, workers=1).rows


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seeds": 0}, "seeds = 0"),
        ({"name": "a/b"}, "letters, digits"),
        ({"mechanisms": {}}, "at least one mechanism"),
        ({"mechanisms": {"Blur": []}}, "at least one mechanism"),
        ({"mechanisms": {RAW_LABEL: [Blur(epsilon=1.0)]}}, "another name"),
        ({"attacks": []}, "names of attacks"),
        ({"utilities": [Agreement(), Agreement()]}, "names of utilities"),
    ],
)
def test_studies_that_say_nothing_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        dataclasses.replace(toy_study(), **change)


def test_workers_are_counted() -> None:
    with pytest.raises(InputError, match="workers = 0"):
        run(toy_study(), workers=0)


def test_not_a_result(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        Outcome.read(tmp_path / "results.parquet")
    (tmp_path / "results.parquet").write_bytes(b"PAR1 something else")
    with pytest.raises(InputError, match="not the result of a study"):
        Outcome.read(tmp_path / "results.parquet")


def test_arrays_as_parameters_name_a_cell_the_same_in_every_process(tmp_path: Path) -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
    class WithArray(Blur):
        points: Any = None

    def study(points: Any) -> Study:
        mechanisms = {"a": [WithArray(epsilon=1.0, points=points)]}
        return dataclasses.replace(toy_study(seeds=1), mechanisms=mechanisms)

    run(study(np.arange(50.0)), workers=1, out=tmp_path)
    assert run(study(np.arange(50.0)), workers=1, out=tmp_path).computed == 0
    assert run(study(np.arange(51.0)), workers=1, out=tmp_path).computed == 1


@dataclasses.dataclass(frozen=True, kw_only=True)
class Threads:
    """How many threads a library may use that is loaded by the measure itself."""

    name: str = "threads"
    better: str = "lower"

    def measure(self, data: Any, release: Any, *, rng: Any = None) -> Score:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from threadpoolctl import threadpool_info

        HistGradientBoostingClassifier(max_iter=1).fit(data[:, None], data > 0.5)
        return Score(float(max(library["num_threads"] for library in threadpool_info())))


def test_cells_in_this_process_use_one_thread() -> None:
    """In a new process, since this one has loaded everything already."""
    code = f"""
import os, sys
sys.path[:0] = {[str(TESTS), str(Path(__file__).parent)]!r}
from test_runner import Threads, toy_study
from sfumato.study.run.runner import run
import dataclasses
outcome = run(dataclasses.replace(toy_study(seeds=1), utilities=[Threads()]), workers=1)
print({{row["value"] for row in outcome.rows if row["measure"] == "threads"}})
"""
    settings = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "3")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | settings, timeout=120, check=True
    )
    assert done.stdout.strip() == "{1.0}"


UNGUARDED = """
import sys
sys.path.insert(0, {tests!r})
from helpers.toy_study import toy_study
from sfumato.study.run.runner import run
outcome = run(toy_study(seeds=1), workers=2)
{end}
"""


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("", "script.py would run again in each of 2 processes"),
        ("if __name__ == '__main__': print(outcome)", "the script runs again in each process"),
    ],
    ids=["no guard", "guard in the wrong place"],
)
def test_a_script_that_would_run_again_in_each_process_is_told(tmp_path: Path, end: str, said: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED.format(tests=str(TESTS), end=end))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert f"{said}; put what starts the study under `if __name__ == '__main__':`" in done.stderr.splitlines()[-1]


def test_a_script_without_guard_stays_in_one_process_by_default(
    tmp_path: Path, serial: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.py"
    script.write_text("print(1)\n")
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(script), raising=False)
    monkeypatch.setattr("sfumato.study.run.workers.processors", lambda: 2)
    monkeypatch.setattr("sfumato.study.run.workers._ALONE_SECONDS", 0.0)
    with pytest.warns(UserWarning, match=r"stays in one process: script\.py would run again"):
        outcome = run(toy_study())
    assert numbers(outcome) == numbers(serial)
