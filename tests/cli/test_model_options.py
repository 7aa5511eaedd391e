"""Options that are passed to the server, and the window that Ollama runs a model with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

from cli.console import Console
from readagent.cli import app
from readagent.models.providers import PROVIDERS
from readagent.testing.loopback import LoopbackServer


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
        if "--model" in options:
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
