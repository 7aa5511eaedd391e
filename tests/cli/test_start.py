"""Help for every command, the version, and no heavy imports for either."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from cli.console import LIMIT, Console
from readagent.cli import _COMMANDS, app, run

HEAVY = ("httpx2", "rich", "sqlite3", "asyncio", "msgspec")


def commands(command: click.Command, *path: str) -> Iterator[tuple[str, ...]]:
    """Yield the path of a command and of all commands below it, without those of `bench`."""
    yield path
    if isinstance(command, click.Group) and path != ("bench",):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from commands(command_at(name, below=command), *path, name)


def command_at(*path: str, below: click.Command = app) -> click.Command:
    for name in path:
        assert isinstance(below, click.Group)
        found = below.get_command(click.Context(below), name)
        assert found is not None
        below = found
    return below


def names_of(*path: str) -> set[str]:
    options = [one for one in command_at(*path).params if isinstance(one, click.Option)]
    return {name for one in options for name in (*one.opts, *one.secondary_opts)}


def test_the_help_of_ask_fits_a_terminal(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = console.done("ask", "--help").out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


def test_help_for_every_command(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    for path in commands(app):
        for option in ("--help", "--help-all"):
            result = console.done(*path, option)
            assert result.out.startswith(f"Usage: readagent {' '.join(path)}".rstrip())
            assert result.err == ""
            text, examples, _ = result.out.partition("Examples:")  # commands are not wrapped
            assert examples, path
            assert max(len(line) for line in text.splitlines()) <= 60, path
        words = {word.rstrip(",") for word in result.out.split()}
        assert names_of(*path) - words == set(), path


def test_the_first_screen_has_the_usual_commands_and_says_where_the_others_are(console: Console) -> None:
    first, everything = console.done("help").out, console.done("help", "commands").out
    listed = [name for name, purpose in _COMMANDS.items() if f" {name} " in first and purpose in first]
    assert {"read", "ask", "list", "serve", "setup"} <= set(listed)
    assert len(listed) < 20
    assert "readagent help commands" in first
    assert len(first.splitlines()) <= 30
    words = " ".join(everything.split())
    assert [name for name, purpose in _COMMANDS.items() if f" {name} {purpose}" not in words] == []


@pytest.mark.parametrize("name", ["ask", "read"])
def test_help_has_the_own_options_of_a_command_and_names_where_the_others_are(console: Console, name: str) -> None:
    told = console.done(name, "--help").out
    assert len(told.splitlines()) <= 30
    assert "--shelf" in told
    assert "--base-url" not in told
    assert "`readagent help options`; all: --help-all" in told.splitlines()[-1]
    assert console.done("help", name).out == told


def test_the_options_that_commands_share_are_told_once_with_the_settings(console: Console) -> None:
    told = console.done("help", "options").out
    shared = {"--model", "--max-cost", "--page-words", "--include", "--look-up"}
    for word in {"READAGENT_MODEL", "config.toml", "readagent.toml", *shared}:
        assert word in told


def test_a_command_that_calls_a_model_takes_every_option_for_it() -> None:
    for path in commands(app):
        if "--option" in (names := names_of(*path)):
            assert {
                "-m", "--model", "--base-url", "--window", "--prompts", "--parallel", "--timeout", "--silence",
                "--patience", "--requests-per-minute", "--tokens-per-minute", "-v", "--temperature",
            } <= names  # fmt: skip


def test_help_for_a_name_that_is_no_command_names_the_nearest(console: Console) -> None:
    assert "Did you mean 'ask'?" in console("help", "aks").err
    assert console("help", "ask", "me").code == 2


def test_the_help_imports_no_heavy_modules() -> None:
    program = "from readagent.cli import run; assert run(['--help']) == 0"
    check = f"import sys\n{program}\nprint('HEAVY', [name for name in {HEAVY} if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True, timeout=LIMIT)
    assert ended.stdout.splitlines()[-1] == "HEAVY []"


def test_reading_imports_neither_the_tools_for_tests_nor_compiles_what_it_does_not_need() -> None:
    check = (
        "import re, sys\ncompiled = []\nold = re._compiler.compile\n"
        "re._compiler.compile = lambda *given: compiled.append(1) or old(*given)\n"
        "import readagent.cli.commands.read\n"
        "print([name for name in sys.modules if name.startswith('readagent.testing')], len(compiled) < 150)"
    )
    ended = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True, timeout=LIMIT)
    assert ended.stdout.split("\n")[0] == "[] True"


def test_an_unexpected_error_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("readagent.cli.commands.list.existing_library", broken)
    assert run(["list"]) == 1
    assert capsys.readouterr().err.startswith("error: unexpected error (a bug in readagent): ZeroDivisionError")
    monkeypatch.setenv("READAGENT_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run(["list"])


@pytest.mark.slow
def test_help_for_the_benchmarks_needs_no_extra() -> None:
    blocked = "for name in ('numpy', 'matplotlib', 'rouge_score', 'playwright'): sys.modules[name] = None\n"
    check = (
        f"import sys\n{blocked}from readagent.cli import run\n"
        "for name in ([], ['run'], ['report'], ['rate']):\n"
        "    assert run(['bench', *name, '--help']) == 0"
    )
    ended = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=False, timeout=LIMIT)
    assert (ended.returncode, ended.stderr) == (0, "")
