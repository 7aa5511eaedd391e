"""`ask --questions`: the questions in a file are answered in order, even if some fail."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from cli.console import LIMIT, Console, process, prompts, running
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim

THREE = "Who is Irma Valk?\n\nWho holds the flag at the regatta?\nWhat did the dial read?\n"


@pytest.fixture
def questions(desk: Path) -> Path:
    (desk / "three.txt").write_text(THREE)
    return desk / "three.txt"


def lines(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_questions_in_a_file_are_answered_in_order(console: Console, server: LoopbackServer, questions: Path) -> None:
    result = console.done("ask", "story.txt", "--questions", questions)
    asked = [line for line in THREE.splitlines() if line]
    assert [part.splitlines()[0] for part in result.out.strip().split("\n\n")] == asked
    assert result.out.count("pages opened: ") == 3
    single = console.done("ask", "story.txt", asked[1])
    assert single.out in result.out
    server.requests.clear()
    assert console.done("ask", "story.txt", "--questions", "-", stdin=THREE).out == result.out
    assert not server.requests


def test_all_prompts_share_a_prefix(console: Console, server: LoopbackServer, questions: Path) -> None:
    console.done("read", "story.txt")
    server.requests.clear()
    console.done("ask", "story.txt", "--questions", questions, "--look-up", "none")
    sent = [one for one in prompts(server.requests) if "<memory>" in one]
    assert len(sent) == 3
    assert len({one[: one.index("<question>")] for one in sent}) == 1


def test_a_failed_question_does_not_stop_the_others(
    console: Console, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(prompt: str, constraint: dict[str, Any] | None) -> str:
        refuses = "regatta?" in prompt and constraint is None
        return "I'm sorry, but I can't help with that." if refuses else skim(prompt, constraint)

    with LoopbackServer(refusing).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        result = console("ask", "story.txt", "--questions", questions, "--json")
        people = console("ask", "story.txt", "--questions", questions)
    assert result.code == people.code == 1
    first, second, third = lines(result.out)
    assert "error" not in first
    assert "error" not in third
    assert second["question"] == "Who holds the flag at the regatta?"
    assert "no answer" in second["error"]
    assert result.err.splitlines() == [
        "error: 1 of 3 questions could not be answered",
        "hint: run the same command again: the other answers cost nothing",
    ]
    assert "Who holds the flag at the regatta?\nno answer\n" in people.out
    assert "error: Who holds the flag at the regatta?: the model gave no answer" in people.err


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "there are no questions in wrong.txt"),
        ('{"question": "Who?", "kind": "riddle"}', '"kind" is not one of'),
        ('{"question": "Who?"}\nWho?', "line 2: it is a plain question, unlike the first line"),
    ],
)
def test_errors_in_a_file_are_reported_before_anything_is_read(
    console: Console, server: LoopbackServer, desk: Path, text: str, error: str
) -> None:
    (desk / "wrong.txt").write_text(text)
    assert error in console.fails("ask", "story.txt", "--questions", "wrong.txt")
    assert "cannot read nowhere.txt: no such file" in console.fails("ask", "story.txt", "--questions", "nowhere.txt")
    assert not server.requests


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows cannot send Ctrl-C to one process")
def test_ctrl_c_keeps_finished_answers(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (desk / "many.txt").write_text("".join(f"Who is number {n}?\n" for n in range(30)))
    started = threading.Event()
    asked: list[str] = []

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        if "number 12?" in prompt and not asked:
            asked.append(prompt)
            assert started.wait(LIMIT)
            child.send_signal(signal.SIGINT)
        return skim(prompt, constraint)

    with LoopbackServer(answer).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        arguments = ["ask", "meeting.txt", "--questions", "many.txt", "--parallel", "2", "--json"]
        with running(*arguments) as child:
            started.set()
            out, err = child.communicate(timeout=LIMIT)
        assert child.returncode == 130, err
        done = lines(out)
        assert 10 <= len(done) < 30
        assert [one["question"] for one in done] == [f"Who is number {n}?" for n in range(len(done))]
        answered = set(prompts(server.requests))
        server.requests.clear()
        again = process(*arguments)
        assert again.returncode == 0, again.stderr
        assert [one["answer"] for one in lines(again.stdout)][: len(done)] == [one["answer"] for one in done]
        assert not answered & {request.prompt for request in server.requests}
