"""Full-text search over pages and gists. What a person types is words and quoted phrases, never query syntax.

Scripts without spaces are indexed character by character: an invisible space is put between the characters, in the
index and in the query alike, and taken out of what is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from readagent.core.memory import GistMemory
from readagent.errors import UsageError
from readagent.library.pack import to_text
from readagent.library.rows import Hit
from readagent.library.sqlite import Database

_INVISIBLE = "\u200b"
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
)
_SEAM = re.compile(f"(?<=[{_UNSPACED}])(?=\\w)|(?<=\\w)(?=[{_UNSPACED}])")
_TERM = re.compile(r'"([^"]*)"?|([^\s"]+)')
_SNIPPET_TOKENS = 24

_SEARCH = f"""
SELECT documents.id, documents.title, pages.number, snippet(page_words, -1, ?, ?, '…', {_SNIPPET_TOKENS})
FROM page_words
JOIN pages ON pages.id = page_words.rowid
JOIN readings ON readings.id = pages.reading
JOIN documents ON documents.id = readings.document
WHERE page_words MATCH ? AND (? IS NULL OR documents.id = ?)
ORDER BY page_words.rank, documents.id, pages.number LIMIT ?
"""


def search(db: Database, words: str, document_id: str | None, limit: int, marks: tuple[str, str]) -> list[Hit]:
    """The pages that hold all the words and phrases, the best first."""
    rows = db.rows(_SEARCH, *marks, query(words), document_id, document_id, limit)
    return [Hit(document, to_text(title), page, _shown(snippet)) for document, title, page, snippet in rows]


def query(words: str) -> str:
    """What a person typed as a full-text expression in which every term is quoted."""
    terms = (phrase or word for phrase, word in _TERM.findall(_indexed(words.replace("\0", " "))))
    quoted = [f'"{term}"' for term in terms if any(character.isalnum() for character in term)]
    if not quoted:
        raise UsageError("there is nothing to search for", hint='give words, or "a phrase" in double quotes')
    return " ".join(quoted)


def index(db: Database, reading: int, memory: GistMemory) -> None:
    """Make the pages of a reading findable."""
    ids: dict[int, int] = dict(db.rows("SELECT number, id FROM pages WHERE reading = ?", reading))
    db.many("INSERT INTO page_words (rowid, text, gist) VALUES (?, ?, ?)", _entries(memory, ids))


def _entries(memory: GistMemory, ids: dict[int, int]) -> Iterable[tuple[int, str, str]]:
    for page, gist in zip(memory.pages, memory.gists, strict=True):
        text = memory.document.text[page.start : page.end]
        yield ids[page.number], _indexed(text), "" if gist.source == "verbatim" else _indexed(gist.text)


def forget(db: Database, document_id: str) -> None:
    """Take the pages of all readings of a document out of the index."""
    db.rows(
        "DELETE FROM page_words WHERE rowid IN (SELECT pages.id FROM pages"
        " JOIN readings ON readings.id = pages.reading WHERE readings.document = ?)",
        document_id,
    )


def _indexed(text: str) -> str:
    if text.isascii():
        return text
    return _SEAM.sub(_INVISIBLE, text.encode("utf-8", "replace").decode())


def _shown(snippet: str) -> str:
    return " ".join(snippet.replace(_INVISIBLE, "").split())
