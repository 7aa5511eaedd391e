"""Options that are passed to the server, and the window that Ollama runs a model with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from readagent import Library, ReadAgent
from readagent.models.providers import PROVIDERS, Provider
from readagent.testing.loopback import LoopbackServer


def sent(server: LoopbackServer, *names: str) -> set[tuple[Any, ...]]:
    """Return the values of these parameters in all requests."""
    return {tuple(request.parameters.get(name) for name in names) for request in server.requests}


def test_options_reach_the_server_as_json_or_text(console: Console, server: LoopbackServer) -> None:
    console.done("read", "meeting.txt", "-O", "reasoning_effort=low", "--model-option", "top_p=0.9")
    assert sent(server, "reasoning_effort", "top_p") == {("low", 0.9)}


def test_options_of_files_and_flags_are_merged(console: Console, server: LoopbackServer, own_home: Path) -> None:
    (own_home / "config.toml").write_text("[model_options]\ntop_p = 0.5\nseed = 7\n")
    console.done("read", "meeting.txt", "-O", "top_p=0.9")
    assert sent(server, "top_p", "seed") == {(0.9, 7)}


def test_replies_are_kept_for_each_set_of_options(console: Console, server: LoopbackServer) -> None:
    console.done("read", "meeting.txt")
    plain = len(server.requests)
    console.done("read", "meeting.txt", "-O", "top_p=0.9")
    assert len(server.requests) == 2 * plain
    console.done("read", "meeting.txt", "-O", "top_p=0.9")
    assert len(server.requests) == 2 * plain


def test_python_passes_options(server: LoopbackServer) -> None:
    with (
        Library.in_memory() as library,
        ReadAgent("skimmer", base_url=server.base_url, library=library, model_options={"top_k": 40}) as agent,
    ):
        from readagent import load

        agent.read(load("meeting.txt"))
    assert sent(server, "top_k") == {(40,)}


@pytest.mark.parametrize("option", ["messages=[]", "temperature=1", "max_tokens=5"])
def test_what_readagent_sets_itself_is_no_option(console: Console, server: LoopbackServer, option: str) -> None:
    name = option.partition("=")[0]
    assert f"error: {name} is set by readagent" in console.fails("read", "meeting.txt", "-O", option)
    assert server.requests == []


def test_an_option_without_a_value_is_wrong_usage(console: Console) -> None:
    result = console("read", "meeting.txt", "-O", "top_p")
    assert result.code == 2
    assert "'top_p' is not NAME=VALUE" in result.err


def test_an_option_that_the_server_refuses_is_an_error(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    with LoopbackServer(rejects=["top_k"]).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        said = console.fails("read", "meeting.txt", "-O", "top_k=3")
    assert f"{server.base_url} refuses the model option top_k: " in said
    assert len(server.requests) <= 8  # the calls that began together


@pytest.mark.parametrize(("context", "told"), [(4096, True), (32768, False)])
def test_the_command_for_a_larger_window_of_ollama_is_shown(
    console: Console, monkeypatch: pytest.MonkeyPatch, context: int, told: bool
) -> None:
    loaded = {"models": [{"name": "qwen3:8b", "context_length": context}]}
    listed = {"data": [{"id": "qwen3:8b", "owned_by": "library"}]}
    with LoopbackServer(models=("qwen3:8b",), routes={"/api/ps": loaded, "/v1/models": listed}).in_thread() as server:
        monkeypatch.setitem(PROVIDERS, "ollama", Provider(server.base_url))  # type: ignore[misc]
        said = console.done("read", "meeting.txt", "--model", "ollama/qwen3:8b").err
    command = f"window of {context:,} tokens; for a larger one, start it with: OLLAMA_CONTEXT_LENGTH=16384 ollama serve"
    assert (command in said) == told
