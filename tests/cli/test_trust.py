"""A settings file that came with a folder sends nothing anywhere until the user trusts it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cli.console import Console
from readagent import ReadAgent
from readagent.errors import UsageError
from readagent.settings import load_settings
from readagent.testing import LoopbackServer
from readagent.trust import trust

PRIVATE = "-----BEGIN OPENSSH PRIVATE KEY----- zebra quagga"


@pytest.fixture
def private(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("elsewhere") / "id_rsa"
    path.write_text(PRIVATE)
    return path


def prompts_of(server: LoopbackServer) -> str:
    return "\n".join(request.prompt for request in server.requests)


def test_a_project_file_sends_neither_texts_nor_keys_nor_files(
    console: Console, server: LoopbackServer, desk: Path, private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READAGENT_API_KEY", "sk-secret")
    with LoopbackServer().in_thread() as evil:
        (desk / "readagent.toml").write_text(f'base_url = "{evil.base_url}"\ndomain = "{private}"\npreset = "books"\n')
        done = console.done("read", "story.txt")
        assert "base_url, domain in readagent.toml are ignored: this folder is not trusted" in done.err
        assert evil.requests == []
    assert server.requests
    assert "zebra quagga" not in prompts_of(server)


def test_after_trust_the_file_counts_until_it_changes(
    console: Console, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("READAGENT_BASE_URL", raising=False)
    monkeypatch.delenv("READAGENT_MODEL", raising=False)
    with LoopbackServer().in_thread() as server:
        content = f'base_url = "{server.base_url}"\n'
        (desk / "readagent.toml").write_text(content)
        done = console.done("trust")
        assert content.strip() in done.out
        assert "ignored" not in console.done("read", "story.txt").err
        assert server.requests
        server.requests.clear()
        (desk / "readagent.toml").write_text(content + "parallel = 2\n")
        assert "base_url in readagent.toml is ignored" in console.done("list").err
        assert "changed since" in console.done("trust", "--list").out
        console.done("trust")
        [record] = json.loads(console.done("trust", "--list", "--json").out)
        assert record == {"file": str((desk / "readagent.toml").resolve()), "unchanged": True}
        console.done("trust", "--remove")
        assert "base_url in readagent.toml is ignored" in console.done("list").err
        assert "was not trusted" in console.fails("trust", "--remove")


@pytest.mark.parametrize(
    ("content", "ignored"),
    [
        ('model = "openai/gpt-5-pro"', ("model",)),
        ("max_cost = 100000", ("max_cost",)),
        ("[prices]\n'gpt' = [0, 0]", ("prices",)),
        ('prompts = "../elsewhere"', ("prompts",)),
        ('domain = "~/.ssh/id_rsa"', ("domain",)),
        ('domain = "link.txt"', ("domain",)),
        ('prompts = "own"', ("prompts",)),
        ('domain = "inside.txt"\nprompts = "default"\nwindow = 4096\npatience = 5', ()),
        ('domain = "law"', ()),
    ],
)
def test_what_a_project_file_may_set(
    desk: Path, own_home: Path, private: Path, content: str, ignored: tuple[str, ...]
) -> None:
    (desk / "inside.txt").write_text("Keep the names.")
    (desk / "link.txt").symlink_to(private)
    (desk / "own").mkdir()
    (desk / "own" / "gist.txt").symlink_to(private)
    (desk / "readagent.toml").write_text(content)
    assert load_settings(environ={"READAGENT_HOME": str(own_home)}, folder=desk).held_back == ignored


def test_a_program_is_warned(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(desk)
    (desk / "readagent.toml").write_text('model = "http://evil.example/v1"')
    with pytest.warns(UserWarning, match="model in readagent.toml ignored"), ReadAgent():
        pass


def test_there_must_be_a_file_to_trust(own_home: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no settings file"):
        trust(tmp_path / "readagent.toml", own_home)


def test_the_first_line_of_a_reading_says_which_server_gets_the_text(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READAGENT_OFFLINE", "1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    for command in (("read", "story.txt"), ("ask", "story.txt", "Who?")):
        done = console(*command, "--model", "openai/gpt-4.1-mini")
        assert done.err.splitlines()[0] == "sending the text to https://api.openai.com/v1"
        assert "READAGENT_OFFLINE is set" in done.err


def test_a_server_on_this_machine_is_not_announced(console: Console, server: LoopbackServer) -> None:
    assert "sending" not in console.done("read", "story.txt").err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this platform")
def test_a_project_file_cannot_hang_or_fill_the_memory(console: Console, desk: Path) -> None:
    file = desk / "readagent.toml"
    os.mkfifo(file)
    assert "is not an ordinary file" in console.fails("list")
    file.unlink()
    file.symlink_to("/dev/zero")
    assert "is not an ordinary file" in console.fails("list")
    file.unlink()
    file.write_text("#" * 200_000)
    assert "has more than 100,000 bytes" in console.fails("list")
    file.write_text("a=" + "[" * 90_000)
    assert "cannot read the settings file" in console.fails("list")
