"""Parse files in child processes, so that no file can hang, crash or fill the memory of this process.

A worker process is started when first needed, reused for many files, and replaced when a file has broken it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import Options
from readagent.loaders.sandbox import confinement
from readagent.loaders.sandbox.messages import Message, PagePicture, receive, send, unpack, unpack_picture
from readagent.loaders.unsupported import UnsupportedFormatError

T = TypeVar("T")

# -P: never import a module from the working directory
_COMMAND = (sys.executable, "-P", "-m", "readagent.loaders.child")
_MAX_FILES = 100  # per worker, so that memory leaks in native libraries do not add up
_LARGE_FILE = 20_000_000  # bytes; a worker that has read one is replaced
_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "PYTHONPATH", "PYTHONHOME", "SYSTEMROOT", "TEMP", "TMP")
_SAVE_AGAIN = "open it in another program and save it again, or as plain text, and read that"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much processor time a file may take, depending on its size, and how much memory.

    ``seconds_if_plain`` is for formats that can be read as plain text instead of ``seconds``. ``patience`` is
    how many times as long it may take by the clock, since other programs may need the processor too.
    """

    seconds: float = 60
    seconds_if_plain: float = 10
    seconds_per_megabyte: float = 10
    max_seconds: float = 300
    patience: float = 30 if sys.platform != "win32" else 1
    memory_bytes: int = 2 << 30

    def seconds_for(self, size: int, *, plain: bool = False) -> float:
        """Return the seconds of processor time that a file of this many bytes may take."""
        seconds = self.seconds_if_plain if plain else self.seconds
        return min(seconds + self.seconds_per_megabyte * size / 1_000_000, self.max_seconds)


class _TooMuchError(LoadError):
    """A file takes more time or memory than it may."""


class WorkerPool:
    """Worker processes that parse files: as many as there are threads that use the pool at the same time."""

    def __init__(self, command: Sequence[str] = _COMMAND, limits: Limits | None = None) -> None:
        self._command = command
        self._limits = limits or Limits()
        self._idle: deque[_Worker] = deque()
        self._inherited: list[_Worker] = []

    def parse(self, data: bytes, name: str, options: Options, sent: Mapping[str, str] | None = None) -> Document:
        """Return the document in these bytes, in a format that is recognised there; raise LoadError if it fails.

        What takes too much time or memory in its format is read as plain text, if the format allows that; the metadata
        say so. ``sent`` is what a server said about the bytes: ``content_type`` and ``charset``.
        """
        head = {**self._head(data, name, options), **(sent or {})}
        try:
            return self._read(head, data, unpack)
        except _TooMuchError as error:
            return self._read({**head, "too_much": (str(error), error.hint)}, data, unpack)

    def picture(self, data: bytes, name: str, page: int, passage: str = "", share: float = 0) -> PagePicture:
        """Return a page of the PDF in these bytes as a picture; if there is a passage, that which it is on.

        ``share`` says about where in the text it is, from 0 to 1.
        """
        return self._read(
            {**self._head(data, name, Options()), "picture": (page, passage, share)}, data, unpack_picture
        )

    def _head(self, data: bytes, name: str, options: Options) -> dict[str, Any]:
        limits, size = self._limits, len(data)
        return {
            "name": name, "options": asdict(options), "content_type": "", "charset": "",
            "seconds": limits.seconds_for(size), "seconds_if_plain": limits.seconds_for(size, plain=True),
            "by_clock": limits.patience * limits.seconds_for(size), "memory_bytes": limits.memory_bytes,
        }  # fmt: skip

    def _read(self, head: Mapping[str, Any], data: bytes, result: Callable[[Message], T]) -> T:
        name = head["name"]
        try:
            with self._worker(name) as worker:
                reply = worker.ask(Message(head, data), head["by_clock"])
            if "out_of_memory" in reply.head:
                reason = f"{name} needs more than {self._limits.memory_bytes / 1e9:.0f} GB of memory to read"
                raise _TooMuchError(reason, hint="split it into several files and read those")
            if "error" in reply.head:
                kind = UnsupportedFormatError if reply.head["unsupported"] else LoadError
                raise kind(str(reply.head["error"]), hint=str(reply.head["hint"]))
            if confinement.was_used_up(reply.head.get("ended", 0)):
                raise TimeoutError
            if "ended" in reply.head:
                raise EOFError(f"the process ended with {reply.head['ended']}")
            if "crashed" in reply.head:
                raise ValueError(reply.head["crashed"])
            return result(reply)
        except TimeoutError:
            raise _TooMuchError(f"{name} takes too long to read", hint=_SAVE_AGAIN) from None
        except (EOFError, OSError, ValueError) as error:
            raise LoadError(f"{name} could not be read: its parser crashed", hint=_SAVE_AGAIN) from error

    def close(self) -> None:
        """End all idle workers."""
        while worker := self._next_idle():
            worker.kill()

    def forget(self) -> None:
        """After a fork: leave the workers to the process that started them."""
        while worker := self._next_idle():
            worker.close_pipes()
            self._inherited.append(worker)

    @contextmanager
    def _worker(self, name: str) -> Iterator[_Worker]:
        """Lend a worker for one file. It is reused only if this file leaves it intact."""
        worker = self._next_idle()
        while worker is not None and not worker.is_running():
            worker.kill()
            worker = self._next_idle()
        try:
            worker = worker or _Worker(self._command)
        except OSError as error:
            raise LoadError(f"{name} could not be read: no process could be started", hint=str(error)) from error
        try:
            yield worker
        except BaseException:
            worker.kill()
            raise
        if worker.worn_out:
            worker.kill()
        else:
            self._idle.append(worker)

    def _next_idle(self) -> _Worker | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None


