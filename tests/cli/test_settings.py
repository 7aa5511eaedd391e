"""Settings: flags override the environment, then the project's file, the user's file and the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from readagent.settings import Settings, load_settings
from readagent.testing.loopback import LoopbackServer
from readagent.trust import trust


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
