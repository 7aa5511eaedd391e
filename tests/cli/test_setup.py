"""`readagent` alone and `readagent setup`: the way to a first model."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.console import Console
from cli.terminal import Terminal
from readagent import extras
from readagent.models.providers import PROVIDERS, Provider, resolve
from readagent.settings import load_settings
from readagent.testing.loopback import LoopbackServer

LOCAL = ("ollama", "lmstudio", "llamacpp", "vllm")


@pytest.fixture(autouse=True)
def nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server on the usual ports, and no keyring."""
    for name in LOCAL:
        monkeypatch.setitem(PROVIDERS, name, Provider("http://127.0.0.1:9/v1", usual=PROVIDERS[name].usual))  # type: ignore[misc]
    monkeypatch.setitem(sys.modules, "keyring", None)


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    with LoopbackServer(models=("gemma3:4b", "qwen3:8b")).in_thread() as server:
        monkeypatch.setitem(PROVIDERS, "ollama", Provider(server.base_url, usual="qwen3:8b"))  # type: ignore[misc]
        yield server


def steps(console: Console) -> list[str]:
    """Return the lines that say what to do next."""
    return [line.strip() for line in console.done().out.splitlines() if line.startswith("  ")]


def test_without_settings_three_lines_say_what_to_do(console: Console) -> None:
    key, server, offline = steps(console)
    assert key == "with a key: set OPENAI_API_KEY, then: readagent read FILE --model openai/gpt-4.1-mini"
    assert server.startswith("on this computer: no server found; start Ollama, ollama pull qwen3:8b, then: readagent")
    assert offline == "offline: readagent model pull (91 MB, once), then: readagent read FILE"


