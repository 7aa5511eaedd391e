"""Libraries that read documents, each as a function from a file to its text and headings, by format.

A library is imported when its function is called. Where one writes Markdown, the headings are those of the Markdown.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from readagent.loaders.formats import Options, parser_for
from readagent.loaders.sniff import detect_format

Found = tuple[str, list[str]]  # text and headings
Read = Callable[[Path], Found]
_HEADING = re.compile(r"#{1,6} +(.*)")
_HEADINGS = "h1, h2, h3, h4, h5, h6"
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)|<!--.*?-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Library:
    """A library on PyPI, the module that is imported, and how it is called."""

    name: str
    module: str
    read: Read


def ours(path: Path) -> Found:
    """Return what the loaders of ReadAgent find."""
    data = path.read_bytes()
    document = parser_for(detect_format(data, path.name)).parse(data, path.name, Options())
    return document.text, [document.text[one.start : one.end] for one in document.paragraphs if one.heading]


def _of_markdown(text: str) -> Found:
    plain = _IMAGE.sub(" ", text)
    return re.sub(r"[*\\`|]|\]\([^)]*\)", " ", plain), [
        one[1] for one in map(_HEADING.match, plain.splitlines()) if one
    ]


def _of_html(pages: Iterator[bytes | str]) -> Found:
    texts: list[str] = []
    headings: list[str] = []
    for page in pages:
        tree = LexborHTMLParser(page)
        texts.append(tree.body.text(separator="\n") if tree.body else "")
        headings += [node.text() for node in tree.css(_HEADINGS)]
    return "\n".join(texts), headings


def _markitdown(path: Path) -> Found:
    return _of_markdown(import_module("markitdown").MarkItDown().convert(str(path)).text_content)


# Word


def _mammoth(path: Path) -> Found:
    with path.open("rb") as file:
        return _of_html(iter([import_module("mammoth").convert_to_html(file).value]))


def _python_docx(path: Path) -> Found:
    document = import_module("docx").Document(str(path))
    texts: list[str] = []
    headings: list[str] = []
    for block in document.iter_inner_content():
        if hasattr(block, "rows"):
            texts += [" | ".join(cell.text for cell in row.cells) for row in block.rows]
            continue
        texts.append(block.text)
        if block.style is not None and (block.style.name or "").startswith("Heading"):
            headings.append(block.text)
    return "\n".join(texts), headings


def _docx2python(path: Path) -> Found:
    with import_module("docx2python").docx2python(str(path)) as read:
        every = list(_flat(read.body_pars))
        headings = ["".join(one.run_strings) for one in every if one.style.lower().startswith("heading")]
        notes = "\n".join("".join(one.run_strings) for one in _flat([read.footnotes_pars, read.endnotes_pars]))
        return "\n".join("".join(one.run_strings) for one in every) + "\n" + notes, headings


def _flat(nested: Any) -> Iterator[Any]:
    for one in nested:
        if isinstance(one, list):
            yield from _flat(one)
        else:
            yield one


# OpenDocument and rich text


def _odfdo(path: Path) -> Found:
    return _of_markdown(import_module("odfdo").Document(str(path)).to_markdown())


def _odfpy(path: Path) -> Found:
    text_of = import_module("odf.teletype").extractText
    texts: list[str] = []
    headings: list[str] = []
    pending = list(reversed(import_module("odf.opendocument").load(str(path)).body.childNodes))
    while pending:
        node = pending.pop()
        name = getattr(node, "qname", ("", ""))[1]
        if name in ("p", "h"):
            texts.append(text_of(node))
            headings += texts[-1:] if name == "h" else []
        else:
            pending += reversed(node.childNodes)
    return "\n".join(texts), headings


def _striprtf(path: Path) -> Found:
    rtf = path.read_bytes().decode("latin-1")
    return import_module("striprtf.striprtf").rtf_to_text(rtf, errors="ignore"), []


def _pyth(path: Path) -> Found:
    with path.open("rb") as file:
        document = import_module("pyth.plugins.rtf15.reader").Rtf15Reader.read(file)
        return import_module("pyth.plugins.plaintext.writer").PlaintextWriter.write(document).getvalue(), []


# Books, slides, tables, PDF and e-mail


def _ebooklib(path: Path) -> Found:
    warnings.simplefilter("ignore")
    book = import_module("ebooklib.epub").read_epub(str(path))
    pages = (book.get_item_with_id(key) for key, *_ in book.spine)
    return _of_html(page.get_content() for page in pages if page is not None)


def _calamine(path: Path) -> Found:
    book = import_module("python_calamine").CalamineWorkbook.from_path(str(path))
    texts: list[str] = []
    for name in book.sheet_names:
        rows = book.get_sheet_by_name(name).to_python()
        texts += [name, *(" | ".join(str(cell) for cell in row) for row in rows)]
    return "\n".join(texts), list(book.sheet_names)


def _pypdf(path: Path) -> Found:
    return "\n".join(page.extract_text() for page in import_module("pypdf").PdfReader(path).pages), []


def _pdfminer(path: Path) -> Found:
    return import_module("pdfminer.high_level").extract_text(str(path)), []


def _pdfium(path: Path) -> Found:
    pdf = import_module("pypdfium2").PdfDocument(path)
    return "\n".join(page.get_textpage().get_text_bounded() for page in pdf), []


def _mail_parser(path: Path) -> Found:
    mail = import_module("mailparser").parse_from_file(str(path))
    return f"{mail.subject}\n{mail.body}", []


_OURS = Library("readagent", "readagent.loaders.loading", ours)
_MARKITDOWN = Library("markitdown", "markitdown", _markitdown)
_ODFDO = Library("odfdo", "odfdo", _odfdo)
LIBRARIES: dict[str, tuple[Library, ...]] = {
    "docx": (
        _OURS,
        Library("mammoth", "mammoth", _mammoth),
        Library("python-docx", "docx", _python_docx),
        Library("docx2python", "docx2python", _docx2python),
        _MARKITDOWN,
    ),
    "odt": (_OURS, _ODFDO, Library("odfpy", "odf.opendocument", _odfpy)),
    "rtf": (_OURS, Library("striprtf", "striprtf.striprtf", _striprtf), Library("pyth3", "pyth", _pyth)),
    "epub": (_OURS, Library("EbookLib", "ebooklib.epub", _ebooklib), _MARKITDOWN),
    "pptx": (_OURS, _MARKITDOWN),
    "xlsx": (_OURS, Library("python-calamine", "python_calamine", _calamine), _MARKITDOWN),
    "ods": (_OURS, Library("python-calamine", "python_calamine", _calamine)),
    "odp": (_OURS, _ODFDO),
    "email": (_OURS, Library("mail-parser", "mailparser", _mail_parser)),
    "notebook": (_OURS, _MARKITDOWN),
    "pdf": (
        _OURS,
        Library("pypdfium2", "pypdfium2", _pdfium),
        Library("pypdf", "pypdf", _pypdf),
        Library("pdfminer.six", "pdfminer.high_level", _pdfminer),
        _MARKITDOWN,
    ),
}
