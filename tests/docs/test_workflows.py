"""What GitHub and Docker run exists here, and the layers are those of the contract."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import readagent
from check_dockerfile import build, problems
from docs.pages import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FLOWS: dict[str, Any] = {path.stem: yaml.load(path.read_text("utf-8"), yaml.BaseLoader) for path in FILES}
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def steps() -> Iterator[dict[str, Any]]:
    for flow in FLOWS.values():
        for job in flow["jobs"].values():
            yield from job.get("steps", [])


def commands() -> str:
    return "\n".join(step["run"] for step in steps() if "run" in step)


def test_every_target_and_script_exists() -> None:
    targets = set(re.findall(r"\bmake ([\w-]+)", commands()))
    assert {"lint", "test"} <= targets
    assert [target for target in targets if not re.search(rf"^{target}:", MAKEFILE, re.M)] == []
    scripts = [ROOT / script for script in re.findall(r"^(?:\.ci|scripts)/\S+", commands(), re.M)]
    assert ROOT / ".ci" / "run" in scripts
    assert all(os.access(script, os.X_OK) for script in scripts)


def test_windows_runs_what_make_test_runs() -> None:
    recipe = re.search(r"^test:.*\n\t.*?-m (['\"].*['\"])$", MAKEFILE, re.M)
    assert recipe
    assert f"-m {recipe[1]}".replace("'", '"') in commands()
    assert "--group test" in commands()


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


CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
LAYERS = [
    [module.strip().removeprefix("readagent.") for module in layer.split("|")]
    for contract in CONTRACTS
    if contract["name"] == "a layer imports only what is below it"
    for layer in contract["layers"]
]


def test_every_module_is_in_a_layer() -> None:
    package = Path(readagent.__file__).parent
    modules = {path.stem for path in package.glob("*.py")} | {
        path.parent.name for path in package.glob("*/__init__.py")
    }
    assert {module for layer in LAYERS for module in layer} == modules - {"__init__", "__main__"}


def test_it_is_sound() -> None:
    assert [*problems()] == []


@pytest.mark.release
@pytest.mark.slow
def test_its_steps_install_a_program_that_starts() -> None:
    assert [*build()] == []
