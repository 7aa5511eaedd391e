"""What other programs find in a file: its text, and its headings where the file says what they are.

The other program is pdftotext (poppler) for PDF, openpyxl for Excel, python-pptx for PowerPoint, odfpy for OpenDocument
tables and slides, the newer parser of the standard library for e-mail, its reader for CSV, pysubs2 for subtitles, and
pandoc for the rest.
"""

from __future__ import annotations

import csv
import email
import email.policy
import html
import json
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pypdfium2

_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐‑\u00ad]\s*(?=[^\W\d_])")
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")


def words(text: str) -> Iterator[str]:
    """Yield the words of a text for comparison."""
    found = unicodedata.normalize("NFKC", _HYPHEN.sub("", text)).casefold()
    return (word for word in _TOKEN.findall(found) if not word[0].isdigit())


def plain(line: str) -> str:
    """Return the words of a line without numbers, joined by spaces."""
    return " ".join(words(re.sub(r"\d", "", line)))


FORMATS = {
    ".pdf": "pdf", ".epub": "epub", ".docx": "docx", ".odt": "odt", ".rtf": "rtf", ".md": "markdown", ".pptx": "pptx",
    ".xlsx": "xlsx", ".ods": "ods", ".odp": "odp", ".csv": "csv", ".eml": "email", ".mbox": "email",
    ".ipynb": "notebook", **dict.fromkeys((".srt", ".vtt", ".ass", ".ssa", ".sbv", ".ttml", ".dfxp"), "subtitles"),
}  # fmt: skip
_PANDOC = {
    "epub": "epub", "docx": "docx", "odt": "odt", "rtf": "rtf", "markdown": "gfm", "notebook": "ipynb",
}  # fmt: skip
_PYTHON = {"xlsx": "openpyxl", "pptx": "pptx", "ods": "odf", "odp": "odf", "subtitles": "pysubs2"}  # modules
_LIGATURES = {0x0B: "ff", 0x0E: "ffi", 0x0F: "ffl", 0x1B: "ff", 0x1C: "fi", 0x1D: "fl", 0x1E: "ffi", 0x1F: "ffl"}
_INLINE = "Emph Strong Link Quoted Span Superscript Subscript Strikeout SmallCaps Underline".split()
_GROUP = 6  # of shapes
_FURNITURE = (13, 15, 16)  # placeholders of slides: number, footer, date
_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Reference:
    """What another program finds: the text, in which form feeds separate pages, and the headings."""

    text: str
    headings: tuple[str, ...] = ()


def missing_programs() -> list[str]:
    """Return the programs that are not installed; formats for which they are needed are loaded, but not compared."""
    programs = [name for name in ("pdftotext", "pandoc") if shutil.which(name) is None]
    return programs + sorted({name for name in _PYTHON.values() if find_spec(name) is None})


