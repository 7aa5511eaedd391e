"""Tables with titles in any script: columns line up by the width that a terminal gives each text."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wcwidth import wcswidth

from cli.console import Console
from readagent import Document
from readagent.cli.table import print_table
from readagent.cli.wrapping import fold, width_of
from readagent.core.escaping import visible

TITLES = {
    "Chinese": "三国演义，第一回：宴桃园豪杰三结义，斩黄巾英雄首立功。天下大势，分久必合，合久必分。",
    "emoji": "👩\u200d👩\u200d👧 Family ❤️ recipes 🇩🇪 " + "👍🏽" * 30,
    "Hebrew": "סֵפֶר הַזֹּהַר על התורה",
    "one word": "x" * 200,
}


def shown(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()


@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES)
def test_the_columns_after_a_title_line_up(
    title: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = 60
    monkeypatch.setenv("COLUMNS", str(columns))
    rows = [("1234abcd", title, "12,345", "7"), ("99999999", "Plain", "1", "123")]
    print_table(("id", "title", "words", "pages"), rows, wide="title")
    lines = shown(capsys)
    assert all(wcswidth(line) <= columns for line in lines)
    first = [line for line in lines if line.startswith((" id", " 1234abcd", " 99999999"))]
    assert [line.split()[-1] for line in first] == ["pages", "7", "123"]
    assert len({wcswidth(line) for line in first}) == 1
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "".join(lines))


def test_right_to_left_titles_do_not_turn_the_columns_after_them(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("title", "words"), [(TITLES["Hebrew"], "12,345")], wide="title")
    assert re.search(r"[\u0590-\u05ff]\u200e +12,345$", shown(capsys)[-1])


def test_the_library_with_titles_in_many_scripts(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    from readagent.settings import load_settings

    columns = 60
    monkeypatch.setenv("COLUMNS", str(columns))
    with load_settings().open_library() as library:
        for title in TITLES.values():
            library.add(Document.from_text(f"About {title}.", title=title))
    lines = console.done("list").out.splitlines()
    assert all(wcswidth(line) <= columns for line in lines)
    first = [line for line in lines if re.match(r" [0-9a-f]{8} ", line)]
    assert len(first) == len(TITLES)
    assert len({wcswidth(line) for line in first}) == 1


@example("\u200d\u200daaa", 2)
@given(
    st.text(st.sampled_from("ab 三、。👩\u200d👧❤\ufe0fe\u0301ש\u05b8\x1b\u202e\t"), max_size=40), st.integers(2, 12)
)
def test_folded_lines_fit_and_lose_nothing(text: str, columns: int) -> None:
    lines = fold(text, columns)
    assert all(width_of(line) <= columns for line in lines)
    assert "".join("".join(lines).split()) == "".join(visible(text).split())
