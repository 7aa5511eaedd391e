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
from readagent.core.trace import Call, GistDone, PageFound, Started, Usage, Waiting
from readagent.progress_line import Progress
from readagent.testing.scripted import Skimmer
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


def test_on_a_terminal_and_not_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        with ReadAgent(Skimmer()) as agent:
            agent.read(STORY, listen=progress())
        assert ("100% of " in stream.getvalue()) == stream.isatty()


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


def test_a_shell_shows_memories_and_answers_as_html(shell: Any) -> None:
    with ReadAgent(Skimmer()) as agent:
        memory = agent.read(Document.from_text("Irma holds the key. Jakob sleeps.", title="Key"))
        answer = agent.ask(memory, "Who holds the key?")
    for shown in (memory, answer):
        formatted, _ = shell.display_formatter.format(shown)
        assert formatted["text/html"].startswith("<div")
        assert len(formatted["text/plain"]) <= 200
