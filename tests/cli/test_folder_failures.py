"""`read` with a folder in which some files fail: what is read, what is said, and about which file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ErrorResponse
from readagent.testing.skim import skim


@pytest.fixture
def notes(desk: Path) -> Path:
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
    console: Console, server: LoopbackServer, notes: Path
) -> None:
    for number in range(8):
        bad = "This one is poison." if number < 4 else ""
        (notes / f"{number}.txt").write_text(bad + sacks(number))

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
    console: Console, server: LoopbackServer, notes: Path
) -> None:
    def revoked(prompt: str, constraint: dict[str, Any] | None) -> str:
        if "Sack" in prompt:
            raise ErrorResponse(401, "Incorrect API key provided")
        return skim(prompt, constraint)

    (notes / "z.txt").write_text(sacks(1))
    server.answer = revoked
    result = console("read", "notes", "--parallel", "1")
    assert result.code == 1
    assert "notes: 3 of 4 files read\nerror: " in result.err
