"""Answers on a terminal: streamed in any pieces they stand there once, and one that starts again is set apart."""

from __future__ import annotations

import io
import signal
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from cli.console import Console
from cli.terminal import Terminal, shown
from readagent.cli.streaming import AnswerStream
from readagent.core.trace import AnswerText, Waiting
from readagent.testing.faults import Faults
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim

ANSWER = "The wallpaper steamer was in the shed behind the house all along."
REPLY = f'{ANSWER}\nPage 0: "the wallpaper steamer"\n'
CUTS: list[Callable[[str], Iterable[str]]] = [
    lambda text: text,
    lambda text: text.replace(" ", " \0").split("\0"),
    lambda text: [text[at : at + 3] for at in range(0, len(text), 3)],
    lambda text: [text],
]


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def replies(server: LoopbackServer, console: Console) -> list[str]:
    """The replies to the next questions; the document has been read."""
    console.done("read", "meeting.txt")
    queue: list[str] = []

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        return skim(prompt, constraint) if constraint or not queue else queue.pop(0)

    server.answer = answer
    return queue


@pytest.mark.slow
def test_answers_of_a_chat_stand_once_on_the_screen(server: LoopbackServer, replies: list[str]) -> None:
    with Terminal(200, "chat", "meeting.txt") as terminal:
        for number, pieces in enumerate(CUTS, 1):
            terminal.prompt()
            server.pieces = pieces
            replies.append(REPLY)
            terminal.type(f"Where was the steamer, try {number}?\r")
            terminal.until("pages opened: ")
            assert terminal.output.count(ANSWER) == 1, terminal.output
            assert "starts again" not in terminal.output
        terminal.prompt()
        terminal.type("\x04")
        code, _ = terminal.end()
    assert code == 0


def printed(monkeypatch: pytest.MonkeyPatch, *events: AnswerText | Waiting, answer: str) -> list[str]:
    """Return the lines on the screen after these events and the answer."""
    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setattr("sys.stderr", screen)
    with AnswerStream() as stream:
        for event in events:
            stream(event)
    stream.end(answer)
    return shown(screen.getvalue())


def test_an_answer_goes_on_after_a_wait_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    wait = Waiting(40, "the server asks to slow down")
    lines = printed(monkeypatch, AnswerText("It was "), wait, AnswerText("Irma."), answer="It was Irma.")
    assert lines == ["It was …", "It was Irma.", ""]
    assert printed(monkeypatch, AnswerText("Irma."), wait, answer="Irma.") == ["Irma.…", "Irma.", ""]
    assert printed(monkeypatch, wait, AnswerText("Irma."), answer="Irma.") == ["Irma.", ""]


@pytest.mark.slow
def test_a_wait_is_shown_and_can_be_interrupted(server: LoopbackServer) -> None:
    server.faults = Faults(planned=["429"] * 20)
    server._retry_after = 400
    with Terminal(100, "read", "story.txt") as terminal:
        terminal.until("waiting 4")
        terminal.process.send_signal(signal.SIGINT)
        code, output = terminal.end()
    assert code == 130
    assert " s: the server asks to slow down" in output
    assert "stopped; nothing is lost: run the same command again to continue" in output
