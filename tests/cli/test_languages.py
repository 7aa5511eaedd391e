"""Other languages on the command line: `--gist-language`, and what the offline reader says about them."""

from __future__ import annotations

import pytest

from cli.console import Console
from lighthouse import STORIES
from readagent.cli import offline
from readagent.testing.loopback import LoopbackServer

QUESTION = "Why did Marta leave?"


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
