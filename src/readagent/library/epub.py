"""Export a memory and its answers as an e-book (EPUB 3): the gists with links to their pages, and the text."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5

from readagent.core.document import page_name
from readagent.core.escaping import marked_up
from readagent.core.memory import GistMemory
from readagent.core.patterns import lazy_pattern
from readagent.library.html import direction, exchange, language_tag
from readagent.library.rows import KeptAnswer

_PARAGRAPH = lazy_pattern(r"\n\s*\n")
_CONTAINER = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book/content.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""
_STYLE = """small { font-family: sans-serif }
blockquote { border-left: .2em solid; margin-left: 0; padding-left: 1em }
.text p { white-space: pre-wrap }
"""
_XHTML = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="{language}"\
 lang="{language}">
<head><title>{title}</title><link rel="stylesheet" type="text/css" href="style.css"/></head>
<body dir="{direction}">
{body}
</body>
</html>
"""
_PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="{language}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:{identifier}</dc:identifier>
<dc:title>{title}</dc:title>
<dc:language>{language}</dc:language>
{author}<meta property="dcterms:modified">{modified}</meta>
</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="style" href="style.css" media-type="text/css"/>
{items}
</manifest>
<spine>
{spine}
</spine>
</package>
"""


def as_epub(memory: GistMemory, answers: Sequence[KeptAnswer] = (), *, modified: datetime | None = None) -> bytes:
    """Return an e-book with the gists, the questions and the text. ``modified`` is its date, by default now."""
    document = memory.document
    title = marked_up(document.title or document.source or document.id)
    code = language_tag(document)
    names = [marked_up(page_name(*one)) for one in enumerate(memory.places())]
    bodies = {"gists": ("Gists", _gists(memory, names))}
    if answers:
        bodies["questions"] = (
            "Questions",
            [exchange(answer, memory, "h2", lambda page: f"page-{page}.xhtml") for answer in reversed(answers)],
        )
    pages = {f"page-{n}": (name, _page(memory, n, name)) for n, name in enumerate(names, 1)}
    files = {"style.css": _STYLE, "nav.xhtml": _file(title, code, _contents(bodies, pages))}
    for name, (heading, body) in (bodies | pages).items():
        files[f"{name}.xhtml"] = _file(heading, code, "\n".join(body))
    chapters = [*bodies, *pages]
    author = marked_up(document.metadata.get("author", ""))
    files["content.opf"] = _PACKAGE.format(
        title=title,
        language=code,
        identifier=uuid5(NAMESPACE_URL, f"readagent:{document.id}"),
        author=author and f"<dc:creator>{author}</dc:creator>\n",
        modified=(modified or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        items="\n".join(
            f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in chapters
        ),
        spine="\n".join(f'<itemref idref="{name}"/>' for name in chapters),
    )
    return _zipped({"META-INF/container.xml": _CONTAINER, **{f"book/{name}": text for name, text in files.items()}})


def _gists(memory: GistMemory, names: Sequence[str]) -> list[str]:
    sections = [
        f'<section id="gist-{n}"><small><a href="page-{n}.xhtml">{name}</a></small>'
        f"<p>{marked_up(gist.text)}</p></section>"
        for n, (name, gist) in enumerate(zip(names, memory.gists, strict=True), 1)
    ]
    return ["<h1>Gists</h1>", *sections]


def _page(memory: GistMemory, number: int, name: str) -> list[str]:
    paragraphs = _PARAGRAPH.split(memory.page_text(number - 1).strip())
    link = f'<p><small><a href="gists.xhtml#gist-{number}">{name}</a></small></p>'
    return [link, '<div class="text">', *(f"<p>{marked_up(paragraph)}</p>" for paragraph in paragraphs), "</div>"]


def _contents(bodies: dict[str, tuple[str, list[str]]], pages: dict[str, tuple[str, list[str]]]) -> str:
    def entries(of: dict[str, tuple[str, list[str]]]) -> str:
        return "\n".join(f'<li><a href="{name}.xhtml">{heading}</a></li>' for name, (heading, _) in of.items())

    text = f"<li><span>Text</span><ol>\n{entries(pages)}\n</ol></li>" if pages else ""
    return f'<nav epub:type="toc"><h1>Contents</h1><ol>\n{entries(bodies)}\n{text}\n</ol></nav>'


def _file(title: str, code: str, body: str) -> str:
    return _XHTML.format(title=title, language=code, direction=direction(code), body=body)


def _zipped(files: dict[str, str]) -> bytes:
    """Return the files as a ZIP archive that begins with the media type, uncompressed, as the format wants it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), "application/epub+zip", zipfile.ZIP_STORED)
        for name, text in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text.encode())
    return out.getvalue()
