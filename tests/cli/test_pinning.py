"""`show --edit`, `--gist`, `--pin`, `--unpin` and `regist`: a gist is made better, and kept through re-reading."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.console import Console, command, process
from cli.test_interrupt import Interrupter
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim

OWN = "Mira weighs the salt of Brenza and finds it short."
BETTER = "The harbour master lies to Mira about the scale."
Editor = Callable[[str], Path]


def shortening(prompt: str, constraint: dict[str, Any] | None) -> str:
    """Skims, and makes something new of what was not good enough."""
    return f"{BETTER} {prompt.count('Mira')}" if "<earlier>" in prompt else skim(prompt, constraint)


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
    """Lets a shell script be the user's editor; what it was given to edit is in ``shown.txt`` beside it."""

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


def test_a_gist_is_edited_and_kept_through_re_reading(console: Console, read: LoopbackServer, editor: Editor) -> None:
    before = page(console, 3)
    shown = editor(f'{{ echo "{OWN}"; tail -n +2 "$1"; }} > "$1.new"; mv "$1.new" "$1"')
    heard = console.done("show", "story", "--page", 3, "--edit")
    assert heard.err == "page 3: your gist of 10 words is kept\n"
    assert OWN in " ".join(heard.out.split())
    assert "[yours]" in heard.out
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


@pytest.mark.parametrize("script", ["true", ': > "$1"', 'touch "$1"', "sed -i '1,2d' \"$1\"", 'echo " " > "$1"'])
def test_an_unchanged_or_empty_text_changes_nothing(
    console: Console, read: LoopbackServer, editor: Editor, script: str
) -> None:
    before = page(console, 3)
    editor(script if "sed" not in script else f"{script}; sed -i '/>8/,$!d' \"$1\"")
    heard = console.done("show", "story", "--page", 3, "--edit")
    assert heard.err == "page 3: nothing changed\n"
    assert page(console, 3) == before


def test_an_editor_that_fails_or_is_not_there(
    console: Console, read: LoopbackServer, editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = page(console, 3)
    editor("exit 1")
    assert "the editor failed" in console.fails("show", "story", "--page", 3, "--edit")
    editor('printf "\\377\\376 no text" > "$1"')
    assert "not UTF-8" in console.fails("show", "story", "--page", 3, "--edit")
    monkeypatch.setenv("EDITOR", "/nowhere/editor --wait")
    assert "hint: set EDITOR" in console.fails("show", "story", "--page", 3, "--edit")
    assert page(console, 3) == before


def test_what_is_too_long_is_refused_and_not_lost(
    console: Console, read: LoopbackServer, editor: Editor, own_home: Path
) -> None:
    before = page(console, 3)
    editor(f'cp story.txt "$1"; echo "{OWN}" >> "$1"')
    said = console.fails("show", "story", "--page", 3, "--edit")
    assert f"is longer than page 3, which has {before['words']}" in said
    assert f"hint: what you wrote is in {own_home / 'gist.txt'}" in said
    assert (own_home / "gist.txt").read_text("utf-8").endswith(OWN)
    assert page(console, 3) == before


def test_a_gist_comes_from_the_command_line_or_a_pipe(console: Console, read: LoopbackServer) -> None:
    assert console.done("show", "story", "-p", 3, "--gist", OWN, "--json").json["page_list"][0]["gist"] == OWN
    console.done("show", "story", "-p", 4, "--gist", "-", stdin=f"\ufeff{OWN}\r\n")
    assert page(console, 4)["gist"] == OWN
    piped = process("show", "story", "-p", "5", "--gist", "-", stdin=OWN)
    assert piped.returncode == 0, piped.stderr
    assert piped.stdout.startswith("Page 5")
    assert page(console, 5)["gist"] == OWN
    assert console.done("show", "story", "-p", 5, "--gist", "-").err == "page 5: nothing changed\n"
    assert "longer than page 3" in console.fails("show", "story", "-p", 3, "--gist", "word " * 5000)


def test_gists_are_pinned_and_let_go(console: Console, read: LoopbackServer) -> None:
    before = page(console, 3)
    assert console.done("show", "story", "-p", "3-4", "--pin").err == "page 3: pinned\npage 4: pinned\n"
    assert console.done("show", "story", "-p", 3, "--pin").err == "page 3: pinned already\n"
    assert page(console, 3) == {**before, "pinned": True}
    out = console.done("show", "story").out
    assert [line.split()[1] for line in out.splitlines() if line.endswith("[pinned]")] == ["3", "4"]
    console.done("show", "story", "-p", 3, "--gist", OWN)
    assert "is back" in console.done("show", "story", "-p", 3, "--unpin").err
    assert page(console, 3) == before
    assert console.done("show", "story", "-p", 3, "--unpin").err == "page 3: was not pinned\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--edit"],
        ["--pin"],
        ["--page", "3", "--edit", "--pin"],
        ["--page", "3", "--pin", "--unpin"],
        ["--page", "3-4", "--edit"],
        ["--page", "3", "--page", "4", "--gist", "Short."],
        ["--page", "three", "--pin"],
    ],
)
def test_what_cannot_be_meant(console: Console, read: LoopbackServer, arguments: list[str]) -> None:
    assert console("show", "story", *arguments).code == 2


