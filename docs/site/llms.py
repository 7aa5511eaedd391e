"""For language models: every page as Markdown next to its HTML, llms.txt that lists them, llms-full.txt with all."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from markdown_links import relinked, repository_url
from navigation import sections
from sphinx.application import Sphinx
from sphinx.builders.text import TextBuilder
from sphinx.writers.text import TextTranslator

_ENTRY = re.compile(r"^- +\[(.+?)\]\(((?!\.\.)[^)#]+\.md)\)(?:: (.+(?:\n  .+)*))?$", re.M)
_SECTION = re.compile(r"^## (.+)$", re.M)


def plain(app: Sphinx, page: str, folder: str) -> str:
    """Return a page as text: its Markdown, and for the Python API what the docstrings say.

    Its links are valid in a folder of the site.
    """
    if not page.startswith("api/"):
        return relinked(Path(app.srcdir, f"{page}.md").read_text("utf-8"), page, _files(app), _outside(app), folder)
    builder = TextBuilder(app, app.env)
    builder.init()
    document = app.env.get_and_resolve_doctree(page, builder)
    translator = TextTranslator(document, builder)
    document.walkabout(translator)
    return translator.body


def _files(app: Sphinx) -> dict[str, str]:
    """Return where the pages, as Markdown, and the pictures are on the site."""
    pictures = {path: f"{app.builder.imagedir}/{name}" for path, (_, name) in app.env.images.items()}
    return {f"{page}.md": f"{page}.md" for page in app.env.found_docs} | pictures


def _outside(app: Sphinx) -> Callable[[str], str]:
    docs = Path(app.srcdir)

    def address(path: str) -> str:
        return repository_url(app.config.repository, app.config.version, docs.parent, (docs / path).resolve())

    return address


def short_list(index: str, about: str) -> str:
    """Return llms.txt: a title, a sentence about the project, and the lists of the index without their line breaks."""
    lines = ["# ReadAgent", "", f"> {about}"]
    for part in _SECTION.split(index)[1:]:
        if "\n" not in part:
            lines += ["", f"## {part}", ""]
            continue
        lines += [
            f"- [{title}]({path})" + (f": {' '.join(text.split())}" if text else "")
            for title, path, text in _ENTRY.findall(part)
        ]
    return "\n".join(lines) + "\n"


def write(app: Sphinx, failure: Exception | None) -> None:
    """Write the files when the HTML is there."""
    if failure or app.builder.name != "html":
        return
    out = Path(app.outdir)
    index = Path(app.srcdir, "index.md").read_text("utf-8")
    pages = ["index", *(page for _, listed in sections(index) for page in listed)]
    for page in sorted(app.env.found_docs):
        (out / f"{page}.md").write_text(plain(app, page, page.rpartition("/")[0]), "utf-8")
    (out / "llms.txt").write_text(short_list(index, app.config.about), "utf-8")
    (out / "llms-full.txt").write_text("\n\n".join(plain(app, page, "").strip() for page in pages) + "\n", "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the hook."""
    app.add_config_value("about", "", "env")
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
