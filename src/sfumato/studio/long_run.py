"""Work that takes a while, in a process of its own: it tells how far it is, and it can be stopped at once."""

from __future__ import annotations

import importlib
import multiprocessing
import threading
from collections.abc import Callable, Sequence
from typing import Any

from sfumato.errors import SfumatoError

__all__ = ["LongRun", "Worker", "WorkerPool"]


class Worker:
    """A spawned process that waits for work, its modules loaded."""

    def __init__(self, modules: Sequence[str] = ()) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, tuple(modules)), daemon=True)
        self.process.start()
        theirs.close()

    def kill(self) -> None:
        """End it now."""
        self.process.kill()
        self.process.join(10)


class WorkerPool:
    """Workers that are ready: one is always waiting, since starting one takes a second or two.

    Parameters
    ----------
    modules : sequence of str
        What each of them loads before it is asked for anything.
    """

    def __init__(self, modules: Sequence[str] = ()) -> None:
        self._modules, self._lock = tuple(modules), threading.Lock()
        self._idle: list[Worker] = []
        self._open = True

    def warm(self) -> None:
        """Have one ready."""
        with self._lock:
            if self._open and not self._idle:
                self._idle.append(Worker(self._modules))

    def take(self) -> Worker:
        """One that is ready, or a new one."""
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.process.is_alive():
                    return worker
        return Worker(self._modules)

    def give_back(self, worker: Worker) -> None:
        """Have it wait for the next work; if one is waiting already, it ends."""
        with self._lock:
            if self._open and not self._idle and worker.process.is_alive():
                self._idle.append(worker)
                return
        worker.kill()

    def close(self) -> None:
        """End all that wait."""
        with self._lock:
            self._open = False
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.kill()


class LongRun:
    """One piece of work in a process of the pool.

    Parameters
    ----------
    pool : WorkerPool
    what : str
        What is done, in words.
    work : callable
        A function of a module. Its first argument takes words about the progress.
    arguments
        The others; they and the result must pickle.
    key : tuple
        What it is about: its error and its progress are of nothing else.
    keep : callable
        Takes the result before the work is called over.

    Notes
    -----
    The data go to the process through a pipe and are never on the disk.
    """

    def __init__(
        self,
        pool: WorkerPool,
        what: str,
        work: Callable[..., Any],
        *arguments: Any,
        key: tuple[Any, ...] = (),
        keep: Callable[[Any], None] = lambda result: None,
    ) -> None:
        self.what, self.key = what, key
        self.notes: list[str] = []
        self.error = ""
        self.over = threading.Event()
        self._pool, self._keep, self._changed = pool, keep, threading.Condition()
        self._worker = pool.take()
        threading.Thread(target=self._listen, args=(work, arguments), daemon=True).start()

    def _listen(self, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        connection = self._worker.connection
        try:
            connection.send((work, arguments))
            kind, value = connection.recv()
            while kind == "note":
                with self._changed:
                    self.notes.append(value)
                    self._changed.notify_all()
                kind, value = connection.recv()
            if kind == "result":
                self._keep(value)
            else:
                self.error = value
            self._pool.give_back(self._worker)
        except (EOFError, OSError):  # it was stopped, or it died
            self.error = "stopped"
            self._worker.kill()
        with self._changed:
            self.over.set()
            self._changed.notify_all()
        self._pool.warm()

    def wait_for_news(self, seen: int, timeout: float) -> list[str]:
        """The words since ``seen``, as soon as there are some, the work is over, or the time is."""
        with self._changed:
            self._changed.wait_for(lambda: len(self.notes) > seen or self.over.is_set(), timeout)
            return self.notes[seen:]

    def stop(self) -> None:
        """End it now; gives when it has ended."""
        if not self.over.is_set():
            self._worker.kill()
            self.over.wait(10)

    @property
    def process(self) -> Any:
        """The process that does the work."""
        return self._worker.process


def _serve(connection: Any, modules: tuple[str, ...]) -> None:
    """In the process: do what is asked, one thing after the other, until the other side is gone."""
    for name in modules:
        importlib.import_module(name)
    while True:
        try:
            work, arguments = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer = "result", work(lambda words: connection.send(("note", words)), *arguments)
        except SfumatoError as error:
            answer = "error", str(error)
        except Exception as error:  # its words may quote a value: only its kind leaves
            answer = "error", f"this is a mistake in sfumato ({type(error).__name__})"
        connection.send(answer)
        del work, arguments, answer
