"""What the loaders find in a file, compared with what an independent program finds in it.

The other program is pdftotext (poppler) for PDF and pandoc for everything else. *Words* is the share of its words that
the document has too; *order* the share of its pairs of neighbouring words; *foreign* the share of the document's words
that it does not have. Words are compared without case and hyphens, and numbers are not counted. *Headings* is the share
of the titles in the outline of a PDF, or of pandoc's headings, that are headings of the document. *Furniture* is the
share of the lines repeated at the top or bottom of pages that are still in the document. Those lines,
and blocks of lines with dot leaders (tables of contents), do not count as words that should be found.
"""

from __future__ import annotations

import json
import re
import resource
import shutil
import subprocess
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any

import pypdfium2

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import Options, parser_for

FORMATS = {".pdf": "pdf", ".epub": "epub", ".docx": "docx", ".odt": "odt", ".rtf": "rtf", ".md": "markdown"}
_PANDOC = {"markdown": "gfm"}
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐‑\u00ad]\s*(?=[^\W\d_])")
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
_LIGATURES = {0x0B: "ff", 0x0E: "ffi", 0x0F: "ffl", 0x1B: "ff", 0x1C: "fi", 0x1D: "fl", 0x1E: "ffi", 0x1F: "ffl"}
_LEADERS = re.compile(r"(?:[.·…]\s?){5,}")  # in tables of contents, which the loader leaves out
_MIN_WORDS = 100  # a file with less is a drawing
_EDGE = 4  # lines that a page has at least, if some are repeated
_NEAR = 2  # pages from one that has a repeated line to the next
_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Reference:
    """What another program finds: the text, its pages where there are any, and the headings."""

    text: str
    headings: tuple[str, ...] = ()

    @property
    def furniture(self) -> Counter[str]:
        """The lines of two words or more that come first or last on pages near each other, and how often."""
        pages = [[line for line in page.splitlines() if line.strip()] for page in self.text.split("\f")]
        places: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
        for number, page in enumerate(pages):
            for edge in (0, -1) if len(page) > _EDGE else ():
                places[plain(page[edge]), edge].append(number)
        running: Counter[str] = Counter()
        for (line, _), numbers in places.items():
            near = sum(after - before <= _NEAR for before, after in pairwise(numbers))
            if " " in line and len(numbers) > _NEAR and near >= 0.8 * (len(numbers) - 1):
                running[line] += len(numbers)
        return running


@dataclass(frozen=True, slots=True)
class Measured:
    """The measures of one file; ``error`` says why it was not loaded. Shares without anything to find are None."""

    path: str
    format: str
    error: str = ""
    count: int = 0
    words: float = 0.0
    order: float = 0.0
    foreign: float = 0.0
    headings: float | None = None
    furniture: float | None = None
    seconds: float = 0.0
    megabytes: float = 0.0


def missing_programs() -> list[str]:
    """Return the programs that are needed and not installed."""
    return [name for name in ("pdftotext", "pandoc") if shutil.which(name) is None]


def print_measured(path: Path) -> None:
    """Print the measures of a file as JSON."""
    found = measured(path)
    print(json.dumps(asdict(found) if found else None))


def measured(path: Path) -> Measured | None:
    """Return the measures of a file; None where the other program finds no text worth comparing.

    Time and memory are those of this process, so that it should be a new one.
    """
    kind = FORMATS[path.suffix.lower()]
    data = path.read_bytes()
    before = process_time()
    try:
        document = parser_for(kind).parse(data, path.name, Options())
    except LoadError as error:
        document = None
        reason = str(error)
    seconds = process_time() - before
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    reference = _reference(path, kind)
    if reference is None or len(list(words(reference.text))) < _MIN_WORDS:
        return None
    if document is None:
        return Measured(str(path), kind, reason)
    return compared(document, reference, str(path), kind, seconds, megabytes)


