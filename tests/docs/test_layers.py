"""The layers: the contract covers every module, and the drawing in CONTRIBUTING.md shows the contract."""

from __future__ import annotations

import tomllib
from pathlib import Path

import readagent
from docs.pages import ROOT, blocks

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


def test_the_drawing_shows_the_contract() -> None:
    (drawing,) = blocks(ROOT / "CONTRIBUTING.md", "text")
    rows = [line.partition("   ") for line in drawing.text.splitlines()]
    assert [names.split() for names, _, _ in rows] == LAYERS
    assert all(purpose.strip() for _, _, purpose in rows)
