"""`list`, `show`, `find`, `export` and `remove` work without a model."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cli.console import Console
from readagent.testing.loopback import LoopbackServer


@pytest.fixture
def read(console: Console, server: LoopbackServer) -> LoopbackServer:
    console.done("read", "story.txt")
    console.done("ask", "story.txt", "Who is Irma?")
    server.requests.clear()
    return server


def test_list_marks_unfinished_documents(console: Console, server: LoopbackServer) -> None:
    console.fails("read", "story.txt", "--max-tokens", "5000")
    assert "unfinished" in console.done("list").out
    assert console.done("list", "--json").json[0]["state"] != "done"
    error = console.fails("show", "story.txt")
    assert error == ("error: story.txt has not been read completely\nhint: continue with: readagent read story.txt\n")


def test_an_export_is_written_in_the_form_that_its_name_says(
    console: Console, read: LoopbackServer, desk: Path
) -> None:
    exported = console.done("export", "story").json
    result = console.done("export", "story", "-o", desk / "story.md")
    assert (result.out, result.err) == ("", f"wrote {desk / 'story.md'}\n")
    assert (desk / "story.md").read_text("utf-8").startswith('---\ntitle: "The Second Two Hundred"\n')
    assert (desk / "story.md").read_text("utf-8") == console.done("export", "story", "-f", "markdown").out
    console.done("export", "story", "-o", desk / "story.json")
    assert json.loads((desk / "story.json").read_bytes()) == exported
    assert console.done("export", "story", "-f", "html").out.startswith("<!DOCTYPE html>")
    for name in ("story.docx", "story.epub"):
        assert console.fails("export", "story", "-o", name) == (
            f"error: cannot write {name}: there is no export to {Path(name).suffix}\n"
            "hint: use a name in .json, .md, .html, or -f\n"
        )
        assert not (desk / name).exists()
    assert console.fails("export", "story", "-o", "no/story.md") == (
        "error: there is no folder no\nhint: make it first, or give another name\n"
    )


def test_a_file_is_replaced_on_request_only_and_a_source_never(
    console: Console, read: LoopbackServer, desk: Path
) -> None:
    source = (desk / "story.txt").read_bytes()
    (desk / "link.md").symlink_to("story.txt")
    (desk / "old.md").write_text("mine")
    asked = len(read.requests)
    for command in (["export", "story", "-f", "markdown"], ["summary", "story"], ["outline", "story.txt"]):
        assert console.fails(*command, "-o", "old.md") == (
            "error: old.md exists\nhint: give another name, or --force to replace it\n"
        )
        assert len(read.requests) == asked  # nothing was spent
    for command in (
        ["export", "story", "-f", "json"],
        ["extract", "story", "people"],
        ["compare", "story.txt", "meeting.txt"],
    ):
        for name in ("story.txt", "link.md"):
            arguments = [*command, "-o", name, "--force"]
            if command[0] == "export" and name == "link.md":
                arguments[3] = "markdown"
            result = console(*arguments)
            assert result.code == 1
            assert f"error: {name} is the source of a document\nhint: give another name" in result.err
            assert len(read.requests) == asked
    assert (desk / "story.txt").read_bytes() == source
    console.done("export", "story", "-o", "old.md", "--force")
    assert (desk / "old.md").read_text("utf-8").startswith("---\n")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes of this kind")
def test_what_is_no_file_is_never_written_to(
    console: Console, read: LoopbackServer, desk: Path, own_home: Path
) -> None:
    """A folder, a pipe, a device, and the files of the program itself."""
    (desk / "book.md").mkdir()
    os.mkfifo(desk / "pipe.md")
    asked, kept = len(read.requests), (own_home / "library.db").read_bytes()
    for name, what in (
        ("book.md", "a folder"), ("pipe.md", "not a file"), ("/dev/null", "not a file"),
        (own_home / "library.db", "in the home folder of readagent"),
    ):  # fmt: skip
        for force in ([], ["--force"]):
            assert f"error: {name} is {what}" in console.fails("export", "story", "-f", "json", "-o", name, *force)
    assert len(read.requests) == asked
    assert (own_home / "library.db").read_bytes() == kept


def test_the_library_is_never_replaced(console: Console, read: LoopbackServer, desk: Path, own_home: Path) -> None:
    """Nor are the files that belong to it, by whatever name they are reached, nor the user's settings."""
    place = desk / "papers" / "library.db"
    place.parent.mkdir()
    (own_home / "library.db").rename(place)
    (own_home / "config.toml").write_text("")
    (desk / "symbolic.db").symlink_to(place)
    (desk / "hard.db").hardlink_to(place)
    (desk / "settings.toml").hardlink_to(own_home / "config.toml")
    library, export = ("--library", place.parent), ("export", "story", "-f", "json", "--force")
    console.done(*library, "shelf", "add", "notes", "meeting.txt")
    kept = place.read_bytes()
    own = [Path(f"{place}{end}") for end in ("", "-wal", "-shm", "-journal")]
    for name in (*own, "symbolic.db", "hard.db", "papers/../papers/library.db"):
        refused = console.fails(*library, *export, "-o", name)
        assert refused == f"error: {name} is a file of the library\nhint: give another name\n"
    for name in ("settings.toml", own_home / "config.toml"):
        assert "home folder of readagent" in console.fails(*library, *export, "-o", name)
    assert place.read_bytes() == kept
    assert (own_home / "config.toml").read_text() == ""
