"""`chat`: several questions with the earlier ones as context, also after `--resume`."""

from __future__ import annotations

from cli.console import Console
from readagent.testing.faults import Faults
from readagent.testing.loopback import LoopbackServer


def test_earlier_questions_are_remembered(console: Console, server: LoopbackServer) -> None:
    result = console.done("chat", "story.txt", stdin="Who is Irma Valk?\n\nWhat did she keep?\n")
    assert result.out.count("pages opened: ") == 2
    assert "> " not in result.out
    assert result.err == ""
    first, *_, second = (request.prompt for request in server.requests if request.parameters.get("stream"))
    assert "Who is Irma Valk?" in second
    assert "What did she keep?" not in first


def test_resume_continues_the_last_conversation(console: Console, server: LoopbackServer) -> None:
    console.done("chat", "story.txt", stdin="Who is Irma Valk?\n")
    console.done("chat", "story.txt", stdin="What did she keep?\n")
    assert "Who is Irma Valk?" not in server.requests[-1].prompt
    console.done("chat", "story.txt", "--resume", stdin="And where?\n")
    assert "What did she keep?" in server.requests[-1].prompt
    assert "Who is Irma Valk?" not in server.requests[-1].prompt


def test_turns_that_knew_more_of_the_text_are_left_out_with_a_note(console: Console, server: LoopbackServer) -> None:
    console.done("chat", "story.txt", stdin="Who is Irma Valk?\nWhat did she keep?\n")
    result = console.done("chat", "story.txt", "--resume", "--up-to", "2", stdin="And where?\n")
    assert "note: --up-to leaves out 2 earlier turns of the conversation, which knew more of the text" in result.err
    assert "What did she keep?" not in server.requests[-1].prompt


def test_resume_without_an_earlier_conversation_starts_one(console: Console, server: LoopbackServer) -> None:
    assert console.done("chat", "story.txt", "--resume", stdin="Who is Irma Valk?\n").out


def test_pages_and_gists_can_be_shown(console: Console, server: LoopbackServer) -> None:
    result = console.done("chat", "story.txt", stdin="/page 2\n/pages\n/page 99\n/what\n/quit\nNever asked?\n")
    assert result.out.startswith("She sat a long while.")
    assert "\n15: " in result.out
    assert result.err.count("/quit or Ctrl-D ends") == 2
    assert not any(request.parameters.get("stream") for request in server.requests)


def test_a_question_without_an_answer_does_not_end_the_conversation(console: Console, server: LoopbackServer) -> None:
    console.done("read", "story.txt")
    server.faults = Faults(planned=["empty"] * 4)  # both prompts of a question, with a reminder each
    result = console.done("chat", "story.txt", stdin="Who is Irma Valk?\nWho is Selma?\n")
    assert result.err.startswith("error: the model gave no answer twice: it was empty\nhint: ")
    assert result.out.count("pages opened: ") == 1
    last = [request.prompt for request in server.requests if "</memory>" in request.prompt][-1]
    assert "Irma" not in last.split("</memory>")[-1]
