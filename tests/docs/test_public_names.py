"""The public door: its names can be fetched, the pages mention them, and coming in costs little."""

from __future__ import annotations

import subprocess
import sys

import pytest

import readagent
from docs.pages import PAGES


@pytest.mark.parametrize("name", readagent.__all__)
def test_a_public_name_can_be_fetched_and_is_documented(name: str) -> None:
    assert getattr(readagent, name) is not None
    assert any(name in page.read_text("utf-8") for page in PAGES)


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = "{'click', 'httpx2', 'msgspec', 'rich', 'sqlite3'}"
    code = f"import sys, readagent; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
