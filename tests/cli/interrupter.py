"""Sends Ctrl-C to a command at a chosen request to its server."""

from __future__ import annotations

import signal
import subprocess
import threading
from typing import Any

from cli.console import LIMIT
from readagent.testing.skim import skim


class Interrupter:
    """Sends SIGINT to a process at the n-th request to the server."""

    def __init__(self, at: int) -> None:
        self._at = at
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
            self._process.send_signal(signal.SIGINT)
        return skim(prompt, constraint)
