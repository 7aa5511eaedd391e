"""progress(): a line that says how far a reading is, in a notebook, on a terminal, and nowhere else."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from readagent import Document, ReadAgent, load, progress
from readagent.core.events import GistDone, Opened, PageFound, Started, Waiting
from readagent.core.model import Ask
from readagent.core.trace import Call, Usage
from readagent.errors import UnauthorizedError
from readagent.progress_line import Progress
from readagent.testing.scripted import ScriptedModel, Skimmer
from sessions import EXAMPLES

STORY = EXAMPLES / "story.txt"
CALL = Call("gist", 1, 1, Usage(90, 10, cost=0.01), 0.1, True, "stop")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def shell() -> Iterator[Any]:
    config = Config()
    config.HistoryManager.enabled = False  # its file would be in the test's home, which is gone at exit
    yield InteractiveShell.instance(config=config)
    InteractiveShell.clear_instance()


def test_the_line_counts_what_was_done() -> None:
    shown: list[str] = []
    listen = Progress(shown.append, clock=lambda: float(len(shown)))
    for event in (
        Started(1000),
        PageFound(0, 500),
        CALL,
        GistDone(0),
        PageFound(1, 1000),
        Waiting(5, "busy"),
        GistDone(1),
    ):
        listen(event)
    assert shown[0] == "0% of 1,000 words · 0 calls"
    assert shown[3] == "50% of 1,000 words · 1 of 1 page · 1 call · 100 tokens · $0.0100"
    assert shown[-2].endswith("waiting 5 s: busy")
    assert shown[-1].startswith("100% of 1,000 words · 2 of 2 pages · 1 call")


def test_it_is_not_drawn_too_often_but_at_the_end() -> None:
    shown: list[str] = []
    listen = Progress(shown.append, clock=lambda: 0.0)
    for event in (Started(1000), *(PageFound(n, 100 * n) for n in range(11)), *(GistDone(n) for n in range(11))):
        listen(event)
    assert len(shown) == 2
    assert shown[-1].startswith("100% of 1,000 words · 11 of 11 pages")


def test_on_a_terminal_and_not_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        with ReadAgent(Skimmer()) as agent:
            agent.read(STORY, listen=progress())
        assert ("100% of " in stream.getvalue()) == stream.isatty()


def test_many_documents() -> None:
    shown: list[str] = []
    with ReadAgent(Skimmer()) as agent:
        found = dict(agent.read_all([STORY, EXAMPLES / "meeting.txt"], listen=Progress(shown.append)))
    assert shown[-1].startswith("2 documents · 100% of ")
    assert len(found) == 2


def test_a_call_that_failed_is_not_shown_as_running() -> None:
    shown: list[str] = []
    memory = ReadAgent(Skimmer()).read(Document.from_text("Irma holds the key.", title="Key"))

    def fails(ask: Ask) -> Exception:
        listen(Opened((0,)))
        return UnauthorizedError("the key is wrong")

    listen = Progress(shown.append)
    with ReadAgent(ScriptedModel(fails)) as agent, pytest.raises(UnauthorizedError):
        agent.ask(memory, "Who holds the key?", listen=listen)
    assert any(line.endswith("answering") for line in shown)
    assert shown[-1] == "0 calls · failed: the key is wrong"


def test_in_a_notebook(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell with a kernel gets one display, which is updated in place."""
    published: list[tuple[bool, str, str]] = []

    def publish(data: dict[str, str], *, transient: dict[str, str], update: bool = False, **rest: Any) -> None:
        published.append((update, transient["display_id"], data.get("text/html", "")))

    monkeypatch.setattr(shell.display_pub, "publish", publish)
    monkeypatch.setattr(type(shell), "kernel", object(), raising=False)
    with ReadAgent(Skimmer()) as agent:
        agent.read(load(STORY), listen=progress())
    assert [update for update, _, _ in published] == [False] + [True] * (len(published) - 1)
    assert len({name for _, name, _ in published}) == 1
    assert "100% of " in published[-1][2]


@pytest.mark.slow
def test_in_a_real_kernel() -> None:
    """A kernel shows the line that the agent's thread updates, and memories and answers as HTML."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    cells = [
        "from readagent import ReadAgent, progress\nfrom readagent.testing import Skimmer\nagent = ReadAgent(Skimmer())\n"
        f"memory = agent.read({str(STORY)!r}, listen=progress())",
        "memory",
        "agent.ask(memory, 'Who is Irma?')",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    shown = [cell.outputs[0].data for cell in notebook.cells]
    assert "100% of 6,980 words · 15 of 15 pages" in shown[0]["text/html"]
    assert shown[0]["text/plain"].startswith("100% of 6,980 words")
    assert "The Second Two Hundred" in shown[1]["text/html"]
    assert "<mark>" in shown[2]["text/html"]


def test_a_shell_shows_memories_and_answers_as_html(shell: Any) -> None:
    with ReadAgent(Skimmer()) as agent:
        memory = agent.read(Document.from_text("Irma holds the key. Jakob sleeps.", title="Key"))
        answer = agent.ask(memory, "Who holds the key?")
    for shown in (memory, answer):
        formatted, _ = shell.display_formatter.format(shown)
        assert formatted["text/html"].startswith("<div")
        assert len(formatted["text/plain"]) <= 200
