"""Files that have not changed are not parsed again, and files that grow keep what was appended to them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from cli.console import Console, diary
from readagent.cli import documents
from readagent.testing.loopback import LoopbackServer

PAGES = ("--page-words", "80", "--min-page-words", "40")


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that commands parse."""
    names: list[str] = []
    load = documents.load

    def noting(name: str, **options: Any) -> object:
        names.append(name)
        return load(name, **options)

    monkeypatch.setattr(documents, "load", noting)
    return names


def test_an_unchanged_file_is_parsed_once(
    console: Console, server: LoopbackServer, desk: Path, parsed: list[str]
) -> None:
    file = desk / "diary.txt"
    file.write_text(diary(8))
    console.done("read", "diary.txt", *PAGES)
    asked = console.done("ask", "diary.txt", "Who saw an omen?")
    console.done("show", "diary.txt")
    console.done("export", "diary.txt")
    assert parsed == []
    file.touch()
    assert console.done("ask", "diary.txt", "Who saw an omen?").out == asked.out
    assert parsed == []


def test_a_changed_file_of_the_same_size_and_time_is_noticed(
    console: Console, server: LoopbackServer, desk: Path, parsed: list[str]
) -> None:
    file = desk / "diary.txt"
    file.write_text(diary(8))
    before = file.stat()
    console.done("read", "diary.txt", *PAGES)
    file.write_text(diary(8).replace("cook", "crew"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "has changed since it was read" in console.fails("show", "diary.txt")
    assert "crew" in console.done("ask", "diary.txt", "What did the crew say?", "--json").out
    assert parsed == ["diary.txt"] * 2
