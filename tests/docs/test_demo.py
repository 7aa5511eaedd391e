"""The demo runs as a user runs it: offline, with its output piped, in a narrow place."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.pages import ROOT
from needs import real_weights

DEMO = ROOT / "examples" / "demo.py"
STORY = ROOT / "examples" / "story.txt"


def demo(home: Path, script: Path = DEMO) -> str:
    """What the demo prints, where no index can be reached."""
    done = subprocess.run(
        [sys.executable, script, home],
        env={**os.environ, "COLUMNS": "60", "PIP_NO_INDEX": "1", "PYTHONUTF8": "1"},
        cwd=home.parent,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (home / "library.db").exists()
    assert all(len(line) <= 60 for line in done.stdout.splitlines() if line.startswith("$ "))
    return done.stdout


@pytest.mark.slow
def test_without_the_weights_a_scripted_server_stands_in_and_it_says_so(tmp_path: Path) -> None:
    shown = demo(tmp_path / "demo")
    assert "a scripted server on this machine is used instead" in " ".join(shown.split())
    assert "15 pages" in shown
    assert "Mrs. Dragan" in shown


@pytest.mark.release
@pytest.mark.weights
def test_with_the_weights_it_answers_with_quotes_that_stand_in_the_story(tmp_path: Path) -> None:
    examples = tmp_path / "examples"
    examples.mkdir()
    shutil.copy(DEMO, examples)
    opening = "".join(STORY.read_text("utf-8").splitlines(keepends=True)[:101])  # about a third, with both answers
    (examples / "story.txt").write_text(opening, "utf-8")
    (tmp_path / "demo" / "models").mkdir(parents=True)
    (tmp_path / "demo" / "models" / "minilm").symlink_to(real_weights("minilm"))
    shown = demo(tmp_path / "demo", examples / "demo.py")
    assert "runs on this machine alone" in " ".join(shown.split())
    quotes = re.findall(r'^  "(.+)" \(page \d+\)$', shown, re.M)
    assert len(quotes) >= 3
    assert all(quote in " ".join(opening.split()) for quote in quotes)
    assert "Mrs. Dragan" in shown
