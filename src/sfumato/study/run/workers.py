"""Cells evaluated in this process, or in several that end when this one does."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import wait as wait_for
from typing import Any

from sfumato.errors import SfumatoError
from sfumato.study.run.cell import Cell, Row, Work, evaluate
from sfumato.study.run.one_thread import one_thread
from sfumato.study.run.script import UNGUARDED, unguarded_script

__all__ = ["Result", "evaluate_all", "in_processes", "in_this_process", "processors"]

Result = tuple[int, "list[Row] | BaseException"]
"""The place of a cell, and its rows or what went wrong."""

_THREAD_SETTINGS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_ALONE_SECONDS = 3.0
_GUARD = "put what starts the study under `if __name__ == '__main__':`, or use one worker"


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def evaluate_all(
    work: Work, make: Callable[[], Any] | None, cells: Sequence[Cell], places: Sequence[int], workers: int | None
) -> Generator[Result, None, None]:
    """Evaluate the cells at ``places`` in ``workers`` processes.

    ``None`` starts here and calls for help only if the work lasts: starting processes costs seconds itself.
    """
    if workers is None:
        start, workers = time.perf_counter(), processors()
        while places and (workers == 1 or time.perf_counter() - start < _ALONE_SECONDS):
            yield from in_this_process(work, cells, places[:1])
            places = places[1:]
        if len(places) > 1 and workers > 1 and (script := unguarded_script()):
            workers = 1
            warnings.warn(
                f"the study stays in one process: {script} would run again in each other one; {_GUARD}", stacklevel=3
            )
    workers = min(workers, len(places))
    if workers <= 1:
        yield from in_this_process(work, cells, places)
    else:
        yield from in_processes(work, make, cells, places, workers)


def in_this_process(work: Work, cells: Sequence[Cell], places: Sequence[int]) -> Generator[Result, None, None]:
    """Evaluate the cells at ``places``, one after the other."""
    for place in places:
        with _one_thread():
            result = _attempt(work, cells[place])
        yield place, result


def _attempt(work: Work, cell: Cell) -> list[Row] | BaseException:
    try:
        return evaluate(work, cell)
    except Exception as error:  # a cell may fail in any way; the others go on
        return error


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """One thread for linear algebra and learning: processes are the parallelism, and sums come out the same everywhere.

    Scikit-learn is loaded first: the threads of its first use would wait for each other ten times as long as they work
    on a machine that has other things to do.
    """
    import sklearn  # noqa: F401

    with one_thread():
        yield


def in_processes(
    work: Work, make: Callable[[], Any] | None, cells: Sequence[Cell], places: Sequence[int], workers: int
) -> Generator[Result, None, None]:
    """Evaluate the cells at ``places`` in ``workers`` processes, in the order in which they finish.

    ``make`` makes the data in each process; without it, or if it is a local function, the data is sent to them.
    """
    if script := unguarded_script():
        raise SfumatoError(f"study {work.study}: {script} would run again in each of {workers} processes; {_GUARD}")
    asked = {place: cells[place] for place in places}
    try:
        payload = _pickled(work, make, asked)
    except Exception as error:  # pickling fails in as many ways as there are types
        raise SfumatoError(
            f"study {work.study} cannot be sent to other processes ({error}): "
            "define classes and functions at the top of a module, or use one worker"
        ) from error
    with _environment(dict.fromkeys(_THREAD_SETTINGS, "1")):
        pool = ProcessPoolExecutor(
            workers, mp_context=multiprocessing.get_context("spawn"), initializer=_start_worker, initargs=(payload,)
        )
        try:
            with _interruptions_held_back():
                futures: dict[Future[list[Row] | BaseException], int] = {
                    pool.submit(_work_on, place): place for place in places
                }
            for future in as_completed(futures):
                yield futures[future], future.result()
            pool.shutdown()
        except BrokenProcessPool as error:
            processes = list((pool._processes or {}).values())
            for process in processes:
                process.join(5)
            if any(process.exitcode == UNGUARDED for process in processes):
                raise SfumatoError(f"study {work.study}: the script runs again in each process; {_GUARD}") from error
            raise SfumatoError(
                f"study {work.study}: a worker process died (out of memory?); "
                "finished cells are kept, run again with fewer workers"
            ) from error
        finally:
            _stop(pool)


def _pickled(work: Work, make: Callable[[], Any] | None, cells: Mapping[int, Cell]) -> bytes:
    if make is not None:
        with contextlib.suppress(Exception):
            return pickle.dumps((Work(**(vars(work) | {"data": None})), make, cells))
    return pickle.dumps((work, None, cells))


def _stop(pool: ProcessPoolExecutor) -> None:
    """End the workers now: a cell that is running when the study is interrupted is not worth waiting for."""
    processes = list((pool._processes or {}).values())
    manager = getattr(pool, "_executor_manager_thread", None)
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()
    if manager is not None:
        manager.join(5)  # else the interpreter may wake it at its end through a pipe that it is just closing


@contextlib.contextmanager
def _interruptions_held_back() -> Iterator[None]:
    """Processes started here never see Ctrl-C, not even while they import; in this one it takes effect afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which lets interruptions through again when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _environment(settings: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@dataclass
class _Desk:
    """What a worker process holds between cells."""

    work: Work
    cells: Mapping[int, Cell]


_desk: list[_Desk] = []


def _start_worker(payload: bytes) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interruption means
    threading.Thread(target=_end_with_parent, daemon=True).start()
    work, make, cells = pickle.loads(payload)
    if make is not None:
        work = Work(**(vars(work) | {"data": make()}))
    _desk.append(_Desk(work, cells))


def _end_with_parent() -> None:
    """A parent that is killed cannot tell its workers to stop; they notice by themselves."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)


def _work_on(place: int) -> list[Row] | BaseException:
    (desk,) = _desk
    with _one_thread():
        result = _attempt(desk.work, desk.cells[place])
    if isinstance(result, BaseException):
        try:
            pickle.loads(pickle.dumps(result))
        except Exception:  # an exception that does not travel is replaced by its text
            return SfumatoError(f"{type(result).__name__}: {result}")
    return result
