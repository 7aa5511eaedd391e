"""`chat`: several questions with the earlier ones as context, also after `--resume`."""

from __future__ import annotations

import re
from pathlib import Path

from cli.console import Console
from readagent.testing.faults import Faults
from readagent.testing.loopback import LoopbackServer


def test_a_question_without_an_answer_does_not_end_the_conversation(console: Console, server: LoopbackServer) -> None:
    console.done("read", "story.txt")
    server.faults = Faults(planned=["empty"] * 4)  # both prompts of a question, with a reminder each
    result = console.done("chat", "story.txt", stdin="Who is Irma Valk?\nWho is Selma?\n")
    assert result.err.startswith("error: the model gave no answer twice: it was empty\nhint: ")
    assert result.out.count("checked") == 1
    last = [request.prompt for request in server.requests if "</memory>" in request.prompt][-1]
    assert "Irma" not in last.split("</memory>")[-1]


def test_commands_show_quotes_and_the_cost(console: Console, server: LoopbackServer) -> None:
    console.done("read", "story.txt")
    result = console.done("chat", "story.txt", stdin="/quote\nWho is Irma Valk?\n/quote 1\n/cost\n/quote 99\n")
    assert result.err.startswith("error: nothing has been asked yet\nerror: there is no quote 99\nhint: give 1 to ")
    shown, cost = result.out.splitlines()[-2:]
    assert shown.startswith("1 (page ")
    quoted = next(line for line in result.out.splitlines() if line.startswith('  "')).split('"')[1]
    assert quoted in shown
    assert len(shown) > len(quoted) + 100
    assert re.fullmatch(r"\d calls, [\d,]+ tokens in, [\d,]+ out", cost)
    again = console.done("chat", "story.txt", stdin="Who is Irma Valk?\n/cost\n").out.splitlines()[-1]
    assert re.fullmatch(r"\d calls, all from the library", again)


def test_a_page_that_is_cut_has_no_text_and_no_gist_of_what_follows(
    console: Console, server: LoopbackServer, desk: Path
) -> None:
    (desk / "mill.md").write_text(
        "# Chapter 1\n\nIrma holds the key of the mill.\n\n# Chapter 2\n\nSelma stole the key in the night.\n"
    )
    typed = "/pages\n/page 1\n/page Chapter 2\n/page Chapter 1\n"
    assert "Selma" in console.done("chat", "mill.md", stdin=typed).out
    result = console.done("chat", "mill.md", "--up-to", "Chapter 1", stdin=typed)
    assert result.out.count("Irma holds the key of the mill.") == 2
    assert "[no gist: it may tell what comes after Chapter 1]" in result.out
    assert "Selma" not in result.out + result.err
    assert "error: there is no place 'Chapter 2' in the text" in result.err


def test_the_conversation_is_exported(console: Console, server: LoopbackServer, desk: Path) -> None:
    said = "/export early.md\nWho is Irma Valk?\n/export talk.docx\n/export talk.md\n/export talk.md\n"
    result = console.done("chat", "story.txt", stdin=said)
    assert [line for line in result.err.splitlines() if not line.startswith("hint")] == [
        "error: there is nothing to write yet",
        "error: the conversation is written as Markdown",
        "wrote talk.md",
        "error: talk.md exists",
    ]
    text = (desk / "talk.md").read_text("utf-8")
    assert text.startswith("# The Second Two Hundred\n\n## Who is Irma Valk?\n\n")
    assert "\n> " in text
