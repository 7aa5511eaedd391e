"""`read` with folders, URLs, copies and changed files, and other commands with these documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.console import Console
from loaders.web_server import Page, WebServer, web_server
from readagent.testing.loopback import LoopbackServer

pytestmark = pytest.mark.slow

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
