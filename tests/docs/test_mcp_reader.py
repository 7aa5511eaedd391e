"""The example that reads a story over MCP runs as it stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sessions import EXAMPLES


@pytest.mark.slow
def test_the_example_reads_the_story(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "mcp_reader.py"), str(tmp_path)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "6,980 of 6,980 words read" in done.stdout
