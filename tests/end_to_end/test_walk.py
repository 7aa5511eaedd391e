"""The walk from `readagent ask` to the socket is short, so that a person can follow what happens to a question."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import httpx2
import pytest

import readagent
from readagent.cli import main, run
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES

PACKAGE = Path(readagent.__file__).parent
Walk = list[tuple[str, str]]  # files and functions, from the command to the socket


class Walks:
    """The functions of the package that are being called when a request is sent, across tasks and threads."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.found: list[Walk] = []
        self._started: dict[asyncio.Task[Any] | None, Walk] = {}
        self._create, self._send = asyncio.create_task, httpx2.AsyncHTTPTransport.handle_async_request
        walks = self

        def create_task(work: Any, **options: Any) -> asyncio.Task[Any]:
            task = self._create(work, **options)
            self._started[task] = self._here()
            return task

        async def send(transport: httpx2.AsyncHTTPTransport, request: httpx2.Request) -> httpx2.Response:
            walks.found.append(walks._here())
            return await walks._send(transport, request)

        monkeypatch.setattr(asyncio, "create_task", create_task)
        monkeypatch.setattr(httpx2.AsyncHTTPTransport, "handle_async_request", send)

    def _here(self) -> Walk:
        """Return the functions from the command to this one: those that wait on the main thread come first."""
        caller = sys._current_frames()[threading.main_thread().ident or 0]
        return [*self._started.get(asyncio.current_task(), functions(caller)), *functions(sys._getframe())]


def functions(frame: FrameType | None) -> Walk:
    """Return the functions of the package that have called this frame, the first one first."""

    def frames(frame: FrameType | None) -> Iterator[FrameType]:
        while frame is not None:
            yield frame
            frame = frame.f_back

    codes = [one.f_code for one in frames(frame) if PACKAGE in Path(one.f_code.co_filename).parents]
    return [(one.co_filename, one.co_qualname) for one in reversed(codes)]


def test_there_are_at_most_20_functions_in_12_files(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader who wants to know what is sent, retried or paid for has to go through all of them."""
    story = str(EXAMPLES / "story.txt")
    with LoopbackServer().in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "skimmer")
        assert run(["read", story]) == 0
        walks = Walks(monkeypatch)
        monkeypatch.setattr(sys, "argv", ["readagent", "ask", story, "Who keeps the lighthouse?"])
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code == 0
    assert any("judged" in name for walk in walks.found for _, name in walk)
    for walk in walks.found:
        assert walk[0][1] == "main", walk
        assert len(walk) <= 20, walk
        assert len({file for file, _ in walk}) <= 12, walk
