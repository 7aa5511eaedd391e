"""The example of a chat that remembers runs as it is, offline, and goes on where it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from docs.pages import ROOT
from readagent import Library


def chat(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "chat_memory.py", folder],
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_chat_remembers(tmp_path: Path) -> None:
    shown = chat(tmp_path / "chat")
    assert "496 words in 6 pages" in shown
    context = shown.partition("150 words:")[2].partition("Question:")[0]
    assert len(context.split()) <= 150
    assert "we borrow the red one from the club" in context
    assert "number T-88" in shown.partition("Answer:")[2]
    assert "992 words" in chat(tmp_path / "chat")
    with Library(tmp_path / "chat") as library:
        assert [row.title for row in library.documents()] == ["the boat"]
