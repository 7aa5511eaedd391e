"""Other languages on the command line: `--gist-language`, and what the offline reader says about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from lighthouse import STORIES
from needs import real_weights
from readagent.cli import offline
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim

QUESTION = "Why did Marta leave?"


@pytest.fixture
def story(desk: Path, server: LoopbackServer) -> str:
    """A story in English, and a model that shortens it in German if it is asked to."""

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        german = "\nWrite in German.\n" in prompt and prompt.startswith("Shorten the passage")
        return f"Gist: {STORIES['de'].gist}" if german else skim(prompt, constraint)

    server.answer = answer
    (desk / "lighthouse.txt").write_text(STORIES["en"].text)
    return "lighthouse.txt"


def test_a_memory_in_another_language_is_one_of_its_own(console: Console, server: LoopbackServer, story: str) -> None:
    english = console.done("read", story, "--json").json
    assert english["gist_language"] == ""
    german = console.done("read", story, "--gist-language", "de", "--json").json
    assert (german["gist_language"], german["fallbacks"]) == ("German", [])
    shown = console.done("show", story)
    assert "gists in: German" in shown.out
    assert STORIES["de"].gist.split(".")[0] in " ".join(shown.out.split())
    server.requests.clear()
    assert console.done("read", story, "--gist-language", "Deutsch", "--json").json["pages"] == german["pages"]
    assert console.done("ask", story, QUESTION, "--gist-language", "German").out
    assert not [one for one in server.requests if one.prompt.startswith("Shorten the passage")]


def test_a_code_of_no_language_is_refused(console: Console, server: LoopbackServer) -> None:
    assert console.fails("read", "meeting.txt", "--gist-language", "xx") == (
        "error: unknown language 'xx'\nhint: give its name, such as German\n"
    )
    assert server.requests == []


@pytest.mark.parametrize("code", ["de", "zh"])
def test_the_offline_reader_says_that_it_knows_english_only(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    story = STORIES[code]
    offline.report_text_language(story.text)
    offline.report_question_language([QUESTION, story.question])
    said = capsys.readouterr().err
    expected = ["this text is not in English", "this question is not in English"]
    assert said.count("the offline reader knows English only, and ") == len(expected)
    assert all(one in " ".join(said.split()) for one in expected)


@pytest.mark.release
@pytest.mark.weights
def test_a_german_text_and_question_offline(own_home: Path, desk: Path, console: Console) -> None:
    (own_home / "models").mkdir()
    (own_home / "models" / "minilm").symlink_to(real_weights("minilm"))
    (desk / "leuchtturm.txt").write_text(STORIES["de"].text)
    read = console.done("read", "leuchtturm.txt", "--model", "local")
    assert "knows English only, and this text is not in English" in " ".join(read.err.split())
    asked = console.done("ask", "leuchtturm.txt", STORIES["de"].question, "--model", "local")
    assert "knows English only, and this question is not in English" in " ".join(asked.err.split())
    assert "knows English only" not in console.done("read", "meeting.txt", "--model", "local").err