def program_versions() -> str:
    """Return the names and versions of the programs that are installed."""
    found = []
    for command in (["pdftotext", "-v"], ["pandoc", "--version"]):
        if shutil.which(command[0]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            found.append((done.stdout + done.stderr).splitlines()[0])
    packages = {"openpyxl": "openpyxl", "pptx": "python-pptx", "odf": "odfpy", "pysubs2": "pysubs2"}
    return ", ".join(found + [f"{name} {version(name)}" for module, name in packages.items() if find_spec(module)])


def reference(path: Path, kind: str) -> Reference | None:
    """Return what the other program finds in a file, None where it is not installed or fails."""
    try:
        return _with_pandoc(path, _PANDOC[kind]) if kind in _PANDOC else _READERS[kind](path)
    except Exception:  # noqa: BLE001 - the other programs fail in many ways
        return None


def _output(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, check=True, timeout=_SECONDS)
    return done.stdout.decode("utf-8", "replace")


def _pdf(path: Path) -> Reference:
    text = _output("pdftotext", "-q", "-enc", "UTF-8", str(path), "-").translate(_LIGATURES)
    pdf = pypdfium2.PdfDocument(path)
    titles = {mark.get_title() for mark in pdf.get_toc(max_depth=6)}
    pdf.close()
    lines = {"".join(words(line)) for line in text.splitlines()}
    found = (title for title in titles if "".join(words(title)) in lines)
    return Reference(text, tuple(title for title in found if "contents" not in title.casefold()))


def _with_pandoc(path: Path, kind: str) -> Reference:
    tree = json.loads(_output("pandoc", "--from", kind, "--to", "json", str(path)))
    headings: list[str] = []
    text = "".join(_texts(tree["blocks"], headings))
    return Reference(text, tuple(headings))


def _texts(node: Any, headings: list[str]) -> Iterator[str]:
    """Yield the text of pandoc's tree, and collect its headings."""
    if isinstance(node, list):
        for one in node:
            yield from _texts(one, headings)
    elif isinstance(node, dict):
        kind, content = node.get("t"), node.get("c", [])
        if kind in ("Space", "SoftBreak", "LineBreak"):
            yield " "
        elif kind == "Str":
            yield str(content)
        elif kind == "Math":
            yield re.sub(r"\\[a-zA-Z]+", " ", f"{content[1]} ")  # TeX commands are not in the file
        elif kind in ("Code", "CodeBlock"):
            yield f"{content[1]} "
        elif kind not in ("RawInline", "RawBlock", "Image"):
            inside = "".join(_texts(content, headings))
            if kind == "Header":
                headings.append(inside)
            yield inside if kind in _INLINE else f"\n{inside}\n"


def _excel(path: Path) -> Reference:
    book = import_module("openpyxl").load_workbook(path, data_only=True)
    shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible" and sheet._cells]
    pieces: list[str] = []
    for sheet in shown:
        cells = (cell.value for cell in sheet._cells.values())  # rows of all columns take forever
        pieces += [sheet.title, *(value for value in cells if isinstance(value, str))]
    return Reference("\n".join(pieces), tuple(sheet.title for sheet in shown))


def _powerpoint(path: Path) -> Reference:
    pieces: list[str] = []
    titles: list[str] = []
    for slide in import_module("pptx").Presentation(str(path)).slides:
        pieces += _shape_texts(slide.shapes)
        pieces.append(slide.notes_slide.notes_text_frame.text if slide.has_notes_slide else "")
        titles.append(slide.shapes.title.text if slide.shapes.title is not None else "")
    return Reference("\n".join(pieces), tuple(titles))


def _shape_texts(shapes: Any) -> Iterator[str]:
    for shape in shapes:
        if shape.is_placeholder and shape.placeholder_format.type in _FURNITURE:
            continue
        if shape.shape_type == _GROUP:
            yield from _shape_texts(shape.shapes)
        elif shape.has_text_frame:
            yield shape.text_frame.text
        elif shape.has_table:
            yield from (cell.text for row in shape.table.rows for cell in row.cells)


def _open_document(path: Path) -> Reference:
    body = import_module("odf.opendocument").load(str(path)).body
    return Reference("\n".join(_paragraphs(body, import_module("odf.teletype").extractText)))


def _paragraphs(node: Any, text_of: Callable[[Any], str]) -> Iterator[str]:
    for child in node.childNodes:
        name = getattr(child, "qname", ("", ""))[1]
        if name in ("p", "h"):
            yield text_of(child)
        elif name == "table":
            yield child.getAttribute("name") or ""
            yield from _paragraphs(child, text_of)
        elif name not in ("annotation", "tracked-changes"):
            yield from _paragraphs(child, text_of)


def _mail(path: Path) -> Reference:
    data = path.read_bytes()
    each = re.split(rb"(?m)^From .*\n", data)[1:] if data.startswith(b"From ") else [data]
    return Reference("\n".join(_message(email.message_from_bytes(one, policy=email.policy.default)) for one in each))


def _message(message: email.message.EmailMessage) -> str:
    body = message.get_body(("plain", "html"))
    text = str(body.get_content()) if body else ""
    if body and body.get_content_type() == "text/html":
        text = html.unescape(re.sub(r"(?is)<(script|style|title).*?</\1>|<!--.*?-->|<[^>]*>", " ", text))
    told = (str(message[name] or "") for name in ("subject", "from", "to"))
    return "\n".join([*told, text])


def _csv(path: Path) -> Reference:
    text = path.read_text("utf-8")
    rows = csv.reader(text.splitlines(), csv.Sniffer().sniff(text[:20_000]))
    return Reference("\n".join(" ".join(row) for row in rows))


def _subtitles(path: Path) -> Reference:
    return Reference("\n".join(event.plaintext for event in import_module("pysubs2").load(str(path))))


_READERS: dict[str, Callable[[Path], Reference]] = {
    "pdf": _pdf, "xlsx": _excel, "pptx": _powerpoint, "ods": _open_document, "odp": _open_document, "email": _mail,
    "csv": _csv, "subtitles": _subtitles,
}  # fmt: skip
