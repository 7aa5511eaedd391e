"""The notebooks in examples/notebooks: their code, and what is stored as its output."""

from __future__ import annotations

import json
from pathlib import Path

from docs.pages import ROOT

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def code(notebook: Path) -> list[str]:
    """The source of each cell with code."""
    return ["".join(cell["source"]) for cell in _cells(notebook)]


def printed(notebook: Path) -> str:
    """Everything that the cells printed when the outputs were stored."""
    outputs = [output for cell in _cells(notebook) for output in cell["outputs"]]
    return "".join("".join(output["text"]) for output in outputs if output["output_type"] == "stream")


def _cells(notebook: Path) -> list[dict[str, list[str] | list[dict[str, str]]]]:
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]
