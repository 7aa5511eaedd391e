"""The example that sends a story through the proxy runs as it stands."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sessions import EXAMPLES


@pytest.mark.slow
def test_the_example_sends_the_story() -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "proxy_client.py")], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "without the proxy: This model's maximum context length is 4096 tokens." in done.stdout
    assert "with the proxy: " in done.stdout
    assert "pages-opened: " in done.stdout
