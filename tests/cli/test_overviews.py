"""The commands for overviews: what they print, write and refuse."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from cli.console import Console
from planted import perfectly, story
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    """A server with a reader who misses no planted fact."""
    with LoopbackServer(perfectly).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "skimmer")
        yield server


@pytest.fixture
def mill(server: LoopbackServer) -> list[str]:
    """A story with planted events in mill.txt; its events are returned."""
    document, _, events = story(3000, 20)
    Path("mill.txt").write_text(document.text, "utf-8")
    return events


def test_kinds_and_headings_are_extracted(console: Console, mill: list[str]) -> None:
    assert console.done("extract", "mill.txt", "people").out
    assert console.done("extract", "mill.txt", "timeline", "-o", "events.csv").code == 0
    own = console.done("extract", "mill.txt", "gate, who", "--json").json
    assert own["rows"]
    assert list(own["rows"][0]["fields"]) == ["gate", "who"]
    assert "cannot be written" in console.fails("extract", "mill.txt", "people", "-o", "people.svg")
    assert "no headings" in console.fails("extract", "mill.txt", " , pages")


def test_notes_fill_in_the_headings_of_a_template(console: Console, mill: list[str]) -> None:
    Path("template.md").write_text("# Gates\nWho opened them?\n\n# Owners\n", "utf-8")
    record = console.done("notes", "mill.txt", "--template", "template.md", "--json").json
    assert [one["heading"] for one in record["notes"]] == ["Gates", "Owners"]
    Path("empty.md").write_text("\n", "utf-8")
    assert "has no headings" in console.fails("notes", "mill.txt", "--template", "empty.md")
    Path("binary.md").write_bytes(b"\xff\xfe\x00\x01")
    assert "no such file" in console.fails("notes", "mill.txt", "--template", "missing.md")
    assert "not text" in console.fails("notes", "mill.txt", "--template", "binary.md")


def test_names_that_look_like_formulas_or_markup_do_nothing(
    console: Console, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = '=cmd("x") | - | <script>alert(1)</script> \x1b[31m | - [Page 0]'

    def replying(prompt: str, constraint: Mapping[str, Any] | None) -> str:
        return hostile if "other names" in prompt else skim(prompt, constraint)

    Path("mill.txt").write_text(story(300, 3)[0].text, "utf-8")
    with LoopbackServer(replying).in_thread() as other:
        monkeypatch.setenv("READAGENT_BASE_URL", other.base_url)
        console.done("extract", "mill.txt", "people", "-o", "people.csv", "--no-check")
        console.done("extract", "mill.txt", "people", "-o", "people.html", "--no-check")
        shown = console.done("extract", "mill.txt", "people", "--no-check").out
    assert "\x1b" not in shown
    cells = [cell for row in csv.reader(Path("people.csv").read_text("utf-8").splitlines()) for cell in row]
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)
    drawn = Path("people.html").read_text("utf-8")
    assert "<script" not in drawn
    assert "\x1b" not in drawn


def test_markup_in_names_and_statements_is_shown_as_it_is(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "Anna *Abel* &lt;"
    said = f"{name} said `no` to *all* of it & left."

    def replying(prompt: str, constraint: Mapping[str, Any] | None) -> str:
        if "other names |" not in prompt:
            return skim(prompt, constraint)
        row = {"name": name, "other_names": "", "who": said, "relations": "", "pages": [0]}
        return json.dumps({"rows": [row]}) if constraint else f"{name} | - | {said} | - | 0"

    Path("mill.txt").write_text(f"{said} " * 20, "utf-8")
    with LoopbackServer(replying).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "skimmer")
        for ending in ("md", "txt", "csv", "html", "json"):
            console.done("extract", "mill.txt", "people", "-o", f"people.{ending}", "--no-check")
    (person,) = json.loads(Path("people.json").read_text("utf-8"))["people"]
    shown = MarkdownIt("commonmark").enable("strikethrough").render(Path("people.md").read_text("utf-8"))
    assert set(re.findall(r"<(\w+)", shown)) == {"p", "br"}
    plain = unescape(re.sub(r"<[^>]+>", "", shown))
    for text in (person["name"], person["about"]["text"]):
        assert text in plain
        assert text in Path("people.txt").read_text("utf-8")
        assert text in unescape(Path("people.html").read_text("utf-8"))
    (row,) = csv.DictReader(Path("people.csv").read_text("utf-8").splitlines())
    assert row["name"].removeprefix("'") == person["name"]
    assert row["who"].removeprefix("'") == person["about"]["text"]
