"""Help for every command, the version, and no heavy imports for either."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence

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
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, *path, name)


@pytest.mark.parametrize("arguments", list(commands(app)), ids=" ".join)
def test_help_for_every_command(console: Console, arguments: Sequence[str]) -> None:
    result = console.done(*arguments, "--help")
    assert result.out.startswith(f"Usage: readagent {' '.join(arguments)}".rstrip())
    assert result.err == ""
    assert max(len(line) for line in result.out.splitlines()) <= 80
    assert "Examples:" in result.out


def test_help_lists_every_command_with_its_purpose(console: Console) -> None:
    out = console.done("-h").out
    for name, purpose in _COMMANDS.items():
        assert f"  {name}" in out
        assert purpose in out


def test_version(console: Console) -> None:
    assert console.done("--version").out.startswith("readagent 0.")


@pytest.mark.parametrize(
    "program",
    ["import readagent", "from readagent.cli import run; assert run(['--help']) == 0", "import readagent.cli"],
)
def test_heavy_modules_are_not_imported(program: str) -> None:
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


def test_help_for_the_benchmarks_needs_no_extra() -> None:
    blocked = "for name in ('numpy', 'matplotlib', 'rouge_score', 'playwright'): sys.modules[name] = None\n"
    check = (
        f"import sys\n{blocked}from readagent.cli import run\n"
        "for name in ([], ['run'], ['find'], ['report'], ['rate'], ['web', 'mind2web']):\n"
        "    assert run(['bench', *name, '--help']) == 0"
    )
    ended = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=False, timeout=LIMIT)
    assert (ended.returncode, ended.stderr) == (0, "")
