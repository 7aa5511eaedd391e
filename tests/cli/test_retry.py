"""Pages without a gist on the command line: what `read`, `show` and `list` say about them, and `read --retry`."""

from __future__ import annotations

from typing import Any

import pytest

from cli.console import Console
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ErrorResponse
from readagent.testing.skim import skim

BAD = "Weighers have their habits"


def filtering(prompt: str, constraint: dict[str, Any] | None) -> str:
    if BAD in prompt:
        raise ErrorResponse(400, "The text was filtered", code="content_filter")
    return skim(prompt, constraint)


@pytest.fixture
def refused(console: Console, server: LoopbackServer) -> LoopbackServer:
    """A server that has refused a page of the story."""
    server.answer = filtering
    result = console.done("read", "story.txt", "--page-words", "400")
    assert result.out.endswith(", 1 page without a gist\n")
    assert "filtered" in result.err
    assert "page 4 can be asked for again: readagent read story.txt --retry" in result.err
    server.requests.clear()
    return server


def test_show_and_list_name_the_page_and_the_reason(console: Console, refused: LoopbackServer) -> None:
    shown = console.done("show", "story").out
    assert shown.splitlines()[0].endswith(", 1 page without a gist")
    assert "[opening of the page, no usable gist: " in shown
    assert "filtered" in shown
    pages = console.done("show", "story", "--json").json["page_list"]
    assert [page["number"] for page in pages if page["gist_problem"]] == [3]
    assert "(1 without a gist)" in console.done("list").out
    assert console.done("list", "--json").json[0]["leads"] == 1
    assert refused.requests == []


def test_retry_asks_for_that_page_only(console: Console, refused: LoopbackServer) -> None:
    again = console("read", "story.txt", "--retry")
    assert again.code == 1
    assert again.out.endswith("; 0 of 1 page retried got a gist\n")
    assert "filtered" in again.err
    assert "--retry" in again.err
    assert again.err.count("note: ") == 2, "nothing is said about page ends, which were not asked for"
    refused.answer = skim
    refused.requests.clear()
    result = console.done("read", "story", "--retry")
    assert result.out.endswith(" shorter); 1 of 1 page retried got a gist\n")
    assert result.err == ""
    assert len(refused.requests) == 1
    assert console.done("list", "--json").json[0]["leads"] == 0
    record = console.done("read", "story.txt", "--retry", "--json").json
    assert (record["leads"], record["calls"]) == ([], {})
    assert "nothing was asked" in console.done("read", "story.txt", "--retry").out
    assert len(refused.requests) == 1


@pytest.mark.slow
def test_warnings_are_printed_and_in_the_json(console: Console, server: LoopbackServer) -> None:
    result = console.done("read", "story.txt", "--window", "512", "--json")
    (warning,) = result.json["warnings"]
    assert f"warning: {warning}\n" in result.err
