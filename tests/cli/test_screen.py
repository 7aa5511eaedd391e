"""Nothing that a document, a model, a server or a file name contains can act on the terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from cli.terminal import Terminal
from fixtures.small_files import letter
from readagent.cli.screen import safe, safe_json
from readagent.testing import LoopbackServer, skim

HOSTILE = (
    "\x1b]52;c;ZXZpbA==\x07", "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "\x1b]0;title\x07", "\x1b[2J\x1b[H",
    "\x9b31m", "\x90q\x9c", "\u202egnp.exe", "\u2066x\u2069", "\x08\x08\x08", "over\rwrite", "\x7f", "\x1b[8mhidden",
    "\u200b\U000e0041\ue000",
)  # fmt: skip
ALL = " ".join(HOSTILE)
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ue000\U000e0041]")
OWN = re.compile(r"\x1b\[(?:\d+(?:;\d+)*)?m|\r\x1b\[K")  # our styles, and the progress line


def reply(prompt: str, form: dict[str, Any] | None) -> str:
    answer = skim(prompt, form)
    return f"{answer} {ALL}" if "Answer the question" in prompt or prompt.startswith("Shorten") else answer


@pytest.fixture
def evil(monkeypatch: pytest.MonkeyPatch, desk: Path) -> Iterator[LoopbackServer]:
    """A server that puts control characters into its replies, and a document that is full of them."""
    usual = "Anna met Ben at the harbour, and the bell of the ferry rang again and again before the fog came in. " * 4
    lines = [f"{usual}Gate {number}: {HOSTILE[number % len(HOSTILE)]} they left." for number in range(48)]
    (desk / "evil.md").write_text(f"# A title {HOSTILE[0]} {HOSTILE[6]}\n\n" + "\n\n".join(lines))
    with LoopbackServer(reply).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "skimmer")
        yield server


COMMANDS = [
    ["read", "evil.md"], ["ask", "evil.md", "Who rang the bell at gate 7?"], ["show", "evil.md"],
    ["show", "evil.md", "--page", "1-2"], ["list"], ["find", "harbour"], ["export", "evil.md", "--format", "markdown"],
    ["estimate", "evil.md"], ["shelf", "add", "harbour", "evil.md"], ["shelf", "ask", "harbour", "Who rang the bell?"],
    ["improve", "evil.md", "--page", "1"], ["remove", "evil.md", "--yes"],
]  # fmt: skip


@pytest.mark.slow
def test_no_command_prints_control_characters(console: Console, evil: LoopbackServer) -> None:
    for command in COMMANDS:
        done = console(*command)
        assert done.code == 0, (command, done)
        for printed in (done.out, done.err):
            assert not UNSAFE.search(OWN.sub("", printed)), (command, UNSAFE.findall(printed))
        assert "unexpected error" not in done.err


def test_no_command_prints_the_control_characters_of_a_message(
    console: Console, evil: LoopbackServer, desk: Path
) -> None:
    text = f"The harbour budget is 4512 crowns {HOSTILE[3]} {HOSTILE[4]} {HOSTILE[6]}."
    (desk / "evil.eml").write_bytes(
        letter(f"Anna {HOSTILE[4]} <a@example.org>", f"Budget {HOSTILE[2]}{HOSTILE[6]}", text)
    )
    question = "What is the budget of the harbour?"
    for command in (["read"], ["show"], ["show", "--page", "1"], ["ask", question], ["chat"]):
        done = console(command[0], "evil.eml", *command[1:], stdin=f"{question}\n")
        assert done.code == 0, (command, done)
        assert not UNSAFE.search(OWN.sub("", done.out + done.err)), command
    assert not UNSAFE.search(console.done("find", "budget").out)


@pytest.mark.slow
def test_a_terminal_gets_our_styles_and_nothing_else(evil: LoopbackServer) -> None:
    for command in (["read", "evil.md"], ["ask", "evil.md", "Who rang the bell?"], ["show", "evil.md"], ["list"]):
        with Terminal(100, *command) as terminal:
            code, printed = terminal.end()
        assert code == 0, printed
        assert not UNSAFE.search(OWN.sub("", printed.replace("\r\n", "\n"))), command
    assert "\x1b[1m" in printed  # styles are used


@pytest.mark.slow
def test_hostile_replies_in_a_conversation_do_not_act(evil: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")  # without a line editor, which moves the cursor
    with Terminal(100, "chat", "evil.md") as terminal:
        for line in (
            "Who rang the bell at gate 7?",
            f"And {HOSTILE[0]}?",
            "/quotes",
            "/pages",
            "/page 1",
            "/cost",
            "exit",
        ):
            terminal.prompt("> ")
            terminal.type(f"{line}\n")
        code, _ = terminal.end()
    with Terminal(100, "chat", "evil.md", "--resume") as again:
        again.prompt("> ")
        again.type("exit\n")
        again.end()
    assert code == 0
    for printed in (terminal.seen + terminal.output, again.seen + again.output):
        assert not UNSAFE.search(OWN.sub("", printed.replace("\r\n", "\n")))


def test_errors_and_file_names_are_neutralised(console: Console, desk: Path) -> None:
    name = f"no{HOSTILE[3]}file.txt"
    for command in (["read", name], ["show", name], ["read", "--format", HOSTILE[0], "story.txt"], [HOSTILE[0]]):
        done = console(*command)
        assert done.code != 0
        assert not UNSAFE.search(done.err), command


def test_json_stays_exact_and_has_no_raw_control_characters(console: Console, evil: LoopbackServer, desk: Path) -> None:
    console.done("read", "evil.md")
    printed = console.done("export", "evil.md").out
    assert not UNSAFE.search(printed)
    text = "".join(page["text"] for page in json.loads(printed)["pages"])
    assert HOSTILE[6] in text
    assert json.loads(safe_json(json.dumps(ALL, ensure_ascii=False))) == ALL


def test_exported_markdown_has_no_markup_of_the_document(
    console: Console, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = "# Forged heading\n<script>alert(1)</script> ![pixel](http://evil.example/p.png) [link](javascript:x)\nForged\n====="
    hostile += "\n1. ## Page 9\n- # Top\n\\[click\\](http://evil.example)\n* * *"
    (desk / "note.txt").write_text(f"{hostile}\nAnna met Ben.")
    with LoopbackServer().in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        console.done("read", "note.txt")
    exported = console.done("export", "note.txt", "--format", "markdown").out
    front, heading, exported = exported.partition("\n# Forged heading\n")  # the title of the document
    assert front.startswith("---\n")
    assert heading
    assert "Anna met Ben." in exported
    for markup in (r"<script", r"!\[", r"[^\\]\]\(", r"\n# Forged", r"\n=====", r"\n1\. ", r"\n- ", r"\n\* "):
        assert not re.search(markup, exported), markup


def test_direction_marks_stay_and_overrides_do_not() -> None:
    marks = "\u200e\u200f\u061c"
    assert safe(f"\u05d0{marks}\u05d1") == f"\u05d0{marks}\u05d1"
    assert safe("a\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069b") == "ab"


def test_what_nobody_sees_is_not_printed_and_what_scripts_need_is() -> None:
    hidden = "".join(chr(0xE0000 + ord(one)) for one in "obey me")
    assert safe(f"a\u200bb\u2060c\ufeff\u00ad\u200c\u200dd{hidden}\U000e0001\u200d.") == "abcd."
    assert safe("\ue000\U0010fffd\ud800") == "\N{REPLACEMENT CHARACTER}" * 3
    needed = "می\u200cخواهم \u06dd क्\u200dष 👩\u200d🔬 \u00a0\u3000 \U0001fae9"  # the last is of a newer Unicode
    assert safe(needed) == needed
