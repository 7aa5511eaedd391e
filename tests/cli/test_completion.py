"""`readagent completion`, and what a shell gets from it."""

from __future__ import annotations

import os
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
    assert len(shell.get_completions(["show"], "Mee")) == 2  # the meeting, and files
    for line in ("shelf list", "shelf ask", "shelf add", "shelf remove", "read --shelf", "chat --shelf"):
        assert first(line, "m") == "minutes", line
