"""`export --shelf`: a file for each document, and one with the answers from the shelf."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.console import Console

pytestmark = pytest.mark.usefixtures("server")


def test_a_source_is_never_replaced(console: Console) -> None:
    Path("notes").mkdir()
    Path("notes/tale.md").write_text("# tale\n\nIrma rows to the island. Jakob waits on the quay.\n", "utf-8")
    console.done("shelf", "add", "tales", "notes/tale.md")
    said = console.fails("export", "--shelf", "tales", "-f", "markdown", "-o", "notes", "--force")
    assert "is the source of a document" in said
    assert Path("notes/tale.md").read_text("utf-8").startswith("# tale")
