"""`list`, `show`, `find`, `export` and `remove` work without a model."""

from __future__ import annotations

import json
import os
import re
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


def test_show_prints_the_gists(console: Console, read: LoopbackServer) -> None:
    out = console.done("show", "story").out
    assert out.startswith("The Second Two Hundred: 6,980 words, 15 pages")
    assert [line.split()[1] for line in out.splitlines() if line.startswith("Page ")] == [str(n) for n in range(1, 16)]
    assert (
        len(re.findall(r"^Page \d+ .*\n.+\n(?:\n|\Z)", out, re.M)) == 15
    )  # a gist is one line where there is no terminal
    assert read.requests == []


@pytest.mark.parametrize("page", ["0"])
def test_a_page_that_is_not_there(console: Console, read: LoopbackServer, page: str) -> None:
    error = console.fails("show", "story", "--page", page)
    assert "there is no page" in error
    assert "hint: pages are numbered from 1 to 15" in error


def test_find_lists_pages(console: Console, read: LoopbackServer) -> None:
    out = console.done("find", "salt", "barge").out
    assert out.startswith("The Second Two Hundred, page ")
    assert "\x02" not in out
    hits = console.done("find", '"night watchman"', "--json").json
    assert all("[night] [watchman]" in hit["snippet"] or "[night watchman]" in hit["snippet"] for hit in hits)
    assert {hit["page"] for hit in hits} >= {1}
    assert len(console.done("find", "salt", "--limit", "2", "--json").json) == 2
    assert console.done("find", "salt", "--in", "story.txt").out
    assert console.done("find", "zeppelin").err == "nothing found\n"
    assert "the search has no words" in console.fails("find", '"')


def test_export_up_to_a_position_tells_nothing_after_it(console: Console, read: LoopbackServer) -> None:
    console.done("ask", "story", "What did Mira find?", "--up-to", "2")
    whole = console.done("export", "story").json
    out = console.done("export", "story", "--up-to", "3").out
    assert "Who is Irma?" not in out
    assert "What did Mira find?" in out
    later = [page[part] for page in whole["pages"][3:] for part in ("gist", "text")]
    assert not any(text.strip()[:60] in out for text in later)
    known = json.loads(out)
    assert known["document"]["id"] == whole["document"]["id"]
    assert [page["number"] for page in known["pages"]] == [0, 1, 2]
    assert "--up-to" in console("export", "--shelf", "tales", "--up-to", "3", "-o", "x").err


def test_export_contains_everything(console: Console, read: LoopbackServer, desk: Path) -> None:
    exported = console.done("export", "story").json
    assert exported["readagent"] == 2
    assert len(exported["pages"]) == 15
    assert [answer["question"] for answer in exported["answers"]] == ["Who is Irma?"]
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
    for command in (["export", "story", "-f", "json"], ["people", "story"], ["compare", "story.txt", "meeting.txt"]):
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
@pytest.mark.parametrize("command", ["export story -f json"])
def test_what_is_no_file_is_never_written_to(
    console: Console, read: LoopbackServer, desk: Path, own_home: Path, command: str
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
            assert f"error: {name} is {what}" in console.fails(*command.split(), "-o", name, *force)
    assert len(read.requests) == asked
    assert (own_home / "library.db").read_bytes() == kept


def test_remove_keeps_paid_replies(console: Console, read: LoopbackServer) -> None:
    error = console.fails("remove", "story")
    assert error == (
        "error: cannot ask for confirmation to remove The Second Two Hundred: not a terminal\nhint: use --yes\n"
    )
    assert console.done("remove", "story", "--yes").out == "removed The Second Two Hundred\n"
    assert "the library is empty" in console.fails("show", "story")
    console.done("read", "story.txt")
    assert read.requests == []


@pytest.mark.parametrize("command", ["export story -f json", "bench find own"])
def test_the_library_is_never_replaced(
    console: Console, read: LoopbackServer, desk: Path, own_home: Path, command: str
) -> None:
    """Nor are the files that belong to it, by whatever name they are reached, nor the user's settings."""
    place = desk / "papers" / "library.db"
    place.parent.mkdir()
    (own_home / "library.db").rename(place)
    (own_home / "config.toml").write_text("")
    (desk / "symbolic.db").symlink_to(place)
    (desk / "hard.db").hardlink_to(place)
    (desk / "settings.toml").hardlink_to(own_home / "config.toml")
    library = ("--library", place.parent)
    console.done(*library, "corpus", "read", "meeting.txt")
    kept = place.read_bytes()
    own = [Path(f"{place}{end}") for end in ("", "-wal", "-shm", "-journal")]
    for name in (*own, "symbolic.db", "hard.db", "papers/../papers/library.db"):
        refused = console.fails(*library, *command.split(), "-o", name, *_force(command))
        assert refused == f"error: {name} is a file of the library\nhint: give another name\n"
    for name in ("settings.toml", own_home / "config.toml"):
        assert "home folder of readagent" in console.fails(*library, *command.split(), "-o", name, *_force(command))
    assert place.read_bytes() == kept
    assert (own_home / "config.toml").read_text() == ""


def _force(command: str) -> list[str]:
    return [] if command.startswith("bench") else ["--force"]
