"""The product without readagent-bench and readagent-browse, as `pip install .` installs it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import readagent
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES

OTHERS = ("readagent_bench", "readagent_browse")
ALONE = f"""
import sys
from importlib import metadata

class Blocked:
    def find_spec(self, name, *rest):
        if name.partition(".")[0] in {OTHERS}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blocked())
known = metadata.entry_points
metadata.entry_points = lambda **which: metadata.EntryPoints(
    one for one in known(**which) if not one.value.startswith({OTHERS})
)
"""


def alone(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run code in a process in which the other packages cannot be imported, and offer nothing."""
    started = [sys.executable, "-c", ALONE + code, *map(str, arguments)]
    return subprocess.run(started, capture_output=True, text=True, check=False, timeout=120)


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command there."""
    return alone("from readagent.cli import main; main()", *arguments)


def test_nothing_in_the_product_imports_the_other_packages() -> None:
    imported = re.compile(rf"^\s*(?:from|import) +(?:{'|'.join(OTHERS)})\b", re.M)
    files = Path(readagent.__file__).parent.rglob("*.py")
    assert [file.name for file in files if imported.search(file.read_text("utf-8"))] == []


def test_the_help_lists_every_command() -> None:
    done = command("help", "commands")
    assert done.returncode == 0, done.stderr
    assert re.search(r"\bbench +Run", done.stdout)
    assert re.search(r"\bbrowse +Carry", done.stdout)


@pytest.mark.parametrize(
    ("line", "package"),
    [
        (("bench", "list"), "readagent-bench"),
        (("browse", "https://example.org", "Log in", "--headed"), "readagent-browse[browser]"),
    ],
)
def test_a_command_of_another_package_says_how_to_install_it(line: tuple[str, ...], package: str) -> None:
    done = command(*line)
    said, hint = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (1, "")
    assert said.startswith("error: ")
    assert "is in a package of its own" in said
    assert hint.startswith("hint: install it: ")
    assert package in hint


@pytest.mark.slow
def test_texts_are_read_and_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with LoopbackServer().in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "skimmer")
        for line in (("read", EXAMPLES / "story.txt"), ("ask", "story", "Who holds the key?")):
            done = command(*line)
            assert done.returncode == 0, done.stderr
            assert done.stdout
