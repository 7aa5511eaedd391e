"""Cell: files are read in a process apart, so that no file can hang, crash or fill ours, whatever is in it.

A process is begun when first needed, kept for many files, and replaced when a file has brought it down.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import FORMATS, Options
from readagent.loaders.sandbox.messages import Message, receive, send, unpacked

# with -P no module is taken from the working folder, whatever lies there
_COMMAND = (sys.executable, "-P", "-m", "readagent.loaders.sandbox.child")
_MANY_FILES = 100  # after which a process is replaced, so that what libraries leave behind does not add up
_LARGE_FILE = 20_000_000  # bytes, likewise
_SAVE_ANEW = "open it in another program and save it anew, or as plain text, and read that"


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a file may take, by its size, and how much memory."""

    seconds: float = 60
    seconds_per_megabyte: float = 10
    most_seconds: float = 300
    memory_bytes: int = 2 << 30

    def seconds_for(self, size: int) -> float:
        """The seconds that a file of so many bytes may take."""
        return min(self.seconds + self.seconds_per_megabyte * size / 1_000_000, self.most_seconds)


class Cell:
    """Processes that read files apart, as many as there are threads that ask at the same time."""

    def __init__(self, command: Sequence[str] = _COMMAND, limits: Limits | None = None) -> None:
        self._command = command
        self._limits = limits or Limits()
        self._idle: deque[_Worker] = deque()
        self._inherited: list[_Worker] = []

    def parse(self, format: str, data: bytes, name: str, options: Options) -> Document:  # noqa: A002
        """The document in these bytes, as the room of this format reads it; LoadError where it does not."""
        limits = self._limits
        seconds = limits.seconds_for(len(data))
        allowed = {"seconds": seconds, "memory_bytes": limits.memory_bytes}
        head = {"format": format, "name": name, "options": asdict(options), **allowed}
        try:
            with self._lent(name) as worker:
                reply = worker.ask(Message(head, data), seconds)
            if "memory" in reply.head:
                reason = f"{name} needs more than {limits.memory_bytes / 1e9:.0f} GB of memory to read"
                raise LoadError(reason, hint="cut it into parts and read those")
            if "refused" in reply.head:
                raise LoadError(str(reply.head["refused"]), hint=str(reply.head["hint"]))
            if "broken" in reply.head:
                raise ValueError(reply.head["broken"])
            return unpacked(reply)
        except TimeoutError:
            raise LoadError(f"{name} took longer than {seconds:.3g} seconds to read", hint=_SAVE_ANEW) from None
        except (EOFError, OSError, ValueError) as error:
            reader = f"the {FORMATS[format].called.partition(' ')[2]} reader"
            raise LoadError(f"{name} cannot be read: {reader} broke down on it", hint=_SAVE_ANEW) from error

    def end(self) -> None:
        """End all processes that wait for files."""
        while worker := self._waiting():
            worker.end()

    def forget(self) -> None:
        """After a fork: leave the processes to the one that began them."""
        while worker := self._waiting():
            worker.let_go()
            self._inherited.append(worker)

    @contextmanager
    def _lent(self, name: str) -> Iterator[_Worker]:
        """A process for one file: it is kept for another only if this one leaves it sound."""
        worker = self._waiting()
        while worker is not None and not worker.alive():
            worker.end()
            worker = self._waiting()
        try:
            worker = worker or _Worker(self._command)
        except OSError as error:
            reason = f"{name} cannot be read: no process can be started to read it in"
            raise LoadError(reason, hint=str(error)) from error
        try:
            yield worker
        except BaseException:
            worker.end()
            raise
        if worker.spent:
            worker.end()
        else:
            self._idle.append(worker)

    def _waiting(self) -> _Worker | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None


class _Worker:
    """One process that reads files apart. ``spent`` says that it should not be given another."""

    def __init__(self, command: Sequence[str]) -> None:
        window = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # none is to open, where there are windows
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, creationflags=window)
        self._turn = threading.Lock()
        self._asked = 0
        self._overdue = False
        self.spent = False

    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def ask(self, message: Message, seconds: float) -> Message:
        """What it says to this; TimeoutError where that takes too long, EOFError or OSError where it ends."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._asked += 1
        watch = threading.Timer(seconds, self._overrun, [self._asked])
        watch.daemon = True
        watch.start()
        try:
            send(self._process.stdin, message)
            reply = receive(self._process.stdout)
        except OSError:
            reply = None
        finally:
            watch.cancel()
            with self._turn:
                self._asked += 1
        if self._overdue:
            raise TimeoutError
        if reply is None:
            raise EOFError(f"the process ended with {self._process.wait()}")
        self.spent = "memory" in reply.head or len(message.body) > _LARGE_FILE or self._asked > 2 * _MANY_FILES
        return reply

    def _overrun(self, asked: int) -> None:
        with self._turn:
            if asked == self._asked:
                self._overdue = True
                self._process.kill()

    def let_go(self) -> None:
        """Close our ends of the pipes."""
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def end(self) -> None:
        """Kill it, for there is nothing in it to be saved, and see it gone."""
        self._process.kill()
        self.let_go()
        self._process.wait()


_cell = Cell()
atexit.register(_cell.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_cell.forget)


def parse_apart(format: str, data: bytes, name: str, options: Options) -> Document:  # noqa: A002
    """The document in these bytes, read by the room of this format in a process apart, within limits."""
    return _cell.parse(format, data, name, options)
