"""The progress line and a streamed answer: the line is cleared before the answer, which stands there once."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from cli.console import LIMIT, Console
from cli.terminal import CLEARED, Terminal, shown
from readagent.cli.progress import Pace, Progress
from readagent.cli.streaming import AnswerStream
from readagent.core.trace import AnswerText, Call, Elsewhere, GistDone, PageFound, Started, Usage, Waiting
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import Writer
from readagent.testing.skim import skim


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_is_drawn_only_on_a_terminal() -> None:
    stream = io.StringIO()
    with Progress(stream) as progress:
        progress(Started(500))
        progress(PageFound(0, 500))
    assert stream.getvalue() == ""


@pytest.mark.parametrize(("kept", "steps"), [(0, 4), (0, 40), (30, 40)])
def test_the_time_left_holds_within_a_factor_of_two(monkeypatch: pytest.MonkeyPatch, kept: int, steps: int) -> None:
    now, each = 100.0, 12.0  # seconds for a step
    monkeypatch.setattr("readagent.cli.progress.monotonic", lambda: now)
    pace = Pace()
    now += 9  # the program starts
    for step in range(kept + 1):
        pace.note(step / steps)
    for second in range(1, int((steps - kept) * each)):
        now += 1
        if second % each == 0:
            pace.note((kept + second // each) / steps, paid=True)
        if left := pace.left():
            minutes, rest = left.removesuffix(" left").split(":")
            real = (steps - kept) * each - second
            assert real / 2 - 3 <= 60 * int(minutes) + int(rest) <= 2 * real + 3
    assert left


def test_what_another_process_does_is_told_with_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now, screen = 100.0, Screen()
    monkeypatch.setattr("readagent.cli.progress.monotonic", lambda: now)
    progress, theirs = Progress(screen), Call("gist", 9, 9, Usage(), 9.0, False, "stop")
    progress(Started(1000))
    for page in range(4):
        for event in (Elsewhere(), PageFound(page, 100 * page + 100), GistDone(page), theirs):
            progress(event)
        now += 10
    assert screen.getvalue().endswith("reading 30% · by another process, too · 3/3 pages · 0:36 left")


@contextmanager
def held_server(monkeypatch: pytest.MonkeyPatch, request: int) -> Iterator[tuple[LoopbackServer, threading.Event]]:
    """Start a server that answers this many requests, and the others once the event is set."""
    go_on = threading.Event()
    answered = 0

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        nonlocal answered
        answered += 1
        if answered > request:
            assert go_on.wait(LIMIT)
        return skim(prompt, constraint)

    with LoopbackServer(answer).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        try:
            yield server, go_on
        finally:
            go_on.set()


@pytest.mark.slow
def test_the_progress_line_appears_and_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = 60
    with held_server(monkeypatch, 1) as (_, go_on), Terminal(columns, "read", "story.txt") as terminal:
        terminal.until("/6,980 words")
        go_on.set()
        code, output = terminal.end()
    assert code == 0
    drawn = [part for part in output.split(CLEARED) if part[1:].startswith(" reading")]
    assert drawn
    assert all(len(part) < columns for part in drawn)
    announced, *lines = shown(output)
    assert announced.startswith("sending the text to http://127.0.0.1:")
    assert max(map(len, lines)) <= columns
    said = re.sub(
        r"(?:or \d+ calls, )?[\d,]+ tokens", "N tokens", " ".join(lines).strip()
    )  # they depend on the prompts
    assert said.startswith(
        "The Second Two Hundred: 6,980 words, about 15 pages of up to 600 words, gists of 989 words; 2 calls,"
        " N tokens, N tokens if the model cannot read in one pass"
        " The Second Two Hundred: 6,980 words, 15 pages, gists of 989 words (86% shorter) 2 calls, N tokens in, "
    )


@pytest.mark.slow
def test_the_answer_is_streamed_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, whole = threading.Event(), Writer.event

    async def event(self: Writer, value: Any) -> None:
        await whole(self, value)
        if "hers." in str(value):
            assert go_on.wait(LIMIT)

    monkeypatch.setattr(Writer, "event", event)
    words = "Irma kept the ledger in a box. It was hers. Nobody knew."

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        return skim(prompt, constraint) if constraint or "<memory>" not in prompt else f"Answer: {words}"

    with LoopbackServer(answer).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        with Terminal(60, "ask", "story.txt", "What is counted?") as terminal:
            so_far = terminal.until("hers")
            assert "knew" not in so_far
            go_on.set()
            code, output = terminal.end()
    assert code == 0
    sending, *lines = shown(output)
    assert sending == f"sending the text to {server.base_url}"
    before = lines[: lines.index(words)]
    assert re.search(
        r"\d+ calls, [\d,]+ tokens, or \d+ calls, [\d,]+ tokens if the model cannot read in one pass$",
        " ".join(before).strip(),
    )
    assert any(line.startswith("checked") for line in shown(output))


@pytest.mark.slow
def test_remove_asks_for_confirmation(console: Console, server: LoopbackServer) -> None:
    console.done("read", "story.txt")
    for answer, left in (("n", "The Second Two Hundred was not removed"), ("y", "removed The Second Two Hundred")):
        with Terminal(80, "remove", "story") as terminal:
            terminal.until("[y/N]")
            terminal.type(f"{answer}\r")
            code, output = terminal.end()
        assert code == 0
        assert left in output


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
