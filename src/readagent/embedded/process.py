"""The child process that runs a model, as our process sees it. It ends when asked to, and at the latest with ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field

LISTENING, IMPORT_FAILED = "listening", "import-failed"  # printed by the child, with an address or a reason
# Threads that wait for each other sleep. If they spin, a computer that is busy with other work slows them down by far.
_WAITING = {"OMP_WAIT_POLICY": "passive"}


@dataclass(frozen=True, slots=True)
class Launch:
    """How to run a model: tokens per request, concurrent requests, threads, and the key that clients must send."""

    path: str
    name: str
    window: int
    slots: int
    threads: int
    key: str = field(repr=False)


class ModelProcess:
    """A child process with a model.

    ``started`` resolves to the address of its server, or to an ImportError or RuntimeError; ``ended`` resolves when the
    process is gone. One thread of ours starts the process and waits for its end: on Linux a child may ask to be killed
    when the thread that started it ends. The key is passed through a pipe, where no other user can see it.
    """

    def __init__(self, launch: Launch) -> None:
        self.started: Future[str] = Future()
        self.ended: Future[None] = Future()
        self._launch = launch
        self._killed = False
        self._process: subprocess.Popen[bytes] | None = None
        threading.Thread(target=self._run, name="model", daemon=True).start()

    def kill(self) -> None:
        """Kill the process. It holds nothing that needs saving."""
        self._killed = True
        if self._process is not None:
            self._process.kill()

    def _run(self) -> None:
        try:
            # with -P no module is imported from the working directory, whatever files are in it
            command = [sys.executable, "-P", "-m", "readagent.embedded.child", str(os.getpid())]
            pipe, env = subprocess.PIPE, os.environ | _WAITING
            with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=env) as process:
                self._process = process
                if self._killed:
                    process.kill()
                self._resolve_started(self._handshake(process))
                process.wait()
        except OSError as error:
            if not self.started.done():
                self.started.set_exception(RuntimeError(str(error)))
        finally:
            self.ended.set_result(None)

    def _handshake(self, process: subprocess.Popen[bytes]) -> str:
        """Send the launch options, and return the line that the process prints; empty if it fails."""
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(asdict(self._launch)).encode() + b"\n")
        process.stdin.flush()
        return process.stdout.readline().decode("utf-8", "replace").strip()

    def _resolve_started(self, line: str) -> None:
        status, _, detail = line.partition(" ")
        if status == LISTENING:
            self.started.set_result(detail)
        elif status == IMPORT_FAILED:
            self.started.set_exception(ImportError(detail))
        else:
            self.started.set_exception(RuntimeError("the model could not be loaded"))
