"""`estimate` sends no text and shows the pace of this computer; `model check` reports what a server supports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from embedded.files import make_gguf
from readagent.cli.progress import duration
from readagent.embedded.engine import Engine
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES


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
    assert "no model is set" in console.done("estimate", "story.txt").out


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
