"""`show --edit`, `--gist`, `--pin`, `--unpin` and `improve`: better gists that stay when the document is read again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim

OWN = "Mira weighs the salt of Brenza and finds it short."
BETTER = "The harbour master lies to Mira about the scale."
Editor = Callable[[str], Path]


def shortening(prompt: str, constraint: dict[str, Any] | None) -> str:
    """Skim, and return a new gist when asked to improve one."""
    skimmed = skim(prompt, constraint)
    return f"{BETTER} {prompt.count('Mira')} {skimmed}" if "<earlier>" in prompt else skimmed


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Any:
    with LoopbackServer(shortening).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "skimmer")
        yield server


@pytest.fixture
def read(console: Console, server: LoopbackServer) -> LoopbackServer:
    console.done("read", "story.txt")
    server.requests.clear()
    return server


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Editor:
    """Return a function that installs a shell script as the editor; the text to edit is copied to ``shown.txt``."""

    if os.name == "nt":
        pytest.skip("Windows runs no shell scripts")

    def install(script: str) -> Path:
        program = tmp_path / "editor"
        program.write_text(f'#!/bin/sh\ncp "$1" "{tmp_path}/shown.txt"\n{script}\n')
        program.chmod(0o755)
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", str(program))
        return tmp_path / "shown.txt"

    return install


def page(console: Console, number: int, *how: str) -> dict[str, Any]:
    shown: dict[str, Any] = console.done("show", "story", "--page", number, *how, "--json").json["page_list"][0]
    return shown


@pytest.mark.slow
def test_an_edited_gist_stays_when_the_document_is_read_again(
    console: Console, read: LoopbackServer, editor: Editor
) -> None:
    before = page(console, 3)
    shown = editor(f'{{ echo "{OWN}"; tail -n +2 "$1"; }} > "$1.new"; mv "$1.new" "$1"')
    result = console.done("show", "story", "--page", 3, "--edit")
    assert result.err == "page 3: pinned your gist of 10 words\n"
    assert OWN in " ".join(result.out.split())
    assert "[written by you]" in result.out
    assert shown.read_text("utf-8").startswith(before["gist"])
    assert before["text"].strip() in shown.read_text("utf-8")
    assert not read.requests
    for how in (["--page-words", "300"], ["--uniform"], ["--prompts", "small"]):
        console.done("read", "story.txt", *how)
        kept = [one for one in console.done("show", "story", "--all", "--json").json["page_list"] if one["pinned"]]
        assert [(one["gist"], one["gist_words"], one["gist_origin"], one["text"]) for one in kept] == [
            (OWN, 10, "user", before["text"])
        ]
    assert console.done("find", "weighs", "Brenza", "short", "--json").json
    assert OWN in console.done("export", "story").out


def test_an_unchanged_or_empty_text_changes_nothing(console: Console, read: LoopbackServer, editor: Editor) -> None:
    before = page(console, 3)
    editor("true")
    result = console.done("show", "story", "--page", 3, "--edit")
    assert result.err == "page 3: nothing changed\n"
    assert page(console, 3) == before


def test_a_gist_that_is_too_long_is_rejected_and_saved(
    console: Console, read: LoopbackServer, editor: Editor, own_home: Path
) -> None:
    before = page(console, 3)
    editor(f'cp story.txt "$1"; echo "{OWN}" >> "$1"')
    error = console.fails("show", "story", "--page", 3, "--edit")
    assert f"is longer than its page, which has {before['words']}" in error
    assert f"hint: your text is saved in {own_home / 'gist.txt'}" in error
    assert (own_home / "gist.txt").read_text("utf-8").endswith(OWN)
    assert page(console, 3) == before
