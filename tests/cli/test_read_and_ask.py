"""`read` and `ask`: only results on standard output, and nothing is paid twice."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from readagent.testing.faults import Faults
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ErrorResponse
from readagent.testing.skim import skim


def test_unreadable_documents_are_skipped_and_reported(console: Console, server: LoopbackServer) -> None:
    result = console("read", "story.txt", "nowhere.txt", "meeting.txt")
    assert result.code == 1
    assert sorted(line.split(":")[0] for line in result.out.splitlines()) == [
        "Meeting of the Wendle Road Tool Library Committee, 14 March",
        "The Second Two Hundred",
    ]
    assert result.err.splitlines() == [
        "skipped nowhere.txt: there is no file nowhere.txt",
        "2 of 3 sources were read",
    ]


@pytest.mark.parametrize("name", ["story.txt", "a742eaaa"])
def test_a_document_is_found_by_any_of_its_names(
    console: Console, server: LoopbackServer, desk: Path, name: str
) -> None:
    console.done("read", "story.txt")
    (desk / "story.txt").unlink()
    assert console.done("ask", name, "Who is Irma?").out


def test_fallbacks_and_failures_are_reported(console: Console, server: LoopbackServer) -> None:
    def refusing(prompt: str, constraint: dict[str, Any] | None) -> str:
        return "I'm not able to help." if "Weighers have their habits" in prompt else skim(prompt, constraint)

    server.answer = refusing
    result = console.done("read", "story.txt", "--page-words", 400)
    assert result.out.startswith("The Second Two Hundred: ")
    mode, ends, gist, again = sorted(result.err.splitlines(), key=_kind)
    assert mode == (
        "note: no usable reply in one pass (it named no page); "
        "used instead: two steps: where each page ends, then its gist"
    )
    assert re.fullmatch(
        r"note: no usable reply on where to end pages? [\d, ]+ \(it named no legal answer\); "
        "used instead: a place in the allowed range",
        ends,
    )
    assert re.fullmatch(
        r"note: no usable gist for page \d+ \(it was too short to say anything\); "
        "used instead: the page's opening sentences",
        gist,
    )
    assert again.endswith("can be asked for again: readagent read story.txt --retry")
    server.faults = Faults(1.0, kinds=["refusal"])
    useless = console("read", "story.txt", "--uniform")
    assert useless.code == 1
    assert "the model returned nothing usable for the first 5 pages: it was too short to say anything" in useless.err
    failed = console("ask", "story.txt", "Who?", "--look-up", "none")
    assert (failed.code, failed.out) == (1, "")
    assert (
        failed.err.splitlines()[0] == "error: the model gave no answer twice: it had no line that begins with Answer:"
    )


def _kind(line: str) -> tuple[bool, bool]:
    return "in one pass" not in line, "no usable reply" not in line


def test_an_error_is_followed_by_what_was_spent(console: Console, server: LoopbackServer) -> None:
    def dying(prompt: str, constraint: dict[str, Any] | None) -> str:
        if len(server.requests) > 8:
            raise ErrorResponse(401, "Incorrect API key provided")
        return skim(prompt, constraint)

    server.answer = dying
    lines = console("read", "story.txt", "--parallel", "1", "--mode", "paper").err.splitlines()
    assert "Incorrect API key" in lines[0]
    assert re.fullmatch(r"note: 8 calls and [\d,]+ tokens were spent; everything is kept", lines[1])
