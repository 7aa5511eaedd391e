"""Every line of commands and block of Python in the documentation is one that works."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import click
import pytest

from docs.pages import PAGES, ROOT, Block, blocks, name
from readagent.cli import app
from readagent.models.providers import Target, resolve
from readagent.testing.loopback import LoopbackServer

_ENDS = {"|", ">", "<", ";", "&&"}


def command_lines(page: Path) -> Iterator[list[str]]:
    """The words after `readagent` of every command in the console and shell blocks of a page."""
    for block in blocks(page, "console", "sh"):
        for line in block.text.replace("\\\n", " ").splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            while "readagent" in words:
                words = words[words.index("readagent") + 1 :]
                end = next((i for i, word in enumerate(words) if word in _ENDS), len(words))
                yield words[:end]
                words = words[end:]


LINES = [(page, words) for page in PAGES for words in command_lines(page)]


def parse(command: click.Command, called: str, words: list[str], parent: click.Context | None = None) -> None:
    """Let the program's own parser take a command line, without running it."""
    if isinstance(command, click.Group) and words and not words[0].startswith("-"):
        context = click.Context(command, info_name=called, parent=parent)
        found = command.get_command(context, words[0])
        assert found is not None, f"there is no command {words[0]}"
        parse(found, words[0], words[1:], context)
        return
    with suppress(click.exceptions.Exit):  # --help and --version
        command.make_context(called, list(words), parent=parent)


def test_the_program_takes_every_line() -> None:
    refused = []
    for page, words in LINES:
        try:
            parse(app, "readagent", words)
        except (AssertionError, click.ClickException) as error:
            refused.append(f"{name(page)}: {' '.join(words)}: {error}")
    assert refused == []


def test_the_readme_shows_command_lines() -> None:
    assert {words[0] for page, words in LINES if page.name == "README.md" and words} >= {"read", "ask", "estimate"}


def test_the_pages_show_every_command() -> None:
    shown = {words[0] for _, words in LINES if words}
    assert shown >= set(app.list_commands(click.Context(app)))


@pytest.mark.slow
def test_the_generated_parts_of_the_pages_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, ROOT / "docs" / "generate.py", "--check"], check=False)
    assert done.returncode == 0, "run: python docs/generate.py"


MODELS = ("qwen3:8b", "gpt-4.1-mini", "my-model")
FILES = {
    "novel.txt": "examples/story.txt", "meeting.txt": "examples/meeting.txt",
    "thesis.pdf": "tests/fixtures/garden.libreoffice.pdf", "papers/garden.docx": "tests/fixtures/garden.pandoc.docx",
    "leases/mill.txt": "tests/fixtures/story.txt", "leases/garden.md": "tests/fixtures/garden.md",
}  # fmt: skip
NEEDS = {"docs/adapters.md": ("langchain_core", "llama_index.core", "openai")}  # `make test-adapters` has them
ALONE = ROOT / "docs" / "python.md"
PYTHON = [page for page in PAGES if page != ALONE and blocks(page, "python")]


@pytest.fixture
def reader_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the files that the pages speak of, and a loopback server in the place of every other."""
    for called, example in FILES.items():
        (tmp_path / called).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / example, tmp_path / called)
    monkeypatch.chdir(tmp_path)
    with LoopbackServer(models=MODELS).in_thread() as server:

        def here(model: str | None, base_url: str | None, environ: Mapping[str, str], key_server: str = "") -> Target:
            target = resolve(model, base_url, environ, key_server)
            started_by_page = target.base_url.startswith("http://127.0.0.1:")
            return target if started_by_page else replace(target, base_url=server.base_url)

        monkeypatch.setattr("readagent.connection.resolve", here)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)  # for the package of OpenAI
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", PYTHON, ids=map(name, PYTHON))
def test_the_blocks_of_a_page_run(page: Path, reader_at_home: Path) -> None:
    for package in NEEDS.get(name(page), ()):
        pytest.importorskip(package)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page, "python"):
        run(page, block, namespace)


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks(ALONE, "python"), ids=lambda block: f"line {block.line}")
def test_a_block_runs_alone(block: Block, reader_at_home: Path) -> None:
    run(ALONE, block, {"__name__": "__main__"})


def run(page: Path, block: Block, namespace: dict[str, object]) -> None:
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
    exec(code, namespace)


@pytest.mark.slow
def test_the_readme_shows_python() -> None:
    assert ROOT / "README.md" in PYTHON
