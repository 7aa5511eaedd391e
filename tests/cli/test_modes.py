"""`--mode`: by default a text is read in one pass if the model can; the other modes are readings of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import Habits, skim


@pytest.fixture
def unable(server: LoopbackServer) -> LoopbackServer:
    """A server with a model that cannot read in one pass."""

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        return skim(prompt, constraint, Habits(one_pass=False))

    server.answer = answer
    return server


def test_a_capable_model_reads_in_one_pass_and_as_estimated(console: Console, server: LoopbackServer) -> None:
    guess = console.done("estimate", "story.txt", "--json").json
    result = console.done("read", "story.txt", "--json")
    assert set(result.json["calls"]) == {"read"}
    assert guess["reading"]["words"] == result.json["words_read"]
    assert guess["two_steps"]["words"] > 2 * guess["reading"]["words"]
    assert result.err == ""
    shown = console.done("estimate", "story.txt").out
    assert "reading, if the model cannot read in one pass: " in shown


def test_a_model_that_cannot_reads_in_two_steps_and_one_line_says_so(console: Console, unable: LoopbackServer) -> None:
    guess = console.done("estimate", "story.txt", "--json").json
    result = console.done("read", "story.txt", "--json")
    assert result.json["calls"] == {"read": 2, "paginate": 14, "gist": 15}
    assert guess["two_steps"]["words"] == result.json["words_read"]
    (fallback,) = result.json["fallbacks"]
    assert fallback["step"] == "mode"
    assert result.err == (
        "note: no usable reply in one pass (it named no page); "
        "used instead: two steps: where each page ends, then its gist\n"
    )
    again = console.done("read", "story.txt", "--json").json
    assert again["calls"] == {}
    assert again["fallbacks"] == [fallback]


def test_documents_of_one_command_are_tried_once(console: Console, unable: LoopbackServer) -> None:
    result = console.done("read", "story.txt", "meeting.txt")
    assert sum("label where it ends" in request.prompt for request in unable.requests) == 2
    assert result.err.count("in one pass") == 1


@pytest.mark.parametrize(("flags", "steps"), [(("--mode", "fast"), {"read"}), (("--mode", "paper"), {"paginate"})])
def test_each_mode_is_estimated_as_it_reads(
    console: Console, server: LoopbackServer, flags: tuple[str, ...], steps: set[str]
) -> None:
    guess = console.done("estimate", "story.txt", *flags, "--json").json
    read = console.done("read", "story.txt", *flags, "--json").json
    assert steps <= set(read["calls"])
    assert guess["reading"]["words"] == read["words_read"]
    assert "two_steps" not in guess


def test_another_mode_is_another_reading(console: Console, server: LoopbackServer) -> None:
    console.done("read", "story.txt", "--mode", "fast")
    usual = len(server.requests)
    console.done("read", "story.txt", "--mode", "paper")
    assert len(server.requests) > usual
    known = len(server.requests)
    console.done("read", "story.txt")
    console.done("read", "story.txt", "--mode", "auto")
    assert len(server.requests) == known  # what was read in either mode is used


def test_one_pass_reads_less_than_half_as_much(console: Console, server: LoopbackServer) -> None:
    fast = console.done("read", "story.txt", "--json").json
    usual = console.done("read", "story.txt", "--mode", "paper", "--json").json
    assert fast["words_read"] < 0.5 * usual["words_read"]
    assert fast["words"] == usual["words"]
    assert console.done("ask", "story.txt", "Who is Mira?", "--mode", "fast").out


def test_a_changed_file_is_read_in_the_mode_of_the_earlier_version(console: Console, server: LoopbackServer) -> None:
    file = Path("draft.txt")
    text = Path("story.txt").read_text("utf-8")
    file.write_text(text, "utf-8")
    console.done("read", "draft.txt", "--mode", "paper")
    server.requests.clear()
    file.write_text(f"{text[:-200]} The end is another one.", "utf-8")
    changed = console.done("read", "draft.txt", "--json").json
    assert "read" not in changed["calls"]
    assert len(server.requests) < 5  # the pages before the change are not paid for again
    file.write_text(f"{text[:-200]} And this is a third end.", "utf-8")
    anew = console.done("read", "draft.txt", "--mode", "fast", "--json").json
    assert anew["words_read"] > anew["words"]


def test_an_unknown_mode_is_rejected(console: Console, server: LoopbackServer) -> None:
    assert console("read", "story.txt", "--mode", "quick").code == 2
