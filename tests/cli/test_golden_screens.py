"""What people see on a terminal of 60 columns, kept as golden files; times, ports and the turning mark vary."""

from __future__ import annotations

import re
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from cli.console import LIMIT, Console
from cli.terminal import Terminal
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim

pytestmark = pytest.mark.slow

ONE_AT_A_TIME = ("--parallel", 1)


def stable(terminal: Terminal) -> list[str]:
    """Return the lines on the screen with what differs from run to run replaced."""
    lines = terminal.screen()
    assert all(len(line) <= terminal.columns for line in lines)
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", "\n".join(lines))
    text = re.sub(r"\b\d+ s\b", "N s", text)
    return re.sub(r"^[|/\\-] (?=\w)", "* ", text, flags=re.M).split("\n")


class Gate:
    """A model that does not reply until it is let go."""

    def __init__(self) -> None:
        self.open = threading.Event()

    def __call__(self, prompt: str, constraint: dict[str, Any] | None) -> str:
        self.open.wait(LIMIT)
        return skim(prompt, constraint)


def test_a_question_about_a_file_that_was_not_read(server: LoopbackServer, snapshot: SnapshotAssertion) -> None:
    """The estimate comes first, a slow model is waited for visibly, and the last line counts reading and answering."""
    server.answer = gate = Gate()
    with Terminal(60, "ask", "meeting.txt", "Who speaks first?", *ONE_AT_A_TIME) as terminal:
        terminal.until("waiting for the model")
        assert stable(terminal) == snapshot(name="waiting for a slow model")
        gate.open.set()
        assert terminal.end()[0] == 0
        assert stable(terminal) == snapshot(name="answered")


def test_a_server_that_is_busy(snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch) -> None:
    with LoopbackServer(faults=["429"], retry_after=40).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "skimmer")
        with Terminal(60, "read", "meeting.txt", *ONE_AT_A_TIME) as terminal:
            terminal.until(" s: ")
            assert stable(terminal) == snapshot


def test_text_that_is_followed(console: Console, server: LoopbackServer, snapshot: SnapshotAssertion) -> None:
    console.done("read", "meeting.txt")
    with Terminal(60, "append", "meeting", "-", "--follow", stdin=subprocess.PIPE) as terminal:
        terminal.until("waiting for text")
        assert stable(terminal) == snapshot(name="waiting for text")
        terminal.process.communicate(b"Kofi: The steamer is back in the shed.\n", timeout=LIMIT)
        assert terminal.end()[0] == 0
        assert stable(terminal) == snapshot(name="added")
    assert "The steamer is back in the shed." in console.done("show", "meeting", "--page", "8").out


def test_a_folder_and_the_library(server: LoopbackServer, desk: Path, snapshot: SnapshotAssertion) -> None:
    """The last line after many documents says what they took together."""
    (desk / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0 no text")
    with Terminal(60, "read", ".", *ONE_AT_A_TIME) as terminal:
        assert terminal.end()[0] == 0
        lines = stable(terminal)
    assert sorted(lines) == snapshot(name="a folder")  # documents are finished in any order
    assert lines[-1].endswith(" out")
    for command in ("list", "find salt barge --limit 2", "export meeting -o x.docx"):
        with Terminal(60, *command.split()) as terminal:
            terminal.end()
            assert stable(terminal) == snapshot(name=command)


def test_a_server_that_is_not_there(snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAGENT_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("READAGENT_MODEL", "skimmer")
    with Terminal(60, "read", "meeting.txt", "--patience", 0) as terminal:
        assert terminal.end()[0] == 1
        assert stable(terminal) == snapshot
