"""`chat` on a terminal: editing, history, and what ends an answer but not the conversation."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import pytest

from cli.console import LIMIT, Console
from cli.terminal import Terminal
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim

pytestmark = pytest.mark.slow

LEFT, UP = "\x1b[D", "\x1b[A"


@pytest.fixture(autouse=True)
def read(console: Console, server: LoopbackServer) -> None:
    console.done("read", "meeting.txt")


def asked(server: LoopbackServer) -> str:
    """Return the question in the last prompt."""
    return server.requests[-1].prompt


def test_a_line_is_edited_and_brought_back(server: LoopbackServer) -> None:
    with Terminal(60, "chat", "meeting.txt") as terminal:
        terminal.prompt()
        terminal.type(f"Who speks?{LEFT * 3}a\r")
        terminal.until("checked")
        assert "Who speaks?" in asked(server)
        terminal.prompt()
        terminal.type(f"{UP}\x7f first?\r")
        terminal.until("checked")
        assert "Who speaks first?" in asked(server)
        terminal.prompt()
        assert "> Who speaks first?" in terminal.screen()
        terminal.type("exit\r")
        assert terminal.end()[0] == 0


class Slow:
    """Replies like a model that thinks until it is let go."""

    def __init__(self) -> None:
        self.began, self.go = threading.Event(), threading.Event()

    def __call__(self, prompt: str, constraint: dict[str, Any] | None) -> str:
        self.began.set()
        self.go.wait(LIMIT)
        return skim(prompt, constraint)


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot send Ctrl-C to one process")
def test_ctrl_c_ends_the_answer_and_not_the_conversation(server: LoopbackServer) -> None:
    slow = Slow()
    with Terminal(100, "chat", "meeting.txt") as terminal:
        terminal.prompt()
        server.answer = slow
        terminal.type("Who speaks?\r")
        assert slow.began.wait(LIMIT)
        terminal.process.send_signal(signal.SIGINT)
        terminal.until("stopped; ask again, or go on with another question")
        slow.go.set()
        server.answer = skim
        terminal.prompt()
        terminal.type("/cost\r")
        terminal.until("1 call stopped (its tokens are not known)")
        terminal.prompt()
        terminal.type("What was decided?\r")
        terminal.until("checked")
        terminal.prompt()
        terminal.type("\x03")
        terminal.until("exit or Ctrl-D ends the conversation, and so does Ctrl-C once more")
        terminal.prompt()
        terminal.type("\x03")
        assert terminal.end()[0] == 130
