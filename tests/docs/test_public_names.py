"""The public door: its names can be fetched, the pages mention them, and coming in costs little."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys

import readagent
import readagent.errors
from docs.notebooks import NOTEBOOKS, code
from docs.pages import PAGES, ROOT, blocks, name
from docs.public import ADAPTERS, public_names


def test_every_public_name_can_be_fetched_and_is_documented() -> None:
    written = "".join(page.read_text("utf-8") for page in PAGES)
    assert [name for name in readagent.__all__ if getattr(readagent, name) is None or name not in written] == []


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = "{'click', 'httpx2', 'msgspec', 'rich', 'sqlite3'}"
    code = f"import sys, readagent; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


DOORS = (
    "readagent",
    "readagent_bench.own",
    "readagent.events",
    "readagent.corpus",
    "readagent.testing",
    "readagent_browse",
    "readagent_browse.browsergym",
    "readagent_browse.live",
)
PACKAGES = ("readagent", "readagent_bench", "readagent_browse")
PUBLIC = {name: set(importlib.import_module(name).__all__) for name in DOORS}
PUBLIC |= {door: set(public_names(door)) for door in ADAPTERS}
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SOURCES = [(f"{name(page)}:{block.line}", block.text) for page in PAGES for block in blocks(page, "python")]
SOURCES += [(name(file), file.read_text("utf-8")) for file in EXAMPLES]
SOURCES += [(name(file), "\n".join(code(file))) for file in NOTEBOOKS]


def test_code_in_pages_and_examples_imports_public_names_only() -> None:
    for place, source in SOURCES:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                assert not any(
                    alias.name.startswith(tuple(f"{package}." for package in PACKAGES)) for alias in node.names
                ), place
            elif isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in PACKAGES:
                assert node.module == "readagent.errors" or node.module in PUBLIC, f"{place}: {node.module}"
                allowed = PUBLIC.get(node.module, set(dir(readagent.errors)))
                assert {alias.name for alias in node.names} <= allowed, place
