"""`readagent completion`, and what a shell gets from it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from cli.console import LIMIT, Console, command
from readagent.cli import app
from readagent.testing.loopback import LoopbackServer

TITLE = "Meeting of the Wendle Road Tool Library Committee, 14 March"


def completed(*words: str) -> list[str]:
    """Return what bash is offered for the last of these words."""
    environ = {**os.environ, "_READAGENT_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["readagent", *words])}
    environ["COMP_CWORD"] = str(len(words))
    ended = subprocess.run(command(), env=environ, capture_output=True, text=True, check=False, timeout=LIMIT)
    return ended.stdout.split("\n")[:-1]


@pytest.mark.parametrize("shell", ["bash"])
def test_the_script_names_the_program(console: Console, shell: str) -> None:
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
    assert len(shell.get_completions(["show"], "Mee")) == 2  # the meeting, and files
    for line in ("shelf list", "shelf ask", "shelf add", "shelf remove", "read --shelf", "chat --shelf"):
        assert first(line, "m") == "minutes", line


_BASH = """
source ./script
compopt() { :; }
COMP_WORDS=(readagent show "$1") COMP_CWORD=2
_readagent_completion readagent "$1" show
printf '%s\\n' "${COMPREPLY[@]}"
"""
_ZSH = """
compdef() { :; }
compadd() { local last=$argv[-1]; print -rl -- "${(P@)last}" }
_describe() { :; }
_path_files() { :; }
words=(readagent show "$1") CURRENT=3
source ./script
_readagent_completion
"""
_FISH = """
source ./script
complete -C "readagent show $argv[1]"
"""


@pytest.mark.slow
@pytest.mark.parametrize(("shell", "driver"), [("bash", _BASH), ("zsh", _ZSH), ("fish", _FISH)])
def test_a_shell_completes_a_title_with_spaces_and_a_comma(
    console: Console, server: LoopbackServer, desk: Path, shell: str, driver: str
) -> None:
    """In a real shell, if it is installed; only what exists while a line is edited is replaced in the driver."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    console.done("read", "meeting.txt")
    (desk / "Meet.txt").write_text("Nothing.")
    (desk / "script").write_text(console.done("completion", shell).out)
    (desk / "driver").write_text(driver)
    (desk / "bin").mkdir()
    program = desk / "bin" / "readagent"
    program.write_text(f"#!/bin/sh\nexec {shlex.join(command())}\n")
    program.chmod(0o755)
    environ = {**os.environ, "PATH": f"{desk / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    options = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    ended = subprocess.run(
        [shell, *options, "driver", "Mee"], env=environ, capture_output=True, text=True, check=False, timeout=LIMIT
    )
    offered = ended.stdout.splitlines()
    assert TITLE in offered, ended
    assert shell == "zsh" or "Meet.txt" in offered
