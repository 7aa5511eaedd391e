"""`chat`: several questions with the earlier ones as context, also after `--resume`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest

from cli.console import Console
from readagent.cli.commands import ask, chat
from readagent.testing.faults import Faults
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim

PDF = Path(__file__).parents[1] / "fixtures" / "pdf" / "story.latex.pdf"


def test_earlier_questions_are_remembered(console: Console, server: LoopbackServer) -> None:
    result = console.done("chat", "story.txt", stdin="Who is Irma Valk?\n\nWhat did she keep?\n")
    assert result.out.count("pages opened: ") == 2
    assert "> " not in result.out
    assert result.err == ""
    first, *_, second = (request.prompt for request in server.requests if request.parameters.get("stream"))
    assert "Who is Irma Valk?" in second
    assert "What did she keep?" not in first


NOT_IN_A_CHAT = {
    "questions": "the lines of standard input are the questions",
    "batch": "each question needs the answers before it",
}


def test_chat_takes_every_option_of_ask() -> None:
    of_ask, of_chat = (
        {(one.name, *one.opts, *one.secondary_opts) for one in command.params if isinstance(one, click.Option)}
        for command in (ask.command, chat.command)
    )
    assert {name for name, *_ in of_ask - of_chat} == {*NOT_IN_A_CHAT}


def test_every_line_is_a_claim_or_a_choice(console: Console, server: LoopbackServer) -> None:
    lines = "Irma keeps the key.\nThe mill burns.\n"
    claims = console.done("chat", "story.txt", "--claim", "--json", stdin=lines).out.splitlines()
    assert [json.loads(line)["kind"] for line in claims] == ["claim", "claim"]
    chosen = console.done("chat", "story.txt", "-c", "Irma", "-c", "Selma", stdin="Who keeps the key?\n").out
    assert re.match(r"\([AB]\) (Irma|Selma)\n", chosen)
    console.done("shelf", "add", "stories", "story.txt")
    assert re.match(r"\([AB]\) ", console.done("chat", "--shelf", "stories", "-c", "a", "-c", "b", stdin="Who?\n").out)


def test_without_a_model_a_conversation_does_not_begin(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    with LoopbackServer().in_thread() as server:
        console.done("read", "story.txt", "--base-url", server.base_url, "--model", "skimmer")
    assert console.fails("chat", "story.txt", stdin="Who?\n").startswith("error: no model was named, and ")


def test_choices_that_cannot_be_used_end_the_command_at_once(console: Console, server: LoopbackServer) -> None:
    said = console.fails("chat", "story.txt", "--choice", "Irma", stdin="Who?\n")
    assert said.startswith("error: a multiple-choice question needs at least two options\nhint: give each with -c: ")
    assert console("chat", "story.txt", "-c", "Irma", "-c", "Ann", "--claim", stdin="Who?\n").code == 2
    assert server.requests == []


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
    assert "error: there is no page 99\nhint: give 1 to 15, or a place; /pages lists them" in result.err
    assert "error: there is no command /what\nhint: /help lists the commands" in result.err
    assert not any(request.parameters.get("stream") for request in server.requests)


def test_a_question_without_an_answer_does_not_end_the_conversation(console: Console, server: LoopbackServer) -> None:
    console.done("read", "story.txt")
    server.faults = Faults(planned=["empty"] * 4)  # both prompts of a question, with a reminder each
    result = console.done("chat", "story.txt", stdin="Who is Irma Valk?\nWho is Selma?\n")
    assert result.err.startswith("error: the model gave no answer twice: it was empty\nhint: ")
    assert result.out.count("pages opened: ") == 1
    last = [request.prompt for request in server.requests if "</memory>" in request.prompt][-1]
    assert "Irma" not in last.split("</memory>")[-1]


def test_resume_shows_what_was_said(console: Console, server: LoopbackServer) -> None:
    answer = console.done("chat", "story.txt", stdin="Who is Irma Valk?\n").out.splitlines()[0]
    said = console.done("chat", "story.txt", "--resume", stdin="").err
    assert f"> Who is Irma Valk?\n{answer}" in said


def test_a_conversation_that_is_continued_has_its_quotes(console: Console, server: LoopbackServer, desk: Path) -> None:
    first = console.done("chat", "story.txt", stdin="Who is Irma Valk?\n/quote\n/export first.md\n").out
    again = console.done("chat", "story.txt", "--resume", stdin="/quote\n/export again.md\n/cost\n")
    *quotes, cost = again.out.splitlines()
    assert quotes
    assert first.splitlines()[-len(quotes) :] == quotes
    assert cost == "no calls"
    assert (desk / "again.md").read_text("utf-8") == (desk / "first.md").read_text("utf-8")
    assert "\n> " in (desk / "again.md").read_text("utf-8")


def test_nearest_passages_are_named_as_such(console: Console, server: LoopbackServer, desk: Path) -> None:
    console.done("read", "story.txt")

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        return skim(prompt, constraint) if constraint or "<memory>" not in prompt else "The text does not say."

    server.answer = answer
    result = console.done("chat", "story.txt", stdin="What did Irma Valk keep?\n/quote\n/export talk.md\n")
    assert "\nnearest passages" in result.out
    assert "\nNearest passages" in result.out
    assert "\n*Nearest passages" in (desk / "talk.md").read_text("utf-8")


def test_pages_are_shown_with_their_places(console: Console, server: LoopbackServer, desk: Path) -> None:
    (desk / "tin.pdf").write_bytes(PDF.read_bytes())
    console.done("read", "tin.pdf", "--page-words", "200")
    result = console.done("chat", "tin.pdf", stdin="/pages\n/page 1\n/page p. 2\n/page p. 9\n/page 0\n/page\n")
    assert result.out.startswith("1 (p. 1): ")
    assert "\nPage 1  p. 1\n" in result.out
    assert "What is the sweet canal?" in result.out.rpartition("\nPage ")[2]
    assert "error: there is no place 'p. 9' in the text\nhint: near ones: p. 1; p. 2" in result.err
    assert result.err.count("error: there is no page") == 2


def test_a_shelf_has_no_pages(console: Console, server: LoopbackServer) -> None:
    console.done("shelf", "add", "one", "meeting.txt")
    asked = "/page 3\nWho speaks?\n"
    result = console.done("chat", "--shelf", "one", stdin=asked)
    assert "error: a shelf has no pages of its own\nhint: /pages lists its documents" in result.err
    quotes = console.done("chat", "--shelf", "one", "--resume", stdin="/quote\n").out
    assert "\n1 (Meeting of" in f"\n{quotes}"


@pytest.mark.parametrize("end", ["exit", "quit", "/quit", "/exit"])
def test_a_word_ends_the_conversation(console: Console, server: LoopbackServer, end: str) -> None:
    assert console.done("chat", "meeting.txt", stdin=f"{end}\nWho speaks?\n").out == ""


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


def test_the_cost_includes_reading_the_document(console: Console, server: LoopbackServer) -> None:
    cost = console.done("chat", "story.txt", stdin="/cost\nWho is Irma Valk?\n/cost\n").out.splitlines()
    reading, both = (int(line.split()[0]) for line in (cost[0], cost[-1]))
    assert 0 < reading < both == len(server.requests)


def test_the_text_around_a_quote_ends_where_the_reader_is(console: Console, server: LoopbackServer, desk: Path) -> None:
    (desk / "mill.md").write_text(
        "# Chapter 1\n\nIrma holds the key of the mill.\n\n# Chapter 2\n\nSelma stole the key in the night.\n"
    )
    asked = "Who holds the key of the mill?\n/quote\n"
    assert "Selma" in console.done("chat", "mill.md", stdin=asked).out
    shown = console.done("chat", "mill.md", "--up-to", "Chapter 1", stdin=asked).out
    assert "Irma holds the key of the mill." in shown.splitlines()[-1]
    assert "Selma" not in shown


def test_up_to_can_be_set_and_unset(console: Console, server: LoopbackServer) -> None:
    console.done("read", "story.txt")
    server.requests.clear()
    result = console.done("chat", "story.txt", stdin="/up-to 2\nWho is Irma?\n/up-to Nowhere\n/up-to\nWho is Selma?\n")
    assert result.err.splitlines()[0] == "the text is used up to 2"
    assert result.err.splitlines()[-1] == "the whole text is used"
    assert "error: " in result.err
    limited, *_, whole = (request.prompt for request in server.requests if "every page under its tag" in request.prompt)
    assert "<Page 3>" not in limited.partition("</memory>")[0]
    assert "<Page 3>" in whole


def test_up_to_limits_the_pages_that_are_shown(console: Console, server: LoopbackServer, desk: Path) -> None:
    typed = "/up-to 2\n/pages\n/page 2\n/page 3\n/up-to\n/pages\n"
    result = console.done("chat", "story.txt", stdin=typed)
    limited, _, whole = result.out.partition("She sat a long while.")
    assert [line.partition(":")[0] for line in limited.splitlines()] == ["1", "2"]
    assert "\n15: " in whole
    assert "error: there is no page 3 up to 2\nhint: give 1 to 2, or a place; /pages lists them; /up-to " in result.err


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


def test_a_shelf_can_be_talked_to_and_resumed(console: Console, server: LoopbackServer) -> None:
    console.done("shelf", "add", "both", "story.txt", "meeting.txt")
    server.requests.clear()
    result = console.done("chat", "--shelf", "both", stdin="Who is Irma Valk?\nWhat did she keep?\n/pages\n/quote\n")
    assert result.out.count("documents opened: ") == 2
    assert "The Second Two Hundred" in result.out
    assert any("Who is Irma Valk?" in one.prompt.partition("<history>")[2] for one in server.requests)
    again = console.done("chat", "--shelf", "both", "--resume", "--compare", stdin="And where?\n")
    assert "> What did she keep?" in again.err
    assert "documents compared: 2" in again.out


def test_the_options_of_ask_count(console: Console, server: LoopbackServer) -> None:
    console.done("read", "story.txt")
    result = console.done("chat", "story.txt", "--max-pages", "0", "--no-quotes", "--json", stdin="Who?\nWhere?\n")
    first, second = map(json.loads, result.out.splitlines())
    assert (first["pages"], first["quotes"], second["question"]) == ([], [], "Where?")


@pytest.mark.parametrize(
    "arguments", [[], ["story.txt", "--shelf", "x"], ["story.txt", "--compare"], ["--shelf", "x", "--up-to", "2"]]
)
def test_what_cannot_be_combined(console: Console, arguments: list[str]) -> None:
    assert console("chat", *arguments).code == 2


def test_commands_do_not_mix_with_answers_as_json(console: Console, server: LoopbackServer) -> None:
    result = console.done("chat", "story.txt", "--json", stdin="Who counts?\n/cost\n/quote\n/page 1\n/pages\n")
    (answer,) = result.out.splitlines()
    assert json.loads(answer)["answer"]
    assert " calls, " in result.err


def test_the_calls_of_an_answer_that_failed_are_counted(console: Console, server: LoopbackServer) -> None:
    console.done("read", "story.txt")
    server.requests.clear()
    server.answer = lambda prompt, constraint: skim(prompt, constraint) if constraint else ""
    result = console.done("chat", "story.txt", stdin="Who counts?\n/cost\n")
    assert len(server.requests) > 1
    assert result.out.startswith(f"{len(server.requests)} calls, ")