def test_pages_and_documents_that_are_not_there(console: Console, read: LoopbackServer) -> None:
    for arguments in (
        ["show", "story", "-p", "99", "--pin"],
        ["improve", "story", "3", "99"],
        ["improve", "story", "9-99"],
    ):
        assert "there is no page 99" in console.fails(*arguments)
    for arguments in (["show", "meeting.txt", "-p", "0", "--pin"], ["improve", "meeting.txt", "0"]):
        assert "has not been read yet" in console.fails(*arguments)
    assert console("improve", "story").code == 2
    assert console("improve", "story", "x").code == 2
    assert not read.requests


def test_gists_are_made_anew_and_kept(console: Console, read: LoopbackServer) -> None:
    before = console.done("show", "story", "--json").json["page_list"]
    heard = console.done("improve", "story", "3-4", "9", "3", "--note", "say who lies")
    assert [line.split()[1] for line in heard.out.splitlines() if line.endswith("[pinned]")] == ["3", "4", "9"]
    assert len(read.requests) == 3
    assert all("say who lies" in request.prompt for request in read.requests)
    after = console.done("show", "story", "--json").json["page_list"]
    assert [one["number"] for one in after if one["gist"].startswith(BETTER)] == [3, 4, 9]
    assert [one for one in after if not one["pinned"]] == [one for one in before if one["number"] not in (3, 4, 9)]
    assert {one["gist_origin"] for one in after if one["pinned"]} == {"model"}
    console.done("read", "story.txt", "--page-words", "400")
    again = [one for one in console.done("show", "story", "--json").json["page_list"] if one["pinned"]]
    assert [one["gist"] for one in again] == [after[number]["gist"] for number in (3, 4, 9)]


def test_making_anew_really_asks_anew_each_time(console: Console, read: LoopbackServer) -> None:
    first = console.done("improve", "story", 3, "--json").json
    assert first["page_list"][0]["changed"]
    assert first["calls"] == {"gist": 1}
    assert first["paid"]["prompt_tokens"] > 0
    console("improve", "story", 3)
    assert len({request.prompt for request in read.requests}) == len(read.requests) >= 2


def test_a_useless_reply_changes_nothing_and_says_so(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    def mute(prompt: str, constraint: dict[str, Any] | None) -> str:
        return "I'm sorry, I can't help with that." if "<earlier>" in prompt else skim(prompt, constraint)

    with LoopbackServer(mute).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        console.done("read", "story.txt")
        before = page(console, 3)
        heard = console("improve", "story", 3)
    assert heard.code == 1
    assert heard.out == ""
    assert heard.err == ("note: gist reply not usable (the model refused); taken instead: the gist as it was\n")
    assert page(console, 3) == before


def test_a_budget_stops_it_before_anything_is_changed_and_nothing_is_paid_twice(
    console: Console, read: LoopbackServer
) -> None:
    before = console.done("show", "story", "--json").json["page_list"]
    console.fails("improve", "story", "3-9", "--max-tokens", 3000, "--parallel", 1)
    assert console.done("show", "story", "--json").json["page_list"] == before
    asked = [request.prompt for request in read.requests]
    assert asked
    console.done("improve", "story", "3-9")
    assert len([request.prompt for request in read.requests]) == 7


def test_ctrl_c_half_way_changes_nothing_and_loses_nothing(
    console: Console, read: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = console.done("show", "story", "--json").json["page_list"]
    interrupter = Interrupter(3)

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        interrupter.answer(prompt, constraint)
        return shortening(prompt, constraint)

    arguments = ("improve", "story", "3-9", "--parallel", "1")
    with LoopbackServer(answer).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        child = subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ)
        interrupter.watch(child)  # type: ignore[arg-type]
        child.communicate(timeout=60)
        assert child.returncode == 130
        assert console.done("show", "story", "--json").json["page_list"] == before
        answered = {request.prompt for request in server.requests if request.finished}
        server.requests.clear()
        console.done(*arguments)
        assert not answered & {request.prompt for request in server.requests}


def test_the_memory_for_a_task_has_its_own(console: Console, read: LoopbackServer) -> None:
    general = console.done("show", "story", "--json").json["page_list"]
    task = "Find out who lied."
    console.done("read", "story.txt", "--task", task)
    console.done("show", "story", "-p", 2, "--task", task, "--gist", OWN)
    console.done("improve", "story", 3, "--task", task)
    assert console.done("show", "story", "--json").json["page_list"] == general
    special = console.done("show", "story", "--task", task, "--json").json["page_list"]
    assert [one["number"] for one in special if one["pinned"]] == [2, 3]


def test_a_changed_file_takes_over_what_still_stands_in_it(console: Console, read: LoopbackServer, desk: Path) -> None:
    kept = page(console, 3)
    console.done("show", "story", "-p", 3, "--gist", OWN)
    text = (desk / "story.txt").read_text("utf-8")
    (desk / "story.txt").write_text(f"A new beginning.\n\n{text}", "utf-8")
    console.done("read", "story.txt")
    (shown,) = [one for one in console.done("show", "story", "--all", "--json").json["page_list"] if one["pinned"]]
    assert (shown["gist"], shown["text"]) == (OWN, kept["text"])


def test_several_processes_fix_at_once(console: Console, read: LoopbackServer) -> None:
    children = [
        subprocess.Popen(
            command("show", "story", "--page", number, "--gist", f"Mine {number}"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ,
        )
        for number in range(4)
    ]  # fmt: skip
    for child in children:
        child.communicate(timeout=60)
    assert [child.returncode for child in children] == [0] * 4
    shown = console.done("show", "story", "--json").json["page_list"]
    assert [one["gist"] for one in shown[:4]] == [f"Mine {number}" for number in range(4)]
