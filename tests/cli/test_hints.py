"""Hints name settings as Python has them, and the command line shows them as its options."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import readagent
import readagent_browse
from readagent.advice import as_options
from readagent.cli import app

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
