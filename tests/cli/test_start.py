"""Starting: help for every command, the version, and no heavy imports for either."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest

from cli.console import LIMIT, Console
from readagent.cli import _COMMANDS, run

HEAVY = ("httpx2", "rich", "sqlite3", "asyncio", "msgspec", "stamina")


@pytest.mark.parametrize("arguments", [[], *([name] for name in _COMMANDS), ["model", "check"]])
def test_help_for_every_command(console: Console, arguments: Sequence[str]) -> None:
    result = console.done(*arguments, "--help")
    assert result.out.startswith(f"Usage: readagent {' '.join(arguments)}".rstrip())
    assert result.err == ""
    assert max(len(line) for line in result.out.splitlines()) <= 80
    if arguments != ["model"]:
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
def test_nothing_heavy_is_imported(program: str) -> None:
    check = f"import sys\n{program}\nprint('HEAVY', [name for name in {HEAVY} if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True, timeout=LIMIT)
    assert ended.stdout.splitlines()[-1] == "HEAVY []"


def test_an_unforeseen_error_is_one_line_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("readagent.cli.commands.list.library_of", broken)
    assert run(["list"]) == 1
    assert capsys.readouterr().err.startswith("error: unexpected error (a bug in readagent): ZeroDivisionError")
    monkeypatch.setenv("READAGENT_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run(["list"])
