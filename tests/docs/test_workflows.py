"""What GitHub and Docker run: on every system, with few rights, and an image that starts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from check_dockerfile import build, problems
from docs.pages import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FLOWS: dict[str, Any] = {path.stem: yaml.load(path.read_text("utf-8"), yaml.BaseLoader) for path in FILES}


def steps() -> Iterator[dict[str, Any]]:
    for flow in FLOWS.values():
        for job in flow["jobs"].values():
            yield from job.get("steps", [])


def test_the_tests_run_on_every_system_and_supported_python() -> None:
    matrix = FLOWS["ci"]["jobs"]["test"]["strategy"]["matrix"]
    assert {system.partition("-")[0] for system in matrix["os"]} == {"ubuntu", "macos", "windows"}
    classified = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    assert matrix["python"] == classified
    assert PROJECT["project"]["requires-python"] == f">={classified[0]}"
    assert f"Python {classified[0]} to {classified[-1]}" in (ROOT / "docs" / "install.md").read_text("utf-8")
    used = {step["with"]["python-version"] for step in steps() if "setup-python" in step.get("uses", "")}
    assert used <= {*classified, "${{ matrix.python }}"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit_and_say_their_version(path: Path) -> None:
    for used in re.findall(r"uses: (.+)", path.read_text("utf-8")):
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used) or (ROOT / used).is_file(), used


def test_only_publishing_may_do_more_than_read() -> None:
    for name, flow in FLOWS.items():
        allowed = [flow["permissions"], *(job.get("permissions", {}) for job in flow["jobs"].values())]
        more = [granted for granted in allowed if granted not in ({}, "", {"contents": "read"})]
        assert more == ([{"id-token": "write"}] if name == "release" else [])
    publish = FLOWS["release"]["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert set(publish["needs"]) == {"ci", "build"}
    assert [*FLOWS["release"]["on"]] == ["push"]
    assert [*FLOWS["release"]["on"]["push"]] == ["tags"]


def test_it_is_sound() -> None:
    assert [*problems()] == []


@pytest.mark.release
@pytest.mark.slow
def test_its_steps_install_a_program_that_starts() -> None:
    assert [*build()] == []
