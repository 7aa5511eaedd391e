"""Host: the process in which a model is run, seen from ours. It ends when told to, and at the latest with ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field

LISTENS, BROKEN = "listens", "broken"  # what the process may say, with an address or a reason


@dataclass(frozen=True, slots=True)
class Launch:
    """How to run a model: tokens of one request, requests at once, threads, and the key that clients must show."""

    path: str
    name: str
    window: int
    slots: int
    threads: int
    key: str = field(repr=False)


class Host:
    """``started`` comes to the server's address, or to an ImportError or RuntimeError; ``ended`` when it is gone.

    The process belongs to one thread of ours, which waits for its end: on Linux a process may ask to be killed when
    the thread that began it ends. The key is told through a pipe, where no other user can see it.
    """

    def __init__(self, launch: Launch) -> None:
        self.started: Future[str] = Future()
        self.ended: Future[None] = Future()
        self._launch = launch
        self._unwanted = False
        self._process: subprocess.Popen[bytes] | None = None
        threading.Thread(target=self._own, name="model", daemon=True).start()

    def end(self) -> None:
        """Kill the process; there is nothing in it to be saved."""
        self._unwanted = True
        if self._process is not None:
            self._process.kill()

    def _own(self) -> None:
        try:
            # with -P no module is taken from the working folder, whatever texts lie there
            line = [sys.executable, "-P", "-m", "readagent.embedded.child", str(os.getpid())]
            pipe = subprocess.PIPE
            with subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
                self._process = process
                if self._unwanted:
                    process.kill()
                self._hear(self._tell(process))
                process.wait()
        except OSError as error:
            if not self.started.done():
                self.started.set_exception(RuntimeError(str(error)))
        finally:
            self.ended.set_result(None)

    def _tell(self, process: subprocess.Popen[bytes]) -> str:
        """What the process says to what it is told to run; nothing, where it fails."""
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(asdict(self._launch)).encode() + b"\n")
        process.stdin.flush()
        return process.stdout.readline().decode("utf-8", "replace").strip()

    def _hear(self, said: str) -> None:
        what, _, more = said.partition(" ")
        if what == LISTENS:
            self.started.set_result(more)
        elif what == BROKEN:
            self.started.set_exception(ImportError(more))
        else:
            self.started.set_exception(RuntimeError("it does not load"))
