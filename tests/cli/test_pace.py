"""The speed of a model on this computer: measured once, kept, and shown as a time in estimates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from embedded.files import make_gguf
from readagent.cli.progress import duration
from readagent.embedded.engine import Engine
from readagent.embedded.pace import Pace, keep_pace, known_pace, measure_pace
from readagent.library import Library
from readagent.models.endpoint import Endpoint
from readagent.models.probe import ProbeReport
from sessions import EXAMPLES, run

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


def test_the_pace_comes_from_the_timings_of_the_engine(model: Path, posts: list[Any]) -> None:
    pace = run(measure_pace(Engine(model)))
    assert pace == Pace(0.02, 0.1)
    assert pace.seconds(500, 40) == pytest.approx(14.0)
    assert posts[0]["cache_prompt"] is False


def test_the_pace_is_kept_in_the_library(model: Path) -> None:
    with Library.in_memory() as library:
        assert known_pace(library, Engine(model)) is None
        keep_pace(library, Engine(model), Pace(0.5, 2.0))
        assert known_pace(library, Engine(model)) == Pace(0.5, 2.0)
        library.keep_facts(f"pace of {Engine(model).identity}", b"{}")
        assert known_pace(library, Engine(model)) is None


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


def test_a_check_measures_the_speed_again(
    console: Console, model: Path, posts: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def checked(endpoint: Endpoint) -> ProbeReport:
        return ProbeReport(answers=True, model="tiny")

    monkeypatch.setattr("readagent.cli.commands.model._checked", checked)
    assert (
        "speed:      50.0 tokens a second of a prompt, 10.0 of a reply"
        in console.done("model", "check", "-m", model).out
    )
    found = console.done("model", "check", "-m", model, "--json").json
    assert found["tokens_per_second"] == {"prompt": 50.0, "reply": 10.0}
    assert len(posts) == 2


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 second"), (9000, "2.5 hours")],
)
def test_durations_are_rough(seconds: float, words: str) -> None:
    assert duration(seconds) == words
