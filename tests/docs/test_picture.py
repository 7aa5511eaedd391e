"""The picture of a terminal: it stands alone, shows the commands of the script, and quotes the story."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from docs.pages import ROOT
from record_demo import COLUMNS, COMMANDS, PICTURE, watched
from screen import Run, Screen, Style

SVG = "{http://www.w3.org/2000/svg}"
DRAWN = PICTURE.read_text("utf-8")
ROWS = [
    "".join(group.itertext()) for group in ElementTree.fromstring(DRAWN).iter(f"{SVG}g") if "class" not in group.attrib
]


def test_it_refers_to_nothing_outside_itself() -> None:
    allowed = {f"{SVG}{name}" for name in ("svg", "title", "desc", "style", "rect", "circle", "g", "text")}
    assert {element.tag for element in ElementTree.fromstring(DRAWN).iter()} <= allowed
    assert not re.search(r"href|url\(|@import|@font-face|(?<!xmlns=\")https?:", DRAWN)


def test_it_shows_the_commands_of_the_script() -> None:
    assert [row.removeprefix("$") for row in ROWS if row.startswith("$")] == [*COMMANDS, ""]
    assert all(len(f"$ {command}") <= COLUMNS for command in COMMANDS)


def test_its_quotes_stand_in_the_story() -> None:
    story = "".join((ROOT / "examples" / "story.txt").read_text("utf-8").split())
    quotes = re.findall(r'"([^"]+)"\(page\d+\)', "".join("".join(ROWS).split()))
    assert quotes
    assert all(quote in story for quote in quotes)


@pytest.mark.parametrize(
    ("printed", "rows"),
    [
        ("one\r\ntwo", ["one", "two"]),
        ("working\r\x1b[Kdone", ["done"]),
        ("abcdefghijkl", ["abcdefghij", "kl"]),
        ("one\r\ntwo\r\n\x1b[2A\x1b[2Kthree", ["three", "two", ""]),
        ("one\r\ntwo\x1b[1A\r\x1b[J", [""]),
        ("\x1b[?25lone\x1b[5Gtwo", ["one two"]),
    ],
)
def test_a_screen_shows_what_a_terminal_would(printed: str, rows: list[str]) -> None:
    screen = Screen(10)
    screen.feed(printed)
    assert ["".join(character for character, _ in row) for row in screen.rows] == rows


def test_a_screen_keeps_styles() -> None:
    screen = Screen(40)
    screen.feed("\x1b[1;32mgo\x1b[22m on\x1b[0m \x1b[2m(page 3)\x1b[0m  ")
    assert screen.runs() == [
        (Run(0, "go", Style("green", bold=True)), Run(3, "on", Style("green")), Run(6, "(page 3)", Style(dim=True)))
    ]


def test_a_row_that_changes_passes_and_the_last_state_stays() -> None:
    events = [(0.0, "1 of 2"), (1.5, "\r\x1b[K2 of 2"), (2.0, "\r\x1b[Kdone\r\n")]
    spans = [span for span in watched(iter(events)) if span.runs]
    assert [(span.start, span.end) for span in spans] == [(0.0, 1.5), (1.5, 2.0), (2.0, None)]
    assert [span.runs[0].text for span in spans] == ["1 of 2", "2 of 2", "done"]
