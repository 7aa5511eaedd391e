"""The parts of the site that need no generator: its navigation, its list of versions, and the lists of public names."""

from __future__ import annotations

import re
import sys

import readagent.errors
from docs.pages import ROOT
from docs.public import MODULES, public_names

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
    for lines, name in re.findall(r"^([│├└─ ]*)(\w+Error)\b", page.partition("```text")[2].partition("```")[0], re.M):
        depth = len(lines) // 4
        parents[depth:] = [name]
        drawn[name] = parents[depth - 1] if depth else "Exception"
    assert drawn == {
        name: getattr(readagent.errors, name).__bases__[0].__name__ for name in public_names("readagent.errors")
    }