def test_on_a_plain_install_the_extra_comes_before_the_download(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readagent.embedded.loading.find_spec", lambda name: None)
    said = " ".join(console.fails("read", "meeting.txt").split())
    assert said.startswith("error: no model was named, and the weights of the offline reader are not installed hint: ")
    assert said.index("--model openai/") < said.index("[local]") < said.index("readagent model pull (91 MB, once)")
    *_, offline = steps(console)
    assert offline.index("[local]") < offline.index("readagent model pull")


def test_a_key_that_is_set_is_found(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    key, *_ = steps(console)
    assert key.startswith("with a key: ANTHROPIC_API_KEY is set; readagent read FILE --model anthropic/")


def test_the_other_key_of_gemini_is_found_and_sent(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "sk-secret")
    key, *_ = steps(console)
    assert key.startswith("with a key: GOOGLE_API_KEY is set; readagent read FILE --model gemini/")
    assert resolve("gemini/gemini-2.5-flash", None, {"GOOGLE_API_KEY": "sk-secret"}).key == "sk-secret"
    both = {"GOOGLE_API_KEY": "sk-other", "GEMINI_API_KEY": "sk-secret"}
    assert resolve("gemini/gemini-2.5-flash", None, both).key == "sk-secret"
    assert resolve("openai/gpt-4.1-mini", None, both).key is None


def test_the_server_of_openai_base_url_is_asked_for_its_models(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LoopbackServer(models=("text-embedding-3-small", "gemma3:4b"), key="sk-secret").in_thread() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        key, *_ = steps(console)
        assert key == f"with a key: {server.base_url} has gemma3:4b; readagent read FILE --model openai/gemma3:4b"
        said = console.fails("read", "meeting.txt")  # no text is sent to a server that was not named
        assert "hint: --model openai/ uses the first model of OPENAI_BASE_URL" in said
        assert console.done("read", "meeting.txt", "--model", "openai/").out
        console.done("setup", stdin="\n\n\n")
        assert load_settings().model == "openai/gemma3:4b"


def test_the_models_of_a_server_on_this_computer_are_listed(console: Console, ollama: LoopbackServer) -> None:
    _, server, _ = steps(console)
    assert server == "on this computer: ollama has gemma3:4b, qwen3:8b; readagent read FILE --model ollama/gemma3:4b"


def test_an_embedding_model_is_not_offered(console: Console, ollama: LoopbackServer) -> None:
    ollama.models = ("nomic-embed-text:latest", "qwen3:8b")
    _, server, _ = steps(console)
    assert server == "on this computer: ollama has qwen3:8b; readagent read FILE --model ollama/qwen3:8b"
    console.done("setup", stdin="\n\n")
    assert load_settings().model == "ollama/qwen3:8b"


def test_a_server_without_models_needs_one(console: Console, ollama: LoopbackServer) -> None:
    ollama.models = ()
    _, server, _ = steps(console)
    assert server.startswith("on this computer: ollama pull qwen3:8b, then: readagent read FILE")


def test_with_a_model_the_commands_are_listed(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAGENT_MODEL", "openai/gpt-4.1-mini")
    assert console.done().out.startswith("Usage: readagent")


def test_setup_with_a_server_on_this_computer(console: Console, ollama: LoopbackServer) -> None:
    result = console.done("setup", stdin="\n\n")
    assert "found ollama on this computer with gemma3:4b, qwen3:8b" in result.err
    assert load_settings().model == "ollama/gemma3:4b"
    assert console.done("read", "meeting.txt").out  # with the settings that were written


def test_setup_with_a_key(console: Console, own_home: Path) -> None:
    result = console.done("setup", stdin="OpenAI\ngpt-4.1\nsk-secret\n")
    assert load_settings().model == "openai/gpt-4.1"
    assert f"the key is in {own_home / 'keys.json'}, which only you can read (mode 600)" in result.err
    assert json.loads((own_home / "keys.json").read_text()) == {"OPENAI_API_KEY": "sk-secret"}
    assert "sk-secret" not in result.out + result.err + (own_home / "config.toml").read_text()


def test_the_key_that_was_kept_is_sent_to_its_server_only(
    console: Console, monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    with LoopbackServer(key="sk-secret").in_thread() as server:
        monkeypatch.setattr("readagent.cli.commands.setup.is_loopback", lambda url: False)
        console.done("setup", stdin=f"{server.base_url}\n\nsk-secret\n")
        assert load_settings().base_url == server.base_url
        assert console.done("read", "meeting.txt").out
    with LoopbackServer(key="sk-secret").in_thread() as other:
        assert "key" in console.fails("read", "story.txt", "--base-url", other.base_url)


def test_setup_asks_again_for_what_is_no_server(console: Console) -> None:
    result = console.done("setup", stdin="nowhere\nlocal\n")
    assert "'nowhere' is none of these names and no URL" in result.err
    assert result.out.endswith("next: readagent model pull (91 MB, once), then: readagent read FILE\n")
    assert load_settings().model == "local"


def test_setup_keeps_the_other_settings(console: Console, own_home: Path) -> None:
    (own_home / "config.toml").write_text(
        '# mine\nbase_url = "http://old/v1"\nwindow = 8192\n\n[prices]\nmodel = [1, 2]\n'
    )
    console.done("setup", stdin="local\n")
    text = (own_home / "config.toml").read_text()
    assert "# mine" in text
    assert tomllib.loads(text) == {"model": "local", "window": 8192, "prices": {"model": [1, 2]}}


def test_input_that_ends_changes_nothing(console: Console, own_home: Path) -> None:
    for given in ("openai\n", ""):
        result = console("setup", stdin=given)
        said = result.err
        assert result.code == 1
        assert "\nerror: the input ended before all questions were answered; nothing was changed" in said
        assert "| readagent setup" in said
    assert not (own_home / "config.toml").exists()


@pytest.mark.parametrize(
    ("origin", "line"),
    [
        (None, "'readagent[bench]'"),
        ('{"url": "file:///a%20b/clone", "dir_info": {"editable": true}}', "--editable '/a b/clone[bench]'"),
        ('{"url": "file:///clone", "dir_info": {}}', "'/clone[bench]'"),
        (
            '{"url": "https://h/r", "vcs_info": {"vcs": "git", "commit_id": "1"}}',
            "'readagent[bench] @ git+https://h/r'",
        ),
    ],
)
def test_an_extra_is_installed_from_where_readagent_is(
    monkeypatch: pytest.MonkeyPatch, origin: str | None, line: str
) -> None:
    monkeypatch.setattr(
        extras, "distribution", lambda name: type("Known", (), {"read_text": lambda self, name: origin})()
    )
    assert extras.install_command("bench") == f"pip install {line}"


@pytest.mark.parametrize("columns", [60, 100])
def test_questions_are_wrapped_at_words_and_a_typed_key_is_not_shown(
    columns: int, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    with Terminal(columns, "setup") as terminal:
        terminal.until("]: ")
        asked = " ".join(terminal.screen())
        assert f"1. Where is the model: {', '.join(PROVIDERS)}, local (offline), or the URL of a server [" in asked
        terminal.type("openai\r")
        terminal.until("2. Model [gpt-4.1-mini]:")
        terminal.type("\r")
        terminal.until("3. Key (not shown; Enter sets OPENAI_API_KEY later)")
        terminal.type("sk-secret\r")
        code, output = terminal.end()
    assert code == 0
    assert "sk-secret" not in output
    assert json.loads((own_home / "keys.json").read_text()) == {"OPENAI_API_KEY": "sk-secret"}