class _Worker:
    """One child process. ``worn_out`` is true once it should not be given another file."""

    def __init__(self, command: Sequence[str]) -> None:
        no_window = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows would open a console
        pipe, devnull = subprocess.PIPE, subprocess.DEVNULL
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}  # no keys among them
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=devnull, env=environment, creationflags=no_window
        )
        self._lock = threading.Lock()
        self._turn = 0  # goes up at the start and at the end of each request
        self._timed_out = False
        self.worn_out = False

    def is_running(self) -> bool:
        """Whether the process is still running."""
        return self._process.poll() is None

    def ask(self, message: Message, seconds: float) -> Message:
        """Return the reply; raise TimeoutError if it takes too long, by the clock or in processor time, EOFError if the
        process ends."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._turn += 1
        timer = threading.Timer(seconds, self._time_out, [self._turn])
        timer.daemon = True
        timer.start()
        try:
            send(self._process.stdin, message)
            reply = receive(self._process.stdout)
        except OSError:
            reply = None
        finally:
            timer.cancel()
            with self._lock:
                self._turn += 1
        if self._timed_out:
            raise TimeoutError
        if reply is None:
            code = self._process.wait()
            raise TimeoutError if confinement.was_used_up(code) else EOFError(f"the process ended with {code}")
        large = len(message.body) > _LARGE_FILE
        self.worn_out = "out_of_memory" in reply.head or large or self._turn > 2 * _MAX_FILES
        return reply

    def _time_out(self, turn: int) -> None:
        with self._lock:
            if turn == self._turn:
                self._timed_out = True
                self._process.kill()

    def close_pipes(self) -> None:
        """Close our ends of the pipes."""
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def kill(self) -> None:
        """Kill the process, which has no state worth saving, and wait for its end."""
        self._process.kill()
        self.close_pipes()
        self._process.wait()


_pool = WorkerPool()
_recognizing_pool = WorkerPool((*_COMMAND, "--ocr"), Limits(patience=600))  # may run Tesseract
for _one in (_pool, _recognizing_pool):
    atexit.register(_one.close)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_one.forget)


def parse_in_sandbox(data: bytes, name: str, options: Options, sent: Mapping[str, str] | None = None) -> Document:
    """Return the document in these bytes, recognised and parsed in a child process with limits on time and memory.

    ``sent`` is what a server said about them, if they came from one.
    """
    return (_recognizing_pool if options.ocr else _pool).parse(data, name, options, sent)


def picture_in_sandbox(data: bytes, name: str, page: int, passage: str = "", share: float = 0) -> PagePicture:
    """Return a page of the PDF in these bytes as a picture that is made in a child process; see ``WorkerPool``."""
    return _pool.picture(data, name, page, passage, share)
