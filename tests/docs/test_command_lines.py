"""Every `readagent …` line in the documentation is one that the program takes, and every command is described."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click
import pytest

from docs.pages import PAGES, ROOT, blocks, name
from readagent.cli import app

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
