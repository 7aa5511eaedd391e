"""Hints, completion and what a shell gets from them."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete

import readagent
import readagent_browse
from cli.console import LIMIT, Console, command
from readagent.advice import as_options
from readagent.cli import app
from readagent.testing.loopback import LoopbackServer

TITLE = "Meeting of the Wendle Road Tool Library Committee, 14 March"


def completed(*words: str) -> list[str]:
    """Return what bash is offered for the last of these words."""
    environ = {**os.environ, "_READAGENT_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["readagent", *words])}
    environ["COMP_CWORD"] = str(len(words))
    ended = subprocess.run(command(), env=environ, capture_output=True, text=True, check=False, timeout=LIMIT)
    return ended.stdout.split("\n")[:-1]


def test_the_script_names_the_program(console: Console) -> None:
    shell = "bash"
    script = console.done("completion", shell).out
    assert f"_READAGENT_COMPLETE={shell}_complete" in script


@pytest.mark.slow
def test_commands_titles_shelves_and_files_are_completed(console: Console, server: LoopbackServer) -> None:
    console.done("read", "meeting.txt", "--shelf", "minutes")
    assert completed("rea") == ["plain,read"]
    assert completed("chat", "Mee") == ["plain,Meeting of the Wendle Road Tool Library Committee, 14 March", "file,Mee"]
    assert completed("ask", "--shelf", "m") == ["plain,minutes"]
    assert completed("read", "sto") == ["file,sto"]
    assert "plain,--max-pages" in completed("ask", "--max")


def test_every_command_that_takes_a_document_or_a_shelf_completes_it(
    console: Console, server: LoopbackServer, desk: Path
) -> None:
    console.done("read", "meeting.txt", "--shelf", "minutes")
    shell = BashComplete(app, {}, "readagent", "_READAGENT_COMPLETE")

    def first(line: str, begun: str) -> str:
        return shell.get_completions(line.split(), begun)[0].value

    for line in ("show", "export", "append", "improve", "remove", "find --in", "shelf add minutes", "chat", "ask"):
        assert first(line, "Mee") == TITLE, line
    (desk / "evil.md").write_text("# Mee\x1b[2Jting\n\nNothing.\n")
    console.done("read", "evil.md", "--title", "Mee\x1b[2Jting")
    completed = [one.value for one in shell.get_completions(["show"], "Mee")]
    assert completed == [TITLE, "Mee\u241b[2Jting", "Mee"]  # the last one is for files
    for line in ("shelf list", "shelf ask", "shelf add", "shelf remove", "read --shelf", "chat --shelf"):
        assert first(line, "m") == "minutes", line


SOURCES = [Path(package.__file__).parent for package in (readagent, readagent_browse)]
COMMAND_LINE = ("cli/", "cli.py", "testing/", "advice.py")  # which people use as commands only
ARGUMENTS = {"loaders/sandbox/pool.py": "--ocr", "loaders/child.py": "--ocr"}


@pytest.mark.parametrize(
    ("written", "shown"),
    [("set a longer `timeout`", "set a longer --timeout"), ("use `allow_private=True`", "use --allow-private"), ("run `readagent trust`, or `ls -l`", "run `readagent trust`, or `ls -l`")],
)  # fmt: skip
def test_settings_become_options(written: str, shown: str) -> None:
    assert as_options(written) == shown


def options_of(command: click.Command) -> Iterator[str]:
    """Yield the long options of a command and of all commands below it."""
    for parameter in command.params:
        yield from (option for option in parameter.opts if option.startswith("--"))
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from options_of(below)


def texts_in(file: Path) -> Iterator[str]:
    """Yield the texts in a module that are no docstrings; values in an f-string are an ellipsis."""
    tree = ast.parse(file.read_text("utf-8"))
    parts = {id(part) for one in ast.walk(tree) if isinstance(one, ast.JoinedStr) for part in one.values}
    alone = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    for one in ast.walk(tree):
        if isinstance(one, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in one.values)
        elif isinstance(one, ast.Constant) and isinstance(one.value, str) and not {id(one)} & (parts | alone):
            yield one.value


@pytest.mark.slow
def test_no_text_of_the_library_names_an_option_of_the_command_line() -> None:
    options = {*options_of(app)}
    named, settings = list[str](), set[str]()
    for source, file in ((folder, file) for folder in SOURCES for file in sorted(folder.rglob("*.py"))):
        name = file.relative_to(source).as_posix()
        for text in () if name.startswith(COMMAND_LINE) else texts_in(file):
            found = {*re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)} & options - {ARGUMENTS.get(name, "")}
            named += [f"{name}: {option}" for option in found]
            settings |= {as_options(one).split()[0] for one in re.findall(r"`(?:Budget\()?\w+(?:=[^`]*)?`", text)}
    assert named == []
    assert {"--window", "--max-tokens"} <= settings <= options
