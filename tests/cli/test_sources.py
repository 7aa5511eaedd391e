"""`read` with folders, URLs and changed files, also where some files fail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from loaders.web_server import Page, WebServer, web_server
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ErrorResponse
from readagent.testing.skim import skim

NOTES = {
    "salt.txt": "Salt\n\nSalt came up the river in barges, and nobody counted it.\n",
    "bread.txt": "Bread\n\nBread was baked on Mondays, and the whole street knew it.\n",
    "more/rope.txt": "Rope\n\nRope was made in the long shed, and it smelt of tar.\n",
}


@pytest.fixture
def notes(desk: Path) -> Path:
    folder = desk / "notes"
    for name, text in NOTES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def site() -> Iterator[WebServer]:
    with web_server() as site:
        site.pages["/salt.txt"] = Page(NOTES["salt.txt"].encode())
        yield site


def titles(out: str) -> list[str]:
    """Return the titles of the documents, sorted: lines are printed as documents are finished."""
    return sorted(line.partition(":")[0] for line in out.splitlines())


@pytest.mark.slow
def test_a_changed_file_is_a_new_version(console: Console, server: LoopbackServer, desk: Path) -> None:
    notes = desk / "notes.txt"
    notes.write_text("My notes\n\nBuy salt.")
    console.done("read", "notes.txt")
    first = console.done("list", "--json").json[0]["id"]
    notes.write_text("My notes\n\nBuy salt and bread.")
    error = console.fails("show", "notes.txt")
    assert error.startswith(
        "error: notes.txt has changed since it was read\nhint: read it again: readagent read notes.txt"
    )
    assert first[:8] in error
    assert console.done("read", "notes.txt").out.endswith(", version 2\n")
    assert console.done("read", "notes.txt", "--json").json["version"] == 2
    (row,) = console.done("list", "--json").json
    assert (row["version"], row["newest"], row["words"]) == (2, True, 6)
    both = console.done("list", "--all", "--json").json
    assert [(one["version"], one["newest"]) for one in both] == [(1, False), (2, True)]
    result = console.done("list")
    assert "My notes (v2)" in result.out
    assert result.err == "1 older version not shown; use --all to list them\n"
    assert "My notes (v1)" in console.done("list", "--all").out
    notes.unlink()
    for name in ("notes.txt", "My notes"):
        assert console.done("show", name, "--json").json["words"] == 6
    assert console.done("show", first[:8], "--json").json["words"] == 4
    for verb in (["read"], ["ask"]):
        notes.write_text("My notes\n\nBuy salt and bread.")
        console.done("read", "notes.txt")
        notes.write_text("My notes\n\nBuy salt.")
        console.done(*verb, "notes.txt", *(["What to buy?"] if verb == ["ask"] else []))
        assert console.done("list", "--json").json[0]["id"] == first


@pytest.mark.slow
def test_a_web_page_is_downloaded_once(console: Console, server: LoopbackServer, site: WebServer) -> None:
    page = f"{site.address}/salt.txt"
    assert titles(console.done("read", page, "--allow-private").out) == ["Salt"]
    assert len(site.requests) == 1
    for arguments in (["ask", page, "What came up?"], ["show", f"{page}#top"], ["export", page], ["show", "salt.txt"]):
        assert console.done(*arguments).out
    assert len(site.requests) == 1
    site.pages["/salt.txt"] = Page(b"Salt\n\nNow it comes by rail, and clerks count every sack.")
    assert console.done("read", page, "--allow-private").out.endswith(", version 2\n")
    assert len(site.requests) == 2
    assert "rail" in console.done("show", page, "--all").out
    assert console.done("list", "--json").json[0]["source"] == page


WEB_PAGE = (
    "<title>Salt</title><nav><a href=/a>Home page</a> <a href=/b>World news</a></nav><main><h1>Salt</h1>"
    "<p>Salt came up the river in barges, and nobody counted it, neither at the quay nor at the gate.</p></main>"
)


@pytest.mark.slow
def test_the_words_of_a_web_page_that_are_left_out_are_told(
    console: Console, server: LoopbackServer, desk: Path
) -> None:
    (desk / "salt.html").write_text(WEB_PAGE)
    told = "note: 4 words left out as page furniture; --whole keeps them\n"
    read = console.done("read", "salt.html", "--json")
    assert read.json["metadata"]["left_out"] == "4"
    assert told in read.err
    assert told not in console.done("read", "salt.html", "--whole").err
    (desk / "again.html").write_text(WEB_PAGE.replace("barges", "boats"))
    assert told in console.done("ask", "again.html", "What came?").err
    assert told not in console.done("ask", "again.html", "What came?").err
    assert told in console.done("append", "again.html", "salt.html").err


@pytest.fixture
def three_notes(desk: Path) -> Path:
    """A folder with three short texts."""
    folder = desk / "notes"
    folder.mkdir()
    for name in ("bread", "rope", "salt"):
        (folder / f"{name}.txt").write_text(f"{name}\n\nNobody counted the {name} that came up the river.\n")
    return folder


def sacks(number: int) -> str:
    """Return a text that a model has to shorten."""
    return " ".join(f"Sack {number}.{sack} was sold." for sack in range(80))


def test_a_text_that_the_server_refuses_does_not_stop_the_folder(
    console: Console, server: LoopbackServer, three_notes: Path
) -> None:
    for number in range(8):
        bad = "This one is poison." if number < 4 else ""
        (three_notes / f"{number}.txt").write_text(bad + sacks(number))

    def refusing(prompt: str, constraint: dict[str, Any] | None) -> str:
        if "poison" in prompt:
            raise ErrorResponse(400, "The text was filtered", code="content_filter")
        return skim(prompt, constraint)

    server.answer = refusing
    result = console("read", "notes", "--parallel", "2")
    assert result.code == 1
    assert sorted(line.split(":")[0] for line in result.err.splitlines() if line.startswith("failed")) == [
        f"failed {number}.txt" for number in range(4)
    ]
    assert "notes: 7 of 11 files read" in result.err.splitlines()
    assert "error" not in result.err


def test_the_files_that_were_read_are_counted_before_an_error(
    console: Console, server: LoopbackServer, three_notes: Path
) -> None:
    def revoked(prompt: str, constraint: dict[str, Any] | None) -> str:
        if "Sack" in prompt:
            raise ErrorResponse(401, "Incorrect API key provided")
        return skim(prompt, constraint)

    (three_notes / "z.txt").write_text(sacks(1))
    server.answer = revoked
    result = console("read", "notes", "--parallel", "1")
    assert result.code == 1
    assert "notes: 3 of 4 files read\nerror: " in result.err
