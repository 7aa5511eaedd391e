"""The navigation of the site: the lists of links in each index.md, under the heading of their section."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_SECTION = re.compile(r"^## +(.+)\n", re.M)
_GENERATED = {"usage": ("command-line",)}  # pages that only the site has, by the one they come after
_ENTRY = re.compile(r"^- +\[[^\]]+\]\(([^)#]+)\.md\)", re.M)


def sections(index: str) -> list[tuple[str, list[str]]]:
    """Return the headings of an index and the pages listed under each; pages outside of this folder are left out."""
    before, *parts = _SECTION.split(index)
    found = [("", before), *zip(parts[::2], parts[1::2], strict=True)]
    own = [(heading, [page for page in _ENTRY.findall(text) if page[:2] != ".."]) for heading, text in found]
    listed = [(heading, [one for page in pages for one in (page, *_GENERATED.get(page, ()))]) for heading, pages in own]
    return [(heading, pages) for heading, pages in listed if pages]


def add_navigation(app: Sphinx, page: str, source: list[str]) -> None:
    """Add the tables of contents that Sphinx makes its sidebar from to an index."""
    if page.rpartition("/")[2] != "index":
        return
    for heading, pages in sections(source[0]):
        lines = ["```{toctree}", ":hidden:", *([f":caption: {heading}"] if heading else []), "", *pages, "```"]
        source[0] += "\n" + "\n".join(lines) + "\n"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the hook."""
    app.connect("source-read", add_navigation)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
