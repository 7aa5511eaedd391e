"""Every shell block of the documentation runs: page by page, in order, in a fresh home, against a scripted server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from docs.pages import PAGES, ROOT, blocks, name
from readagent.testing import Habits, LoopbackServer, skim

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="needs bash")

MODELS = ("qwen3:8b", "gpt-4.1-mini", "my-model")
FILES = {
    "novel.txt": "examples/story.txt", "meeting.txt": "examples/meeting.txt", "diary.txt": "tests/fixtures/story.txt",
    "tonight.txt": "tests/fixtures/cyrillic.cp1251.txt", "notes.txt": "tests/fixtures/story.txt",
    "server.log": "tests/fixtures/meeting.txt", "novel.epub": "tests/fixtures/story.libreoffice.epub",
    "thesis.pdf": "tests/fixtures/garden.libreoffice.pdf", "paper.pdf": "tests/fixtures/story.libreoffice.pdf",
    "lease.pdf": "tests/fixtures/story.libreoffice.pdf", "loan.docx": "tests/fixtures/garden.pandoc.docx",
    "notes/one.md": "tests/fixtures/garden.md", "notes/drafts/two.md": "tests/fixtures/garden.md",
    "letters/first.txt": "tests/fixtures/latin.latin-1.txt",
    "contracts/mill.pdf": "tests/fixtures/story.libreoffice.pdf", "leases/mill.txt": "tests/fixtures/story.txt",
    "leases/garden.md": "tests/fixtures/garden.md", "thesis/one.md": "tests/fixtures/garden.md",
    "src/app.py": "examples/demo.py", "papers/garden.docx": "tests/fixtures/garden.pandoc.docx",
    "my-prompts/gist.txt": "src/readagent/prompts/default/gist.txt",
}  # fmt: skip
FIRST = ("README.md", "docs/start.md")  # the others take minutes: they run before a release
CHECKED_ONLY = {  # the parser takes these lines (test_command_lines.py), but nothing here could serve them
    r"^browse ": "needs a browser and a web site",
    r"^(serve|proxy)\b": "runs until it is stopped",
    r"^model pull": "downloads",
    r"^bench fetch": "downloads",
    r"^bench .*--data (~|\S+/home)/": "needs a data set that cannot be shipped",
    r"^bench (report|rate) (?!runs/story)": "needs one of these runs",
    r"\.gguf\b": "needs weights",
    r"--model (local\+)?qwen$": "needs weights",
    r"https?://example\.org": "needs the network",
    r"^shelf retry contracts --kind": "needs documents that failed",
    r"--ray ": "needs Ray, see tests/filling",
    r"postgresql://": "needs a server, see tests/postgres",
}
OTHER_PROGRAMS = (  # for installing and serving, and one that the adapters are for
    "claude", "createdb", "curl", "docker", "git", "llm", "openssl", "pip", "pipx", "pre-commit", "python", "uv", "uvx",
)  # fmt: skip
READAGENT = """#!{python}
import os, re, sys
from dataclasses import replace
from readagent import connection
from readagent.cli import main

line = " ".join(sys.argv[1:])
given = [line, os.environ.get("READAGENT_LIBRARY", "")]
if any(re.search(pattern, one) for pattern in {patterns!r} for one in given):
    sys.exit(0)
real = connection.resolve
connection.resolve = lambda *given: replace(real(*given), base_url=os.environ["LOOPBACK"])
main()
"""
MAKE = """#!{python}
import re, sys
targets = re.findall(r"^([\\w-]+):", open({makefile!r}).read(), re.M)
sys.exit(", ".join(target for target in sys.argv[1:] if target not in targets and "=" not in target) or 0)
"""
SHELL = [page for page in PAGES if blocks(page, "sh", "console", "bash")]


def reply(prompt: str, constraint: Mapping[str, Any] | None) -> str:
    """Skim; a gist that is to be improved gets twice the words."""
    return skim(prompt, constraint, Habits(gist_share=0.3) if "not good enough" in prompt else Habits())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files that the pages name, and programs that stand in for those that would install things."""
    for called, example in FILES.items():
        (tmp_path / "work" / called).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / example, tmp_path / "work" / called)
    shutil.copytree(ROOT / "examples", tmp_path / "work" / "examples")
    programs = tmp_path / "bin"
    programs.mkdir()
    written = READAGENT.format(python=sys.executable, patterns=list(CHECKED_ONLY))
    (programs / "readagent").write_text(written, "utf-8")
    (programs / "make").write_text(MAKE.format(python=sys.executable, makefile=str(ROOT / "Makefile")), "utf-8")
    for other in OTHER_PROGRAMS:
        (programs / other).write_text("#!/bin/sh\nexit 0\n", "utf-8")
    for program in programs.iterdir():
        program.chmod(0o755)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[] if name(page) in FIRST else pytest.mark.release, id=name(page)) for page in SHELL],
)
def test_the_shell_blocks_of_a_page_run_as_printed(page: Path, folder: Path) -> None:
    lines = [re.sub(r"^\$ ", "", block.text, flags=re.M) for block in blocks(page, "sh", "console", "bash")]
    with LoopbackServer(reply, models=MODELS).in_thread() as server:
        environment = {
            "PATH": f"{folder / 'bin'}:/usr/bin:/bin", "HOME": str(folder / "home"), "LANG": "C.UTF-8",
            "READAGENT_MODEL": "ollama/qwen3:8b", "OPENAI_API_KEY": "sk-none", "LOOPBACK": server.base_url,
            "TMPDIR": str(folder), "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }  # fmt: skip
        done = subprocess.run(
            [str(BASH), "-euo", "pipefail", "-c", "\n".join(lines)],
            cwd=folder / "work", env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "error:" not in done.stderr


def test_no_line_is_left_out_that_need_not_be() -> None:
    """Each exception is still needed by some line."""
    everything = "\n".join(
        line.partition("readagent ")[2]
        for page in SHELL for block in blocks(page, "sh", "console", "bash") for line in block.text.splitlines()
    )  # fmt: skip
    assert [pattern for pattern in CHECKED_ONLY if not re.search(pattern, everything, re.M)] == []
