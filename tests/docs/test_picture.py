"""The pictures of a terminal: each stands alone, shows the commands of the script, and what they print today."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from docs.pages import ROOT
from needs import real_weights
from record_demo import COLUMNS, IMAGES, PICTURES, record

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


def test_the_quotes_of_the_demo_stand_in_the_story() -> None:
    story = "".join((ROOT / "examples" / "story.txt").read_text("utf-8").split())
    quotes = re.findall(r'"([^"]+)"\(page\d+\)', "".join("".join(rows("demo")).split()))
    assert quotes
    assert all(quote in story for quote in quotes)


@pytest.mark.release
@pytest.mark.weights
@pytest.mark.slow
def test_the_commands_still_print_what_the_picture_shows() -> None:
    now = [span for span in record("places", real_weights("minilm").parent) if span.end is None and span.runs]
    assert ["".join(run.text for run in span.runs) for span in now] == rows("places")
