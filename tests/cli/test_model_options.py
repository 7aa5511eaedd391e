"""What a model is asked with and costs: options for the server, estimates, the pace of this computer, and `model check`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

from cli.console import Console
from embedded.files import make_gguf
from readagent.cli import app
from readagent.cli.progress import duration
from readagent.embedded.engine import Engine
from readagent.models.providers import PROVIDERS
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES


def sent(server: LoopbackServer, *names: str) -> set[tuple[Any, ...]]:
    """Return the values of these parameters in all requests."""
    return {tuple(request.parameters.get(name) for name in names) for request in server.requests}


def parameters(server: LoopbackServer) -> list[dict[str, Any]]:
    """Return the parameters of all requests."""
    return [request.parameters for request in server.requests]


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_options_reach_every_provider(console: Console, monkeypatch: pytest.MonkeyPatch, provider: str) -> None:
    with LoopbackServer(models=("m",)).in_thread() as server:
        monkeypatch.setitem(PROVIDERS, provider, replace(PROVIDERS[provider], base_url=server.base_url))  # type: ignore[misc]
        options = ("-o", "top_k=40", "-o", 'thinking={"type": "disabled"}', "--option", "stop=END")
        console.done("read", "meeting.txt", "--model", f"{provider}/m", *options)
    assert {(one["top_k"], one["thinking"]["type"], one["stop"]) for one in parameters(server)} == {
        (40, "disabled", "END")
    }


def test_options_of_files_and_flags_are_merged(console: Console, server: LoopbackServer, own_home: Path) -> None:
    (own_home / "config.toml").write_text("[model_options]\ntop_p = 0.5\nseed = 7\n")
    console.done("read", "meeting.txt", "-o", "top_p=0.9")
    assert sent(server, "top_p", "seed") == {(0.9, 7)}


def test_replies_are_kept_for_each_set_of_options(console: Console, server: LoopbackServer) -> None:
    console.done("read", "meeting.txt")
    plain = len(server.requests)
    console.done("read", "meeting.txt", "-o", "top_p=0.9")
    assert len(server.requests) == 2 * plain
    console.done("read", "meeting.txt", "-o", "top_p=0.9")
    assert len(server.requests) == 2 * plain


@pytest.mark.parametrize("option", ["top_p", ""])
def test_an_option_without_a_name_or_a_value_is_wrong_usage(console: Console, option: str) -> None:
    result = console("read", "meeting.txt", "-o", option)
    assert result.code == 2
    assert f"{option!r} is not NAME=VALUE, such as top_p=0.9." in " ".join(result.err.split())


def all_commands(group: click.Group, *path: str) -> Iterator[tuple[str, click.Command]]:
    """Yield every command that is no group, with its name."""
    context = click.Context(group)
    for name in group.list_commands(context):
        below = group.get_command(context, name)
        assert below is not None
        if isinstance(below, click.Group):
            yield from all_commands(below, *path, name)
        else:
            yield " ".join([*path, name]), below


def test_every_command_with_a_model_passes_options(console: Console) -> None:
    """`-o` is short for it, unless it names the output."""
    checked = []
    for name, one in all_commands(app):
        options = {option: parameter.name for parameter in one.params for option in parameter.opts}
        if "--model" in options and name != "setup":  # which chooses one
            assert options["--option"] == "model_options", name
            assert options["-o"] in ("model_options", "output", "out"), name
            checked.append(name)
    assert {"read", "ask", "chat", "summary", "shelf ask", "append", "improve", "browse", "bench run"} <= {*checked}


def test_an_option_that_the_server_refuses_is_an_error(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    with LoopbackServer(rejects=["top_k"]).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        said = console.fails("read", "meeting.txt", "-o", "top_k=3")
    assert f"{server.base_url} refuses the model option top_k: " in said
    assert len(server.requests) <= 8  # the calls that began together


def test_a_prompt_that_the_server_cut_is_told(server: LoopbackServer, console: Console) -> None:
    server._cuts = 1500
    result = console.done("ask", "meeting.txt", "Who takes the minutes?")
    assert "tokens to 1,500, without saying so; used instead: a window of 1,500 tokens, and asked again" in result.err
    assert console.done("ask", "meeting.txt", "Who has the money?").err == "", "the window is remembered"


def test_an_estimate_uses_the_window_that_the_server_reports(console: Console) -> None:
    with LoopbackServer(window=2048).in_thread() as server:
        flags = ("story.txt", "--base-url", server.base_url, "--model", "skimmer")
        asked = console.done("estimate", *flags, "--json").json
        set_ = console.done("estimate", *flags, "--window", "4096", "--json").json
        assert not server.requests, "text was sent"
        assert "window: 2,048 tokens, from the server" in console.done("estimate", *flags).out
    assert (asked["window"], asked["window_from"]) == (2048, "the server")
    assert (set_["window"], set_["window_from"]) == (4096, "the settings")
    assert asked["question"]["prompt_tokens"] < set_["question"]["prompt_tokens"]  # less has room


def test_an_estimate_gives_the_cost_if_the_price_is_known(console: Console) -> None:
    out = console.done("estimate", "story.txt", "--model", "openai/gpt-4.1-mini").out
    assert out.startswith("The Second Two Hundred: 6,980 words, about 15 pages")
    assert out.count("$0.0") == 3  # in one pass, in two steps, and a question
    assert "the price of openai/gpt-99 is unknown" in console.done("estimate", "story.txt", "-m", "openai/gpt-99").out
    assert "cost" not in console.done("estimate", "story.txt").out  # of the offline reader


def test_check_reports_what_a_server_supports(console: Console) -> None:
    with LoopbackServer(constrain="schema", window=8192).in_thread() as server:
        lines = console.done("model", "check", "--base-url", server.base_url).out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["server", "model", "answers", "streams", "constrains", "window"]
    assert lines[1].split() == ["model:", "skimmer"]
    assert "yes, by JSON schema" in lines[4]
    assert lines[5].endswith("8,192 tokens")


def test_a_check_as_json_has_the_same_keys_when_it_fails(console: Console, server: LoopbackServer) -> None:
    keys = {"base_url", "answers", "model", "listed", "streams", "constrains", "window", "seconds", "error", "hint",
            "tokens_per_second"}  # fmt: skip
    assert set(console.done("model", "check", "--json").json) == keys
    failed = console("model", "check", "--model", "gpt-9", "--json")
    assert failed.code == 1
    assert set(failed.json) == keys
    assert failed.json["error"].startswith("the server has no model 'gpt-9'")


TIMINGS = {"prompt_per_token_ms": 20.0, "predicted_per_token_ms": 100.0}


@pytest.fixture
def posts(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was posted to engines, which reply with fixed timings and never run."""
    posted: list[Any] = []

    async def post(engine: Engine, path: str, value: Any) -> Any:
        posted.append(value)
        return {"timings": TIMINGS}

    monkeypatch.setattr(Engine, "post", post)
    return posted


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return make_gguf(tmp_path / "tiny.gguf")


def test_an_estimate_gives_the_time_and_the_window(console: Console, model: Path, posts: list[Any]) -> None:
    story = EXAMPLES / "story.txt"
    figures = console.done("estimate", story, "--model", model, "--json").json
    reading = figures["reading"]
    assert reading["seconds"] == pytest.approx(0.02 * reading["prompt_tokens"] + 0.1 * reading["reply_tokens"])
    assert (figures["window"], figures["window_from"]) == (4096, "the file and the free memory")
    out = console.done("estimate", story, "--model", model).out
    assert out.count(" on this computer") == 2
    assert "minutes on this computer" in out
    assert "$" not in out
    assert len(posts) == 1, "it is measured once"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 second"), (9000, "2.5 hours")],
)
def test_durations_are_rough(seconds: float, words: str) -> None:
    assert duration(seconds) == words
