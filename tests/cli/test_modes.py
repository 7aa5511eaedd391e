"""`--mode`: another reading of the same text, and another estimate."""

from __future__ import annotations

import pytest

from cli.console import Console
from readagent.testing.loopback import LoopbackServer

CASES = [(("--mode", "fast"), {"read"})]


@pytest.mark.parametrize(("flags", "steps"), CASES)
def test_another_mode_is_another_reading(
    console: Console, server: LoopbackServer, flags: tuple[str, ...], steps: set[str]
) -> None:
    guess = console.done("estimate", "story.txt", *flags, "--json").json
    console.done("read", "story.txt")
    usual = len(server.requests)
    read = console.done("read", "story.txt", *flags, "--json").json
    assert len(server.requests) > usual
    assert steps <= set(read["calls"])
    assert guess["reading"]["words"] == read["words_read"]


def test_fast_mode_reads_less_than_half_as_much(console: Console, server: LoopbackServer) -> None:
    usual = console.done("read", "story.txt", "--json").json
    fast = console.done("read", "story.txt", "--mode", "fast", "--json").json
    assert fast["words_read"] < 0.5 * usual["words_read"]
    assert fast["words"] == usual["words"]
    assert console.done("ask", "story.txt", "Who is Mira?", "--mode", "fast").out


def test_an_unknown_mode_is_rejected(console: Console, server: LoopbackServer) -> None:
    assert console("read", "story.txt", "--mode", "quick").code == 2
