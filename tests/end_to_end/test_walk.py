"""What a person finds in the program's own shape: a type checker reports misspelled keywords, and the walk to the socket is short."""

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


api = pytest.importorskip("mypy.api", reason="needs mypy")

GOOD = """
from pathlib import Path
from readagent import Budget, Conversation, Library, Plan, Question, ReadAgent, Shelf, Turn, estimate, load
from readagent.errors import ReadAgentError
from readagent.events import Event
from readagent.testing import ScriptedModel, Skimmer

def listen(event: Event) -> None: ...

agent = ReadAgent("ollama/qwen3:8b", window=8192, library=Library("here"), budget=Budget(tokens=1000))
memory = agent.read(load("novel.txt"), listen=listen)
answer = agent.ask(memory, Question("Why?"), look_up="sequential", up_to="40%", history=[Turn("Who?", "Irma.")])
print(answer.text, answer.verified, [(quote.text, quote.by_us) for quote in answer.quotes], answer.did_not_fit)
with agent.stream(agent.read("novel.txt"), "Why?", max_pages=3) as stream:
    print([piece.upper() for piece in stream], stream.answer.quotes, agent.estimate(Path("novel.txt")).reading.cost)
print([(path.name, type(result)) for path, result in agent.read_all([Path("a.txt")])])
print(Conversation(agent).context("Why?", words=100), Conversation(agent).messages("Why?")[0]["role"])
print(Shelf(agent, "goods").ask("Why?", compare=True, documents=3).text)
print(Conversation(agent).ask("Why?", check=True).text, estimate(load("novel.txt"), plan=Plan(page_words=400)).reading)
"""
BAD = {
    "ReadAgent('m', windw=3)": "windw", "Shelf(agent, 'goods').ask('Why?', comapre=True)": "comapre",
    "agent.ask(memory, 'Why?', look_up='at once')": "look_up", "agent.ask(memory, 'Why?', histroy=[])": "histroy",
    "agent.ask(memory, 'Why?', history=[('Who?', 'Irma.')])": "Turn", "Plan(max_words=600)": "max_words",
    "agent.read(b'text')": "bytes", "agent.stream(memory, 'Why?', lookup='none')": "lookup",
    "Shelf(agent, 'goods').stream('Why?', comapre=True)": "comapre",
}  # fmt: skip


def checked(tmp_path: Path, source: str) -> str:
    """Return what ``mypy --strict`` prints about a script; empty if it finds nothing."""
    script = tmp_path / "script.py"
    script.write_text(source, "utf-8")
    out, err, _ = api.run(["--strict", "--no-error-summary", "--python-executable", sys.executable,
                           "--cache-dir", str(tmp_path / "cache"), str(script)])  # fmt: skip
    assert not err
    return str(out)


@pytest.mark.release
def test_a_type_checker_finds_misspelled_keywords_and_nothing_else(tmp_path: Path) -> None:
    lines = GOOD.strip().splitlines()
    out = checked(tmp_path, "\n".join([*lines, *BAD]))
    found = {int(line.split(":")[1]): line for line in out.splitlines() if ": error:" in line}
    assert sorted(found) == [len(lines) + number for number in range(1, len(BAD) + 1)], out
    for number, word in enumerate(BAD.values(), start=len(lines) + 1):
        assert word in found[number]
