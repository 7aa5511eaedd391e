"""The stories of NarrativeQA: books from Project Gutenberg, and film scripts from web pages."""

from __future__ import annotations

import re
from pathlib import Path

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.text.decode import decode
from readagent.loaders.text.gutenberg import book_of
from readagent_bench.datasets.records import Record
from readagent_bench.datasets.stripped import is_page, strip

_FOLDERS = ("stories", "tmp", "")  # the authors' script downloads into tmp
_SUFFIXES = (".content", ".txt", ".html")
_SCENE = re.compile(r"^[ \t]*(?:\d+[A-Z]?\.?[ \t]+)?(?:INT|EXT)\b[.: /]", re.MULTILINE)
_FEW_SCENES = 5
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_LEAST_KEPT = 0.3  # of a page; if less is between its first and last words, those were matched by mistake


def has_stories(base: Path) -> bool:
    """Return whether there is a folder with stories."""
    return any((base / folder).is_dir() for folder in _FOLDERS if folder)


def story_file(base: Path, name: str) -> Path | None:
    """Return the file with the story of this id; None if there is none."""
    candidates = (base / folder / f"{name}{suffix}" for folder in _FOLDERS for suffix in _SUFFIXES)
    return next((path for path in candidates if path.is_file()), None)


def story(path: Path, row: Record, *, film: bool) -> Document:
    """Load a story without the licence of the book or the web page around the script."""
    try:
        text, _ = decode(path.read_bytes(), str(path))
    except (OSError, LoadError) as error:
        raise row.wrong(f"cannot read its story: {error}") from error
    return _cleaned(text, row, row.text("wiki_title", ""), film=film, place=f": {path}")


def hub_story(about: Record, *, film: bool) -> Document:
    """Return a story that is in the record of a hub, without the licence of the book or the page around the script."""
    marks = {"story_start": about.text("start", ""), "story_end": about.text("end", "")}
    title = about.record("summary").text("title", "") if "summary" in about else ""
    return _cleaned(about.text("text"), Record(marks, about.place), title, film=film)


def _cleaned(text: str, row: Record, title: str, *, film: bool, place: str = "") -> Document:
    text = _script(text, row) if film else book_of(strip(text) if is_page(text) else text).text
    if not text.strip():
        raise row.wrong(f"its story is empty{place}")
    return Document.from_text(text, title=title.strip())


def written(record: Record) -> Document:
    """Return a story that is a list of paragraphs; headings start with ``#``."""
    blocks = []
    for paragraph in record.texts("paragraphs"):
        heading = _HEADING.fullmatch(paragraph.strip())
        blocks.append(Block(heading[2], heading=len(heading[1])) if heading else Block(paragraph))
    document = compose(blocks, title=record.text("title", ""))
    if not document.text:
        raise record.wrong('"paragraphs" has no words')
    return document


def looks_like_film(text: str) -> bool:
    """Return whether a text has scene headings, as film scripts do."""
    return len(_SCENE.findall(text)) >= _FEW_SCENES


def _script(text: str, row: Record) -> str:
    """Return a script from ``story_start`` to ``story_end`` of the table, if they are found."""
    seen = strip(text) if is_page(text) else text
    start = _words(row.text("story_start", "")).search(seen)
    ends = list(_words(row.text("story_end", "")).finditer(seen, start.end() if start else 0))
    kept = seen[start.start() if start else 0 : ends[-1].end() if ends else len(seen)]
    return kept if len(kept) >= _LEAST_KEPT * len(seen) else seen


def _words(tokens: str) -> re.Pattern[str]:
    """Return a pattern for words that the table has with white space around punctuation."""
    parts = [re.escape(token) for token in tokens.split()]
    return re.compile(r"\s*".join(parts)) if parts else re.compile(r"(?!)")
