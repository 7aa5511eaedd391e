"""`--memory-words` instead of page sizes, and default sizes that follow from text and window."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.console import Console
from readagent.testing.loopback import LoopbackServer


@pytest.mark.parametrize("words", [150])
def test_the_gists_stay_within_the_budget(console: Console, server: LoopbackServer, words: int) -> None:
    result = console.done("read", "story.txt", "--memory-words", words, "--json").json
    assert (result["merged"] or result)["gist_words"] <= words
    assert result["pages"] > 1
    asked = console.done("ask", "story.txt", "Who is Irma?", "--json").json
    assert asked["pages"]


@pytest.mark.slow
def test_a_small_window_needs_no_other_option(console: Console, server: LoopbackServer) -> None:
    console.done("read", "story.txt", "--window", "1500")
    asked = console.done("ask", "story.txt", "Who is Irma?", "--window", "1500", "--json").json
    assert asked["pages"]
    assert not asked["did_not_fit"]
    shown = console.done("show", "story.txt", "--json").json
    assert shown["pages"] > max(asked["pages"])
    assert all(page["words"] <= 400 for page in shown["page_list"])


def test_a_smaller_window_does_not_read_again(console: Console, server: LoopbackServer) -> None:
    console.done("read", "story.txt")
    read = len(server.requests)
    console.done("read", "story.txt", "--window", "2048")
    again = [request.prompt for request in server.requests[read:]]
    assert again
    assert not any("pause" in prompt and "<1>" in prompt for prompt in again)  # pages are merged, not found again


def test_a_budget_of_zero_is_rejected(console: Console, desk: Path) -> None:
    result = console("read", "story.txt", "--memory-words", "0")
    assert result.code == 2
    assert "--memory-words" in result.err
