"""Bad input: one clear line, a hint, the right exit code, and nothing lost."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from cli.console import Console
from readagent.testing.loopback import LoopbackServer


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_rejected(console: Console, server: LoopbackServer, desk: Path) -> None:
    os.mkfifo(desk / "pipe")
    for arguments in (["read", "pipe"], ["ask", "pipe", "Who?"], ["estimate", "pipe"]):
        assert console.fails(*arguments).splitlines()[0] == "error: pipe is a named pipe, not a file"


def test_an_estimate_of_what_is_no_text_blames_no_model(console: Console, desk: Path) -> None:
    signs = random.Random(1)
    (desk / "signs.txt").write_text(" ".join("".join(signs.choices("!@#$%^&*(){}[]|;:", k=4)) for _ in range(3000)))
    done = console.done("estimate", "signs.txt")
    assert "another model" not in done.out + done.err


def test_a_private_url_is_rejected(console: Console, server: LoopbackServer) -> None:
    for arguments in (["read", "http://127.0.0.1:9/a"], ["ask", "http://127.0.0.1:9/a", "Who?"]):
        assert console.fails(*arguments).startswith("error: 127.0.0.1 is a private address")
    assert console.fails("show", "http://127.0.0.1:9/a").startswith("error: http://127.0.0.1:9/a has not been read yet")
    assert console.fails("read", "ftp://127.0.0.1/a").startswith("error: ftp://127.0.0.1/a is not a supported address")


def test_commands_in_hints_quote_names_with_spaces(console: Console, server: LoopbackServer, desk: Path) -> None:
    name = "my notes.txt"
    (desk / name).write_text("Salt came up the river.")
    for arguments in (["show", name], ["export", name], ["append", name, "--text", "x"], ["improve", name, "-p", "0"]):
        assert console.fails(*arguments).endswith("hint: start with: readagent read 'my notes.txt'\n")
    console.done("read", name)
    (desk / name).write_text("Rope was made in the long shed.")
    assert "read it again: readagent read 'my notes.txt';" in console.fails("show", name)
    (desk / "my folder").mkdir()
    (desk / "my folder" / "rope.txt").write_text("Rope.")
    assert "run: readagent read './my folder' --as-one;" in console.fails("show", "./my folder")
    console.done("shelf", "new", "my shelf")
    for arguments in (["shelf", "ask", "my shelf", "Who?"], ["shelf", "new", "my shelf"]):
        assert "readagent shelf add 'my shelf' FILE" in console.fails(*arguments)
    assert "readagent shelf add 'my shelf' FILE" in console.done("shelf", "list", "my shelf").err


def test_a_wrong_key_is_reported_and_never_shown(
    console: Console, monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    with LoopbackServer(key="sk-right").in_thread() as server:
        flags = ["--base-url", server.base_url, "--model", "skimmer"]
        assert console.fails("read", "story.txt", *flags).splitlines() == [
            "error: the server requires an API key: Incorrect API key provided.",
            "hint: set the environment variable READAGENT_API_KEY to your key",
        ]
        monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
        assert 'key for this one: export READAGENT_API_KEY="$OPENAI_API_KEY"' in console.fails(
            "read", "story.txt", *flags
        )
        monkeypatch.setenv("READAGENT_API_KEY", "sk-wrong-0123456789")
        error = console.fails("read", "story.txt", *flags)
        assert error.startswith("error: the server rejected the API key")
        monkeypatch.setenv("READAGENT_API_KEY", "sk-right")
        console.done("read", "story.txt", *flags)
    kept = b"".join(path.read_bytes() for path in own_home.iterdir())
    assert "sk-wrong" not in error
    assert b"sk-wrong" not in kept
    assert b"sk-right" not in kept


def test_a_question_before_its_document_is_answered_all_the_same(
    console: Console, server: LoopbackServer, desk: Path
) -> None:
    (desk / "salt.txt").write_text("Salt came up the river on the barge of Anna Kern.")
    swapped = json.loads(console.done("ask", "Who brought salt?", "salt.txt", "--json").out)
    assert swapped["question"] == "Who brought salt?"
    assert json.loads(console.done("ask", "Who?", "salt.txt", "--json").out)["question"] == "Who?"
    assert "of which 20,000 are allowed\nhint: " in console.fails("ask", "salt.txt", "Who? " * 9_000)


def test_a_name_with_a_line_feed_stays_on_its_line_and_a_file_that_is_missing_is_called_so(
    console: Console, server: LoopbackServer, desk: Path
) -> None:
    (desk / "sa\nlt.txt").write_text("Salt came up the river on the barge of Anna Kern.")
    (desk / "pep\nper.txt").write_text("Salt came up the river on the barge of Anna Kern.")
    assert console.done("read", "sa\nlt.txt").out.startswith("sa lt: ")
    assert console.done("read", "pep\nper.txt").err.startswith("pep per.txt: same text as sa lt")
    assert "there is no file pepper.txt, and there is no document" in console.fails("shelf", "add", "s", "pepper.txt")
