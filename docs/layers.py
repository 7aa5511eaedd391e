"""The drawing of the layers in CONTRIBUTING.md: the contract in pyproject.toml, line by line.

A line of the contract says what its modules are for in a comment, so names, order and purpose have one place.
"""

from __future__ import annotations

import re
from pathlib import Path

_CONTRACT = re.compile(r'^type = "layers"\nlayers = \[\n(.*?)^\]$', re.M | re.S)
_LAYER = re.compile(r'^ *"(?P<modules>[^"]+)", +# (?P<purpose>.+)$')


def layers(project: str) -> list[tuple[list[str], str]]:
    """Return the modules of every layer, from the top down, and what they are for."""
    contract = _CONTRACT.search(project)
    assert contract, "pyproject.toml has no contract of type layers"
    found = []
    for line in contract[1].splitlines():
        layer = _LAYER.match(line)
        assert layer, f"this layer does not say what it is for: {line.strip()}"
        found.append(
            ([name.strip().removeprefix("readagent.") for name in layer["modules"].split("|")], layer["purpose"])
        )
    return found


def drawing(project: Path) -> str:
    """Return the drawing as a block of Markdown."""
    rows = [("  ".join(modules), purpose) for modules, purpose in layers(project.read_text("utf-8"))]
    width = max(len(names) for names, _ in rows)
    return "\n".join(["```text", *(f"{names:{width}}   {purpose}" for names, purpose in rows), "```\n"])
