"""Sends Ctrl-C, or another signal, to a command at a chosen request to its server."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cli.console import LIMIT
from readagent.testing.skim import skim


class Interrupter:
    """Sends SIGINT, or another signal, to a process at the n-th request to the server.

    ``children`` are the processes that it had started until then (Linux only).
    """

    def __init__(self, at: int, number: int = signal.SIGINT, reply: Callable[..., str] = skim) -> None:
        self._at, self._number, self._reply = at, number, reply
        self.children: list[int] = []
        self.requests = 0
        self._known = threading.Event()
        self._process: subprocess.Popen[str] | None = None

    def watch(self, process: subprocess.Popen[str]) -> None:
        """Set the process to interrupt."""
        self._process = process
        self._known.set()

    def answer(self, prompt: str, constraint: dict[str, Any] | None) -> str:
        self.requests += 1
        if self.requests == self._at:
            assert self._known.wait(LIMIT)
            assert self._process is not None
            self.children = children_of(self._process.pid)
            self._process.send_signal(self._number)
        return self._reply(prompt, constraint)


def children_of(process: int) -> list[int]:
    """Return the child processes of a process; none where /proc does not list them."""
    lists = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for one in lists for child in one.read_text().split()]
