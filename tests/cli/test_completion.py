"""`readagent completion`, and what a shell gets from it."""

from __future__ import annotations

import os
import subprocess

import pytest

from cli.console import LIMIT, Console, command
from readagent.testing.loopback import LoopbackServer


def completed(*words: str) -> list[str]:
    """Return what bash is offered for the last of these words."""
    environ = {**os.environ, "_READAGENT_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["readagent", *words])}
    environ["COMP_CWORD"] = str(len(words))
    ended = subprocess.run(command(), env=environ, capture_output=True, text=True, check=False, timeout=LIMIT)
    return ended.stdout.split("\n")[:-1]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_names_the_program(console: Console, shell: str) -> None:
    script = console.done("completion", shell).out
    assert f"_READAGENT_COMPLETE={shell}_complete" in script


def test_commands_titles_shelves_and_files_are_completed(console: Console, server: LoopbackServer) -> None:
    console.done("read", "meeting.txt", "--shelf", "minutes")
    assert completed("rea") == ["plain,read"]
    assert completed("chat", "Mee") == ["plain,Meeting of the Wendle Road Tool Library Committee, 14 March", "file,Mee"]
    assert completed("ask", "--shelf", "m") == ["plain,minutes"]
    assert completed("read", "sto") == ["file,sto"]
    assert "plain,--max-pages" in completed("ask", "--max")
