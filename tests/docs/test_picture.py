"""The pictures of a terminal: each stands alone, shows the commands of the script, and what they print today."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from docs.pages import PAGES, ROOT
from needs import real_weights
from record_demo import COLUMNS, IMAGES, PICTURES, record, watched
from screen import Run, Screen, Style

SVG = "{http://www.w3.org/2000/svg}"
every_picture = pytest.mark.parametrize("name", PICTURES)


def drawn(name: str) -> str:
    return (IMAGES / f"{name}.svg").read_text("utf-8")


def rows(name: str) -> list[str]:
    """The rows that stay."""
    groups = ElementTree.fromstring(drawn(name)).iter(f"{SVG}g")
    return ["".join(group.itertext()) for group in groups if "class" not in group.attrib]


@every_picture
def test_it_refers_to_nothing_outside_itself(name: str) -> None:
    allowed = {f"{SVG}{tag}" for tag in ("svg", "title", "desc", "style", "rect", "circle", "g", "text")}
    assert {element.tag for element in ElementTree.fromstring(drawn(name)).iter()} <= allowed
    assert not re.search(r"href|url\(|@import|@font-face|(?<!xmlns=\")https?:", drawn(name))


@every_picture
def test_it_shows_the_commands_of_the_script(name: str) -> None:
    assert [row.removeprefix("$") for row in rows(name) if row.startswith("$")] == [*PICTURES[name], ""]
    assert all(len(f"$ {command}") <= COLUMNS for command in PICTURES[name])


def test_every_picture_is_shown_on_a_page() -> None:
    shown = {
        Path(link).stem
        for page in PAGES
        for link in re.findall(r"!\[.+\]\((.*images/.+\.svg)\)", page.read_text("utf-8"))
    }
    assert shown == set(PICTURES)


def test_the_quotes_of_the_demo_stand_in_the_story() -> None:
    story = "".join((ROOT / "examples" / "story.txt").read_text("utf-8").split())
    quotes = re.findall(r'"([^"]+)"\(page\d+\)', "".join("".join(rows("demo")).split()))
    assert quotes
    assert all(quote in story for quote in quotes)


def test_the_places_are_pages_of_the_pdf() -> None:
    shown = "".join("".join(rows("places")).split())
    assert "(p.1,Awallthatleans)" in shown
    assert "(page" not in shown


@pytest.mark.weights
@pytest.mark.slow
def test_the_commands_still_print_what_the_picture_shows() -> None:
    now = [span for span in record("places", real_weights("minilm").parent) if span.end is None and span.runs]
    assert ["".join(run.text for run in span.runs) for span in now] == rows("places")


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
