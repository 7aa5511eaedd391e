"""`--mode`: by default a text is read in one pass if the model can; the other modes are readings of their own."""

from __future__ import annotations

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
