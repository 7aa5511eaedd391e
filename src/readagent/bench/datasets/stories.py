"""The stories of NarrativeQA: a book from Project Gutenberg, or a film script from a page on the web."""

from __future__ import annotations

import re
from pathlib import Path

from readagent.bench.datasets.records import Record
from readagent.bench.datasets.stripped import is_page, strip
from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.text.decode import decode
from readagent.loaders.text.gutenberg import book_of

_FOLDERS = ("stories", "tmp", "")  # the authors' script downloads into tmp
_SUFFIXES = (".content", ".txt", ".html")
_SCENE = re.compile(r"^[ \t]*(?:\d+[A-Z]?\.?[ \t]+)?(?:INT|EXT)\b[.: /]", re.MULTILINE)
_FEW_SCENES = 5
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_LEAST_KEPT = 0.3  # of a page; where less lies between its first and its last words, those were found by mistake


def has_stories(base: Path) -> bool:
    """Whether there is a folder for stories."""
    return any((base / folder).is_dir() for folder in _FOLDERS if folder)


def story_file(base: Path, name: str) -> Path | None:
    """Where the story of this id lies."""
    candidates = (base / folder / f"{name}{suffix}" for folder in _FOLDERS for suffix in _SUFFIXES)
    return next((path for path in candidates if path.is_file()), None)


def story(path: Path, row: Record, *, film: bool) -> Document:
    """A story without what stands around it: the licence of a book, or the page that a script stood on."""
    try:
        text, _ = decode(path.read_bytes(), str(path))
    except (OSError, LoadError) as error:
        raise row.wrong(f"its story cannot be read: {error}") from error
    text = _script(text, row) if film else book_of(strip(text) if is_page(text) else text).text
    if not text.strip():
        raise row.wrong(f"its story is empty: {path}")
    return Document.from_text(text, title=row.text("wiki_title", "").strip())


def written(record: Record) -> Document:
    """A story that comes as a list of paragraphs; those that are headings begin with ``#``."""
    blocks = []
    for paragraph in record.texts("paragraphs"):
        heading = _HEADING.fullmatch(paragraph.strip())
        blocks.append(Block(heading[2], heading=len(heading[1])) if heading else Block(paragraph))
    document = compose(blocks, title=record.text("title", ""))
    if not document.text:
        raise record.wrong('"paragraphs" hold no words')
    return document


def looks_like_film(text: str) -> bool:
    """Whether a text has headings of scenes, as film scripts have."""
    return len(_SCENE.findall(text)) >= _FEW_SCENES


def _script(text: str, row: Record) -> str:
    """A script from its first to its last words, as far as the table's ``story_start`` and ``story_end`` are found."""
    seen = strip(text) if is_page(text) else text
    start = _words(row.text("story_start", "")).search(seen)
    ends = list(_words(row.text("story_end", "")).finditer(seen, start.end() if start else 0))
    kept = seen[start.start() if start else 0 : ends[-1].end() if ends else len(seen)]
    return kept if len(kept) >= _LEAST_KEPT * len(seen) else seen


def _words(tokens: str) -> re.Pattern[str]:
    """What finds words that the table gives with white space around every mark."""
    parts = [re.escape(token) for token in tokens.split()]
    return re.compile(r"\s*".join(parts)) if parts else re.compile(r"(?!)")
