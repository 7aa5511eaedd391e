"""The pages of the documentation, the blocks of code in them, the notebooks, and the public names."""

from __future__ import annotations

import ast
import importlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_GENERATED = ROOT / "docs" / "command-line.md"  # by `make docs`
PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "examples" / "README.md"} - {_GENERATED})
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
ADAPTERS = ("readagent.adapters.langchain", "readagent.adapters.llama_index", "readagent.adapters.tools")
MODULES = (
    "readagent", "readagent.filling", "readagent.errors", "readagent.events", "readagent.testing",
    "readagent_bench", "readagent_browse", "readagent_browse.live",
    *ADAPTERS,
)  # fmt: skip
_BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A fenced block: the language it says it is in, its text, and the line on which the text begins."""

    language: str
    text: str
    line: int


def blocks(page: Path, *languages: str) -> list[Block]:
    text = page.read_text("utf-8")
    found = (Block(match[1], match[2], text.count("\n", 0, match.start(2)) + 1) for match in _BLOCK.finditer(text))
    return [block for block in found if block.language in languages]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


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


def public_names(module: str) -> list[str]:
    """The names of a public module; readagent.errors has no list, and every class in it is public."""
    if module in ADAPTERS:  # its package may not be installed
        source = (ROOT / "src" / f"{module.replace('.', '/')}.py").read_text("utf-8")
        (names,) = re.findall(r"^__all__ = (\[.*\])$", source, re.M)
        return list(ast.literal_eval(names))
    imported = importlib.import_module(module)
    classes = [name for name, value in vars(imported).items() if isinstance(value, type) and value.__module__ == module]
    return getattr(imported, "__all__", classes)
