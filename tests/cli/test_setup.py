"""`readagent` alone and `readagent setup`: the way to a first model."""

from __future__ import annotations

import os
import stat
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.console import Console
from cli.terminal import Terminal
from readagent import advice
from readagent.cli.offline import report_local
from readagent.library import Library
from readagent.models.providers import PROVIDERS, Provider
from readagent.settings import Settings, load_settings
from readagent.testing.loopback import LoopbackServer

pytestmark = pytest.mark.slow

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


def test_the_only_model_of_openai_base_url_is_used_and_named(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    with LoopbackServer(models=("text-embedding-3-small", "gemma3:4b"), key="sk-secret").in_thread() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        result = console.done("read", "meeting.txt")
        assert f"using gemma3:4b, the only model of {server.base_url} (OPENAI_BASE_URL)\n" in result.err
        assert result.announced == f"sending the text to {server.base_url}"
        assert {request.parameters["model"] for request in server.requests} == {"gemma3:4b"}
        assert "gemma3:4b" in console.done("estimate", "meeting.txt").err


def test_the_offline_reader_comes_before_openai_base_url(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readagent.connection.steps_to_reader", lambda home: "")
    with LoopbackServer(models=("gemma3:4b",)).in_thread() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        console.fails("read", "meeting.txt")  # its weights are not really here
        assert server.requests == []


def test_a_server_cannot_write_to_the_terminal_or_pass_for_another(console: Console, own_home: Path) -> None:
    with LoopbackServer(models=("evil\x1b[2J\u202e:4b",)).in_thread() as server:
        asked = console("setup", stdin=f"{server.base_url}\n\n\n")
        assert "\x1b" not in asked.err
        assert "\u202e" not in asked.err
        assert "control or invisible characters; nothing was changed" in asked.err
        assert not (own_home / "config.toml").exists()
        url = f"{server.base_url}/https://api.openai.com/v1/@api.openai.com"
        told = console("read", "meeting.txt", "--base-url", url, "--model", "x").announced
        assert told == f"sending the text to {url}"


def test_several_models_of_openai_base_url_are_named(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    with LoopbackServer(models=("gemma3:4b", "qwen3:8b")).in_thread() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert console.fails("read", "meeting.txt") == (
            f"error: no model was named, and {server.base_url} (OPENAI_BASE_URL) lists 2 models\n"
            "hint: name one with --model: openai/gemma3:4b, openai/qwen3:8b; or set OPENAI_MODEL\n"
        )
        assert server.requests == []
        assert console.done("estimate", "meeting.txt").out  # needs no model
        monkeypatch.setenv("OPENAI_MODEL", "qwen3:8b")
        assert console.done("read", "meeting.txt").announced == f"sending the text to {server.base_url}"
        assert {request.parameters["model"] for request in server.requests} == {"qwen3:8b"}
        monkeypatch.setenv("READAGENT_MODEL", "openai/gemma3:4b")  # a setting of ours comes first
        assert load_settings().model == "openai/gemma3:4b"
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("READAGENT_MODEL")
    assert load_settings().model == ""  # without a server of the user's own, nothing goes to OpenAI


@pytest.mark.parametrize(
    ("where", "typed", "model"),
    [
        ("OpenAI", "openai/gpt-4.1", "openai/gpt-4.1"),
        ("openrouter", "openai/gpt-4.1-mini", "openrouter/openai/gpt-4.1-mini"),
    ],
)
def test_a_model_may_be_typed_with_its_provider(
    console: Console, monkeypatch: pytest.MonkeyPatch, where: str, typed: str, model: str
) -> None:
    with LoopbackServer(models=("gemma3:4b", model.partition("/")[2])).in_thread() as server:
        monkeypatch.setitem(PROVIDERS, where.lower(), Provider(server.base_url))  # type: ignore[misc]
        assert f"the model is {model}\n" in console.done("setup", stdin=f"{where}\n{typed}\n").out
    assert load_settings().model == model


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


def test_a_setup_that_fails_says_why_and_keeps_the_one_that_worked(
    console: Console, monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    with LoopbackServer().in_thread() as good, LoopbackServer(key="sk-secret").in_thread() as server:
        console.done("setup", "--base-url", good.base_url)
        asked = console("setup", stdin=f"{server.base_url}\n\n\n")
        assert f"{server.base_url} cannot be used: the server requires an API key" in asked.out
        monkeypatch.setenv("READAGENT_API_KEY", "sk-wrong")
        refused = console("setup", "--base-url", server.base_url)
        assert "the key in READAGENT_API_KEY was sent and not accepted" in refused.out
        unsent = console.fails("read", "meeting.txt", "--base-url", server.base_url)
        assert "READAGENT_API_KEY is not sent to this server, but to its own only" in unsent
        absent = console("setup", "--base-url", good.base_url, "--model", "nope")
        assert "nothing was changed" in absent.out
        assert (asked.code, refused.code, absent.code) == (1, 1, 1)
    assert load_settings().base_url == good.base_url


def test_a_password_in_an_address_is_in_a_file_that_only_the_user_can_read(console: Console, own_home: Path) -> None:
    file = own_home / "config.toml"
    file.write_text('# mine\nbase_url = "http://old/v1"\nwindow = 8192\n\n[prices]\nmodel = [1, 2]\n')
    file.chmod(0o644)
    with LoopbackServer(models=("m",)).in_thread() as server:
        url = server.base_url.replace("//", "//anna:hush-hush@")
        result = console.done("setup", stdin=f"{url}\nm\n")
    assert file.read_text().splitlines()[2] == "# mine"
    assert tomllib.loads(file.read_text()) == {
        "model": "m", "base_url": url, "window": 8192, "prices": {"model": [1, 2]}
    }  # fmt: skip
    assert f"the password or key in the address is in {file}, which only you can read (mode 600)" in result.err
    assert "hush-hush" not in result.out + result.err
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_setup_with_a_model_asks_nothing_and_checks_it_with_one_request(console: Console) -> None:
    with LoopbackServer(models=("gemma3:4b",)).in_thread() as server:
        told = console.done("setup", "--model", "gemma3:4b", "--base-url", server.base_url).out
        assert f"gemma3:4b of {server.base_url} answers, in " in told
        assert [request.prompt for request in server.requests] == ['Reply with the word "ready".']
    assert load_settings().model == "gemma3:4b"


def test_what_the_offline_reader_is_is_said_once_for_a_library(
    capsys: pytest.CaptureFixture[str], own_home: Path
) -> None:
    with Library.in_memory() as library:
        for times in (1, 0):
            report_local(Settings(own_home), library)
            assert capsys.readouterr().err.count("the offline reader quotes") == times


def test_input_that_ends_changes_nothing(console: Console, own_home: Path) -> None:
    for given in ("openai\n", ""):
        result = console("setup", stdin=given)
        said = result.err
        assert result.code == 1
        assert "\nerror: the input ended before all questions were answered; nothing was changed" in said
        assert "| readagent setup" in said
    assert not (own_home / "config.toml").exists()


@pytest.mark.parametrize(
    ("origin", "extra", "package"),
    [
        (None, "'readagent[local]'", "readagent-bench"),
        (
            '{"url": "file://HERE/a%20b", "dir_info": {"editable": true}}',
            "--editable 'HERE/a b[local]'",
            "--editable 'HERE/a b/packages/readagent-browse' --editable 'HERE/a b/packages/readagent-bench'",
        ),
        (
            '{"url": "https://h/r", "vcs_info": {"vcs": "git", "commit_id": "1"}}',
            "'readagent[local] @ git+https://h/r'",
            "'readagent-browse @ git+https://h/r#subdirectory=packages/readagent-browse' "
            "'readagent-bench @ git+https://h/r#subdirectory=packages/readagent-bench'",
        ),
    ],
)  # fmt: skip
def test_an_extra_or_a_package_is_installed_from_where_readagent_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, origin: str | None, extra: str, package: str
) -> None:
    (tmp_path / "a b").mkdir()
    stored = origin and origin.replace("HERE", str(tmp_path))
    monkeypatch.setattr(
        advice, "distribution", lambda name: type("Known", (), {"read_text": lambda self, name: stored})()
    )
    assert advice.install_command("local") == f"pip install {extra}".replace("HERE", str(tmp_path))
    assert advice.install_command("", "readagent-bench") == f"pip install {package}".replace("HERE", str(tmp_path))


def test_questions_are_wrapped_at_words_and_a_typed_key_is_not_shown(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    with Terminal(60, "setup") as terminal:
        terminal.until("]: ")
        asked = " ".join(terminal.screen())
        assert f"1. Where is the model: {', '.join(PROVIDERS)}, local (offline), or the URL of a server [" in asked
        terminal.type("openai\r")
        terminal.until("2. Model [gpt-4.1-mini]:")
        terminal.type("\r")
        terminal.until("3. Key (not shown; Enter for none)")
        terminal.type("sk-secret\r")
        code, output = terminal.end()
    assert code == 1  # there is no way to OpenAI here
    assert "sk-secret" not in output
    assert not (own_home / "keys.json").exists()
