"""The public names: they can be fetched, are documented, and cost little to import; the parts of the site agree."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys

import readagent
import readagent.errors
from docs.pages import ADAPTERS, MODULES, NOTEBOOKS, PAGES, ROOT, blocks, code, name, public_names


def test_every_public_name_can_be_fetched_and_is_documented() -> None:
    written = "".join(page.read_text("utf-8") for page in PAGES)
    assert [name for name in readagent.__all__ if getattr(readagent, name) is None or name not in written] == []


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = "{'click', 'httpx2', 'msgspec', 'rich', 'sqlite3'}"
    code = f"import sys, readagent; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


DOORS = (
    "readagent", "readagent_bench", "readagent.events", "readagent.filling", "readagent.testing", "readagent_browse",
    "readagent_browse.live",
)  # fmt: skip
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


sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "docs" / "site")]
from api_lists import replaced  # noqa: E402
from navigation import sections  # noqa: E402


def test_the_navigation_is_made_from_the_lists_of_the_index() -> None:
    index = "# A\n\n- [B](b.md): x\n\n## C\n\n- [D](d/e.md)\n- [F](../f.md)\n\nText [G](g.md).\n\n## H\n\nNone.\n"
    assert sections(index) == [("", ["b"]), ("C", ["d/e"])]


def test_the_pages_of_the_api_list_every_public_name_once() -> None:
    listed = []

    def entry(where: str, name: str, text: str) -> str:
        listed.append((where, name))
        return text

    for page in (ROOT / "docs" / "api").glob("*.md"):
        replaced(page.read_text("utf-8"), entry)
    assert sorted(listed) == sorted((module, name) for module in MODULES for name in public_names(module))


def test_the_tree_of_errors_is_complete() -> None:
    page = (ROOT / "docs" / "api" / "errors.md").read_text("utf-8")
    parents: list[str] = []
    drawn = {}
    for lines, called in re.findall(r"^([│├└─ ]*)(\w+Error)\b", page.partition("```text")[2].partition("```")[0], re.M):
        depth = len(lines) // 4
        parents[depth:] = [called]
        drawn[called] = parents[depth - 1] if depth else "Exception"
    assert drawn == {
        called: getattr(readagent.errors, called).__bases__[0].__name__ for called in public_names("readagent.errors")
    }
