"""The speed of a model on this computer: measured once, kept, and shown as a time in estimates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from embedded.files import make_gguf
from readagent.cli.progress import duration
from readagent.embedded.engine import Engine
from sessions import EXAMPLES

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
