"""`readagent library`: info, check, backup, copy, repair and compact."""

from __future__ import annotations

import platform
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.console import Console
from readagent.testing.loopback import LoopbackServer


@pytest.fixture
def library(console: Console, server: LoopbackServer, own_home: Path) -> Path:
    """A library with a document that was asked about."""
    console.done("ask", "story.txt", "Who is Irma?")
    return own_home / "library.db"


def harm(library: Path) -> None:
    """Change a name in the text of the document."""
    with closing(sqlite3.connect(library, isolation_level=None)) as connection:
        connection.execute("UPDATE documents SET text = CAST(replace(CAST(text AS TEXT), 'Irma', 'Erna') AS BLOB)")


def test_a_damaged_library_is_checked_and_repaired(console: Console, library: Path, server: LoopbackServer) -> None:
    harm(library)
    assert "is damaged" in console.fails("show", "story.txt")
    checked = console("library", "check")
    assert checked.code == 1
    assert "document" in checked.out
    hint = "hint: restore your backup, or keep what can be read with: readagent library repair\n"
    assert checked.err.endswith(hint)
    assert console.fails("show", "story.txt").endswith(hint)
    named = console.fails("show", "story.txt", "--library", library)
    assert named.endswith(f"readagent --library {library} library repair\n")
    assert console("library", "check", "--json").json["intact"] is False
    repaired = console.done("library", "repair")
    assert repaired.out.startswith("saved 0 documents, 0 readings, ")
    assert f"the damaged file is now {library}.damaged-1\n" in repaired.err
    assert console.done("library", "check").out == f"{library} is intact\n"
    server.requests.clear()
    console.done("ask", "story.txt", "Who is Irma?")
    assert server.requests == []  # every reply was saved


def test_what_the_system_lacks_to_confine_parsers_is_told(
    console: Console, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert "a file that takes over its parser could" in (said := console.done("library", "info").out)
    assert "reach the network" in said


def test_a_backup_can_be_used_as_the_library(console: Console, library: Path, desk: Path) -> None:
    assert console.done("library", "backup", "copy.db").out.startswith("wrote copy.db: ")
    assert console.fails("library", "backup", "copy.db") == (
        "error: copy.db exists\nhint: use another name, or --force to replace it\n"
    )
    assert console.done("library", "backup", "copy.db", "--force", "--json").json["file"] == "copy.db"
    (desk / "backups").mkdir()
    console.done("library", "backup", "backups")
    listed = console.done("list").out
    (desk / "backups" / "library.db").replace(library)
    assert console.done("list").out == listed
    assert "there is no folder nowhere" in console.fails("library", "backup", "nowhere/copy.db")


def test_every_command_refuses_a_library_of_a_newer_version(console: Console, library: Path) -> None:
    with closing(sqlite3.connect(library)) as connection:
        connection.execute("PRAGMA user_version = 1000")
    before = library.read_bytes()
    commands = "list; ask story.txt Who?; read story.txt; export story; library info; library check; library repair"
    commands += f"; library compact; library backup b.db; library copy {library} c.db; mcp; serve --port 0"
    for command in commands.split("; "):
        assert console.fails(*command.split()).startswith(
            f"error: {library} was written by a newer version of readagent"
        )
    assert library.read_bytes() == before


LOOKS = ["list", "shelf list tales", "append story --text more", "chat story", "extract story questions", "read --retry story"]  # fmt: skip


def test_looking_creates_no_library(
    console: Console, server: LoopbackServer, own_home: Path, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in LOOKS:
        assert "unexpected" not in console(*command.split()).err
    assert not own_home.exists() or not list(own_home.glob("library*"))
    missing = desk / "typo"
    message = (
        f"error: there is no library at {missing / 'library.db'}\n"
        f"hint: check the place, or create one with: readagent --library {missing} read FILE\n"
    )
    for command in LOOKS:
        assert console.fails("--library", missing, *command.split()) == message
    monkeypatch.setenv("READAGENT_LIBRARY", str(missing))
    assert console.fails("list") == message.replace(f" --library {missing}", "")
    assert not missing.exists()


def test_a_server_that_only_reads_creates_no_library(console: Console, desk: Path) -> None:
    refused = console.fails("--library", desk / "typo", "serve", "--port", 0, "--read-only")
    assert "there is no library at" in refused
    assert not (desk / "typo").exists()


def test_copy_says_what_it_copied_and_can_be_repeated(console: Console, library: Path, tmp_path: Path) -> None:
    target = tmp_path / "copies" / "two.db"
    record = console.done("library", "copy", str(library.parent), str(target), "--json").json
    assert (record["from"], record["to"]) == (str(library), str(target))
    assert record["rows"]["documents"] == 1
    assert record["copied"] == sum(record["rows"].values())
    again = console.done("library", "copy", str(library), str(target)).out
    assert f"copied {library} to {target}: 0 rows" in again
    assert record["digest"][:16] in again
    assert "there is no library at" in console.fails("library", "copy", str(tmp_path / "nowhere"), str(target))
    assert not (tmp_path / "nowhere").exists()