def compared(
    document: Document, reference: Reference, path: str = "", kind: str = "", seconds: float = 0, megabytes: float = 0
) -> Measured:
    """Return how far a document agrees with a reference."""
    ours, furniture = list(words(document.text)), reference.furniture
    wanted = list(words(_without(reference, furniture)))
    theirs, mine = Counter(wanted), Counter(ours)
    pairs, own_pairs = Counter(pairwise(wanted)), Counter(pairwise(ours))
    common = (theirs & mine).total()
    extra = (mine - Counter(words(reference.text))).total()
    return Measured(
        path, kind, "", len(wanted), common / max(1, len(wanted)), (pairs & own_pairs).total() / max(1, pairs.total()),
        extra / max(1, len(ours)), _headings(document, reference), _let_in(ours, wanted, furniture), seconds, megabytes,
    )  # fmt: skip


def words(text: str) -> Iterator[str]:
    """Yield the words of a text for comparison."""
    plain = unicodedata.normalize("NFKC", _HYPHEN.sub("", text)).casefold()
    return (word for word in _TOKEN.findall(plain) if not word[0].isdigit())


def _without(reference: Reference, furniture: Counter[str]) -> str:
    blocks = (block.splitlines() for block in re.split(r"\n\s*\n", reference.text.replace("\f", "\n\n")))
    kept = (block for block in blocks if sum(bool(_LEADERS.search(line)) for line in block) < 0.3 * len(block))
    return "\n".join(line for block in kept for line in block if plain(line) not in furniture)


def plain(line: str) -> str:
    """Return the words of a line without numbers, joined by spaces."""
    return " ".join(words(re.sub(r"\d", "", line)))


def _headings(document: Document, reference: Reference) -> float | None:
    """Return the share of the headings of the reference that are headings of the document."""
    wanted = {"".join(words(heading)) for heading in reference.headings} - {""}
    if len(wanted) < 3:
        return None
    texts = (document.text[one.start : one.end] for one in document.paragraphs if one.heading)
    found = {"".join(words(text)) for text in texts}
    return len(wanted & found) / len(wanted)


def _let_in(ours: Sequence[str], wanted: Sequence[str], furniture: Counter[str]) -> float | None:
    """Return the share of repeated lines that are in our text more often than in the rest of the other."""
    if not furniture:
        return None
    text, rest = (f" {' '.join(some)} " for some in (ours, wanted))
    more = {line: text.count(f" {line} ") - rest.count(f" {line} ") - 1 for line in furniture}  # once it may be a title
    return sum(min(count, max(0, more[line])) for line, count in furniture.items()) / furniture.total()


def _reference(path: Path, kind: str) -> Reference | None:
    try:
        return _pdf_reference(path) if kind == "pdf" else _pandoc_reference(path, kind)
    except (OSError, subprocess.SubprocessError, ValueError, RecursionError, pypdfium2.PdfiumError):
        return None


def _output(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, check=True, timeout=_SECONDS)
    return done.stdout.decode("utf-8", "replace")


def _pdf_reference(path: Path) -> Reference:
    text = _output("pdftotext", "-q", "-enc", "UTF-8", str(path), "-").translate(_LIGATURES)
    pdf = pypdfium2.PdfDocument(path)
    titles = {mark.get_title() for mark in pdf.get_toc(max_depth=6)}
    pdf.close()
    lines = {"".join(words(line)) for line in text.splitlines()}
    found = (title for title in titles if "".join(words(title)) in lines)
    return Reference(text, tuple(title for title in found if "contents" not in title.casefold()))


def _pandoc_reference(path: Path, kind: str) -> Reference:
    tree = json.loads(_output("pandoc", "--from", _PANDOC.get(kind, kind), "--to", "json", str(path)))
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
        elif kind in ("Code", "CodeBlock", "Math"):
            yield f"{content[1]} "
        elif kind not in ("RawInline", "RawBlock"):
            inside = "".join(_texts(content, headings))
            if kind == "Header":
                headings.append(inside)
            yield inside if kind in ("Emph", "Strong", "Link", "Quoted", "Span") else f"\n{inside}\n"
