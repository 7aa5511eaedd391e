"""Output on a terminal is wrapped at words, and a long `show` goes through the pager."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.console import Console, process
from cli.terminal import Terminal, shown
from readagent.cli.wrapping import WordWrap, width_of, wrap_lines
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim

ANSWER = "The steamer was in the shed behind the house all along, and nobody who was at the meeting had thought of it."


@given(st.text("ab \n", max_size=80), st.integers(1, 30), st.lists(st.integers(1, 7), min_size=1))
def test_a_text_in_pieces_is_wrapped_like_the_whole(text: str, columns: int, sizes: list[int]) -> None:
    whole = WordWrap(columns)
    expected = whole.feed(text) + whole.end()
    wrap, at, written = WordWrap(columns), 0, ""
    for size in sizes * len(text):
        written += wrap.feed(text[at : at + size])
        at += size
    assert written + wrap.end() == expected
    assert expected.split() == text.split()
    longest = max(map(len, text.split()), default=0)
    assert all(len(line) <= max(columns, longest) for line in expected.split("\n"))


def test_a_sentence_is_shown_before_more_arrives() -> None:
    wrap = WordWrap(12)
    assert (
        wrap.feed("It was hers.") + "|" + wrap.feed(" Nobody kn") + "|" + wrap.feed("ew.")
        == "It was hers.|\nNobody| knew."
    )
    assert wrap.feed(" It is 3.") + wrap.feed("14 now") + wrap.end() == "\nIt is 3.14\nnow"


def test_answers_quotes_and_notes_are_wrapped_at_words(console: Console, server: LoopbackServer) -> None:
    console.done("read", "meeting.txt")

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        return skim(prompt, constraint) if constraint or "<memory>" not in prompt else f"Answer: {ANSWER}"

    server.answer = answer
    code, output = Terminal(60, "ask", "meeting.txt", "Where was the steamer?").end()
    assert code == 0
    assert max(len(line) for line in shown(output)) <= 60
    assert ANSWER in " ".join(" ".join(shown(output)).split())
    assert ANSWER not in shown(output)


def test_chinese_and_japanese_lines_end_at_characters() -> None:
    text = '  "昔々、あるところに「お爺さん」と、お婆さんが住んでいました。ReadAgent は道具です。" (p. 3)'
    lines = wrap_lines(text, 24).split("\n")
    assert len(lines) > 3
    assert all(width_of(line) <= 24 and line.startswith("  ") for line in lines)
    assert not any(line.strip()[0] in "、。」" or line.endswith("「") for line in lines)
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", text)
    assert any("ReadAgent" in line for line in lines)
    wrap = WordWrap(24, "  ")
    assert "".join(map(wrap.feed, text)) + wrap.end() == "\n".join(lines)
    assert wrap_lines("안녕하세요 세계 좋은 아침", 12) == "안녕하세요\n세계 좋은\n아침"


@pytest.mark.slow
def test_colours_and_spinners_can_be_switched_off(
    console: Console, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    code, output = Terminal(80, "ask", "meeting.txt", "Who speaks?", no_color="").end()
    assert code == 0
    assert "pages opened: " in output
    assert "\x1b[0m" not in output
    assert "\x1b" not in output


@pytest.fixture
def pager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that the pager writes what it gets to."""
    program, seen = tmp_path / "pager", tmp_path / "paged.txt"
    program.write_text(f'#!/bin/sh\ncat > "{seen}"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PAGER", str(program))
    monkeypatch.setenv("TERM", "xterm")
    return seen


@pytest.mark.slow
def test_a_long_show_goes_through_the_pager_on_a_terminal_only(
    console: Console, server: LoopbackServer, pager: Path
) -> None:
    console.done("read", "story.txt")
    piped = process("show", "story").stdout
    assert not pager.exists()
    assert "Page 15" in piped
    code, output = Terminal(60, "show", "story").end()
    assert code == 0
    assert "Page 15" not in output
    paged = re.sub(r"\x1b\[[0-9;]*m", "", pager.read_text("utf-8"))
    assert paged.split() == piped.split()
    assert max(map(len, paged.splitlines())) <= 60
