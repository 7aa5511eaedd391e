"""Tasks and languages on the command line: readings for a task are apart, and what is no language is refused."""

from __future__ import annotations

import pytest

from cli.console import Console, prompts
from lighthouse import STORIES
from readagent.cli import offline
from readagent.testing.loopback import LoopbackServer

TASK = "Who owes what?"


def read_again(server: LoopbackServer) -> bool:
    """Whether any passage was sent since the last call."""
    sent = any("<passage>" in prompt for prompt in prompts(server.requests))
    server.requests.clear()
    return sent


@pytest.fixture
def for_a_task(console: Console, server: LoopbackServer) -> LoopbackServer:
    """The server, after the story was read for a task only."""
    console.done("read", "story.txt", "--task", f"  Who owes\n {TASK[9:]} ")
    server.requests.clear()
    return server


@pytest.mark.slow
def test_a_question_without_a_task_reads_without_one(console: Console, for_a_task: LoopbackServer) -> None:
    result = console.done("ask", "story.txt", "Who is Irma?")
    assert result.err == (
        f"note: story.txt has been read for the task '{TASK}' and is now read without a task; "
        f"to use that reading: --task '{TASK}'\n"
    )
    assert read_again(for_a_task)
    assert console.done("ask", "story.txt", "Who is Irma?").err == ""
    assert console.done("ask", "story.txt", "Who is Irma?", "--task", TASK, "--json").json["task"] == TASK
    assert console.done("ask", "story.txt", "Who is Irma?", "--json").json["task"] == ""
    assert not read_again(for_a_task)


def test_answers_and_conversations_are_kept_per_task(console: Console, for_a_task: LoopbackServer) -> None:
    console.done("chat", "story.txt", "--task", TASK, stdin="Who holds the key?\n")
    console.done("chat", "story.txt", stdin="Who is Irma?\n")
    asked = [[one["question"] for one in console.done("export", "story.txt", *task).json["answers"]]
             for task in ([], ["--task", TASK])]  # fmt: skip
    assert asked == [["Who is Irma?"], ["Who holds the key?"]]
    for_a_task.requests.clear()
    console.done("chat", "story.txt", "--resume", "--task", TASK, stdin="And then?\n")
    sent = "".join(prompts(for_a_task.requests))
    assert "Question: Who holds the key?" in sent
    assert "Who is Irma?" not in sent


def test_a_code_of_no_language_is_refused(console: Console, server: LoopbackServer) -> None:
    assert console.fails("read", "meeting.txt", "--gist-language", "xx") == (
        "error: unknown language 'xx'\nhint: give its name, such as German\n"
    )
    assert server.requests == []


@pytest.mark.parametrize("code", ["de", "zh"])
def test_the_offline_reader_says_that_it_was_made_for_english(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    story = STORIES[code]
    offline.report_text_language(story.text)
    offline.report_question_language(["Why did Marta leave?", story.question])
    said = capsys.readouterr().err
    assert said.count("the offline reader was made for English, and ") == 2
    for expected in ("this text is not in English", "this question is not in English"):
        assert expected in " ".join(said.split())
