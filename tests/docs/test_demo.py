"""The demo runs as a user runs it: offline, with its output piped, in a narrow place."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from docs.pages import ROOT


@pytest.mark.slow
def test_the_demo_runs_to_its_end(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py", tmp_path / "demo"],
        env={**os.environ, "COLUMNS": "60", "READAGENT_OFFLINE": "1", "PYTHONUTF8": "1"},
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "do not come from a language model" in " ".join(done.stdout.split())
    assert "15 pages" in done.stdout
    assert "(C) A disused gate on the sweet canal" in done.stdout
    assert (tmp_path / "demo" / "library.db").exists()
    typed = [line for line in done.stdout.splitlines() if line.startswith("$ ")]
    assert all(len(line) <= 60 for line in typed)
