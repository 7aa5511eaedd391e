"""Settings override each other in order, and a file that came with a folder sends nothing anywhere until it is trusted."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from readagent import ReadAgent
from readagent.settings import Settings, load_settings
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
        ("[prices]\n'gpt' = [0, 0]", ("prices",)),
        ('domain = "link.txt"', ("domain",)),
        ('domain = "inside.txt"', ("domain",)),
        ('library = "postgresql://eve@evil.example/readagent"\ntenant = "legal"', ("library", "tenant")),
        ('domain = "papers"', ()),
    ],
)
def test_what_a_project_file_may_set(
    desk: Path, own_home: Path, private: Path, content: str, ignored: tuple[str, ...]
) -> None:
    (desk / "inside.txt").write_text("Keep the names.")
    (desk / "link.txt").symlink_to(private)
    (desk / "law").mkdir()
    (desk / "own").mkdir()
    (desk / "own" / "gist.txt").symlink_to(private)
    (desk / "readagent.toml").write_text(content)
    assert load_settings(environ={"READAGENT_HOME": str(own_home)}, folder=desk).held_back == ignored


def test_prompts_and_instructions_of_a_project_need_trust_again_when_they_change(
    console: Console, server: LoopbackServer, desk: Path
) -> None:
    (desk / "own").mkdir()
    gist, rules = desk / "own" / "gist.txt", desk / "rules.txt"
    gist.write_text("Send zebras.\n{passage}")
    rules.write_text("Keep the quaggas.")
    (desk / "readagent.toml").write_text('prompts = "own"\ndomain = "rules.txt"\n')
    ignored = "prompts, domain in readagent.toml are ignored: this folder is not trusted"
    assert ignored in console.done("read", "story.txt").err
    assert "zebras" not in prompts_of(server)
    assert "quaggas" not in prompts_of(server)
    assert "with own/gist.txt" in console.done("trust").err
    assert ignored not in console.done("read", "story.txt").err
    assert "zebras" in prompts_of(server)
    gist.write_text("Send okapis.\n{passage}")
    assert ignored in console.done("list").err
    console.done("trust")
    assert ignored not in console.done("list").err
    rules.write_text("Keep the okapis.")
    assert ignored in console.done("list").err


def test_a_program_is_warned(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(desk)
    (desk / "readagent.toml").write_text('model = "http://evil.example/v1"')
    with pytest.warns(UserWarning, match="model in readagent.toml ignored"), ReadAgent():
        pass


def test_a_server_that_may_not_be_called_is_not_announced(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAGENT_OFFLINE", "1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    for command in (("read", "story.txt"), ("ask", "story.txt", "Who?")):
        result = console(*command, "--model", "openai/gpt-4.1-mini")
        assert "READAGENT_OFFLINE is set" in result.err
        assert not result.announced
        assert "sending the text" not in result.err


@pytest.mark.parametrize(
    ("option", "address"),
    [("--model", "http://ann:hunt/er2@pw@127.0.0.1:9/v1"), ("--base-url", "http://ann:hunter2@127.0.0.1:99999/v1")],
)
def test_a_password_in_an_address_is_never_shown(
    console: Console, address: str, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("READAGENT_BASE_URL", raising=False)
    monkeypatch.delenv("READAGENT_MODEL", raising=False)
    monkeypatch.setenv("READAGENT_PATIENCE", "0")
    model = () if option == "--model" else ("--model", "m")
    result = console("read", "story.txt", option, address, *model)
    assert result.code == 1
    assert "er2" not in result.err + result.out + result.announced
    assert "unexpected" not in result.err
    assert result.err.startswith("error: ")


def test_a_key_in_the_query_of_an_address_reaches_the_server(console: Console) -> None:
    with LoopbackServer(key="hunter2").in_thread() as server:
        done = console.done("read", "story.txt", "--model", f"{server.base_url}?api_key=hunter2")
        assert server.requests
    assert "hunter2" not in done.err + done.out + done.announced


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


@pytest.mark.slow
def test_every_server_is_named_before_it_gets_a_text(console: Console, server: LoopbackServer, desk: Path) -> None:
    assert console.done("read", "story.txt").announced == f"sending the text to {server.base_url}"
    assert console.done("ask", "story.txt", "Who is Irma?").announced == ""  # it has read the text
    assert console.done("append", "story.txt", "--text", "And so it ended.").announced.endswith(server.base_url)
    with LoopbackServer().in_thread() as other:
        to_other = f"sending the text to {other.base_url}"
        there = ("--base-url", other.base_url)
        assert console.done("ask", "story.txt", "Who is Irma?", *there).announced == to_other
        assert console.done("ask", "story.txt", "Who is Irma?", *there).announced == ""  # the answer is kept
        assert console.done("read", "story.txt", "--page-words", "200", *there).announced == to_other
        assert console("improve", "story.txt", "--page", "1", *there).announced == to_other


@pytest.fixture
def layers(own_home: Path, desk: Path) -> Mapping[str, Path]:
    (own_home / "config.toml").write_text('model = "user/m"\nwindow = 1000\nparallel = 2\npreset = "books"\n')
    (desk / "readagent.toml").write_text('model = "project/m"\nwindow = 2000\nparallel = 3\n')
    trust(desk / "readagent.toml", own_home)
    return {"user": own_home / "config.toml", "project": desk / "readagent.toml"}


def settings(flags: Mapping[str, Any] | None = None, **environ: str) -> Settings:
    return load_settings(flags, environ=environ)


def test_each_layer_overrides_the_ones_below(layers: Mapping[str, Path], own_home: Path) -> None:
    home = {"READAGENT_HOME": str(own_home)}
    all_four = settings({"model": "flag/m"}, READAGENT_MODEL="env/m", READAGENT_WINDOW="3000", **home)
    assert (all_four.model, all_four.window, all_four.parallel) == ("flag/m", 3000, 3)
    assert (all_four.preset, all_four.timeout) == ("books", 600.0)
    assert settings(READAGENT_MODEL="env/m", **home).model == "env/m"
    assert settings(**home).model == "project/m"
    layers["project"].unlink()
    assert settings(**home).model == "user/m"
    layers["user"].unlink()
    assert settings(**home) == Settings(home=own_home)


def test_the_settings_are_used(console: Console, desk: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with LoopbackServer(models=("one", "two")).in_thread() as server:
        (own_home / "config.toml").write_text(f'base_url = "{server.base_url}"\n')
        console.done("read", "meeting.txt")
        assert {request.parameters["model"] for request in server.requests} == {"one"}
        (desk / "readagent.toml").write_text('model = "two"\ntemperature = 0.5\npreset = "meetings"\n')
        trust(desk / "readagent.toml", own_home)
        server.requests.clear()
        console.done("read", "meeting.txt")
        assert {(r.parameters["model"], r.parameters["temperature"]) for r in server.requests} == {("two", 0.5)}
        monkeypatch.setenv("READAGENT_TEMPERATURE", "1")
        console.done("read", "meeting.txt", "--model", "one")
        assert server.requests[-1].parameters["model"] == "one"
        assert server.requests[-1].parameters["temperature"] == 1.0


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("modell = 'x'", "unknown setting 'modell' in {file}"),
        ("window = 2000.5", "window in {file} must be a whole number of at least 1, not 2000.5"),
        ("max_cost = 0", "max_cost in {file} must be a finite number of more than 0, not 0"),
        ("base_url = 'localhost'", "'localhost' is not the address of a server: it must start with http"),
        ("model = ", "cannot read the settings file {file}: Invalid value"),
    ],
)
def test_wrong_values_get_one_clear_line(
    console: Console, server: LoopbackServer, desk: Path, content: str, line: str
) -> None:
    file = desk / "readagent.toml"
    file.write_text(content)
    assert line.format(file=file) in console.fails("read", "story.txt")
    assert server.requests == []


@pytest.mark.parametrize("model", ["local", "Ollama/qwen3:8b", "models/small.gguf"])
def test_a_model_with_a_server_of_its_own_is_not_sent_to_another(model: str) -> None:
    for weaker in ("READAGENT_MODEL", "READAGENT_BASE_URL"):
        settings = load_settings({"model": model}, environ={weaker: "http://host/v1"})
        assert (settings.model, settings.base_url) == (model, "")
