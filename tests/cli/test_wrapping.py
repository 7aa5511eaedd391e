"""Tables and wrapped text on a terminal: columns line up in any script, lines end at words, a long `show` is paged."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wcwidth import wcswidth

from cli.console import Console, process
from cli.terminal import Terminal, shown
from readagent.cli.table import print_table
from readagent.cli.wrapping import WordWrap, fold, width_of, wrap_lines
from readagent.core.escaping import visible
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
    assert "checked" in output
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


TITLES = {
    "Chinese": "三国演义，第一回：宴桃园豪杰三结义，斩黄巾英雄首立功。天下大势，分久必合，合久必分。",
    "emoji": "👩\u200d👩\u200d👧 Family ❤️ recipes 🇩🇪 " + "👍🏽" * 30,
    "Hebrew": "סֵפֶר הַזֹּהַר על התורה",
    "one word": "x" * 200,
}


def lines_shown(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()


@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES)
def test_the_columns_after_a_title_line_up(
    title: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = 60
    monkeypatch.setenv("COLUMNS", str(columns))
    rows = [("1234abcd", title, "12,345", "7"), ("99999999", "Plain", "1", "123")]
    print_table(("id", "title", "words", "pages"), rows, wide="title")
    lines = lines_shown(capsys)
    assert all(wcswidth(line) <= columns for line in lines)
    first = [line for line in lines if line.startswith((" id", " 1234abcd", " 99999999"))]
    assert [line.split()[-1] for line in first] == ["pages", "7", "123"]
    assert len({wcswidth(line) for line in first}) == 1
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "".join(lines))


def test_right_to_left_titles_do_not_turn_the_columns_after_them(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("title", "words"), [(TITLES["Hebrew"], "12,345")], wide="title")
    assert re.search(r"[\u0590-\u05ff]\u200e +12,345$", lines_shown(capsys)[-1])


@example("\u200d\u200daaa", 2)
@given(
    st.text(st.sampled_from("ab 三、。👩\u200d👧❤\ufe0fe\u0301ש\u05b8\x1b\u202e\t"), max_size=40), st.integers(2, 12)
)
def test_folded_lines_fit_and_lose_nothing(text: str, columns: int) -> None:
    lines = fold(text, columns)
    assert all(width_of(line) <= columns for line in lines)
    assert "".join("".join(lines).split()) == "".join(visible(text).split())
