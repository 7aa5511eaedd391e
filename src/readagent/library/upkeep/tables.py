"""The tables of a library, on SQLite and PostgreSQL, what refers to what, and rows in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readagent.library.database import Database, Row


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the columns that identify a row, the others, and how many rows are moved at once."""

    name: str
    key: str
    others: str
    batch: int = 1000

    @property
    def shown(self) -> str:
        """The name as a person reads it."""
        return self.name.replace("_", " ")

    @property
    def columns(self) -> str:
        """All columns, those of the key first."""
        return ", ".join(filter(None, (self.key, self.others)))

    @property
    def width(self) -> int:
        """How many columns the key has."""
        return len(self.key.split(", "))

    @property
    def numbered(self) -> bool:
        """Whether the database numbers its rows."""
        return self.key == "id" and self.name != "documents"


TABLES = (
    Table("documents", "id", "title, source, words, added, metadata, paragraphs, text", 10),
    Table("sources", "source, version", "document, seen"),
    Table("readings", "id", "document, key, model, prompts, plan, window_tokens, state, words_read, calls,"
           " prompt_tokens, reply_tokens, cached_tokens, cost, started, finished, fallbacks, task, page_count,"
           " gist_words, lead_gists"),
    Table("pages", "id", "reading, number, start_offset, end_offset, words, gist_words, gist_origin, gist"),
    Table("levels", "reading, number, words", "gist_words, gist_origin, gist"),
    Table("pinned", "document, task, start_offset, end_offset", "gist_words, gist_origin, pinned, gist, made"),
    Table("calls", "key", "step, model, finish, prompt_tokens, reply_tokens, cached_tokens, cost, made, reply,"
           " prompt", 200),
    Table("shelves", "id", "name, made"),
    Table("questions", "id", "document, reading, shelf, thread, kind, asked, text, options"),
    Table("answers", "id", "question, choice, pages, did_not_fit, compression, model, made, text, trace, quotes,"
           " false_quotes, found_in_text, up_to, support", 200),
    Table("answer_notes", "answer", "starred, note"),
    Table("originals", "document", "file", 1),
    Table("highlights", "document, start_offset, end_offset", ""),
    Table("servers", "name", "found, facts"),
    Table("vectors", "key", "vector"),
    Table("shelf_documents", "shelf, document", "added"),
    Table("cards", "reading", "document, title, kind, words, origin, gists, text"),
    Table("card_vectors", "reading", "embedder, vector"),
    Table("successors", "document", "successor"),
    Table("files", "path", "digest, document"),
    Table("forgotten", "document", ""),
    Table("jobs", "id", "kind, document, shelf, state, created, changed, request, report, result", 200),
    Table("corpora", "id", "name, shelf, made"),
    Table("corpus_sources", "id", "corpus, key, state, tries, owner, document, stamp, changed, pages, calls, tokens,"
           " cost, kind, reason, source, metadata, unpriced"),
    Table("corpus_spending", "corpus, worker", "calls, tokens, cost, unpriced"),
    Table("corpus_manifests", "corpus, path", ""),
    Table("trash", "id", "kind, document, removed, name, content", 10),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reference:
    """A column that names a row of another table; with the rule ``clear`` the row stays when that is removed."""

    table: str
    column: str
    parent: str
    to: str
    rule: str = ""

    @property
    def owns(self) -> bool:
        """Whether rows of the table are removed with the one that they name."""
        return not self.rule


_REFERENCES = """
readings document documents id
pages reading readings id
levels reading readings id
pinned document documents id
questions document documents id
questions reading readings id clear
questions shelf shelves id
answers question questions id
answer_notes answer answers id
originals document documents id
highlights document documents id
sources document documents id
shelf_documents shelf shelves id
shelf_documents document documents id
cards reading readings id
cards document documents id
card_vectors reading cards reading
successors successor documents id
files document documents id
jobs document documents id
jobs shelf shelves id
corpora shelf shelves id
corpus_sources corpus corpora id
corpus_sources document documents id clear
corpus_spending corpus corpora id
corpus_manifests corpus corpora id
"""
REFERENCES = tuple(Reference(*line.split()) for line in _REFERENCES.strip().splitlines())


def batches(db: Database, table: Table) -> Iterator[list[Row]]:
    """Yield the rows of a table in the order of their keys, some at a time."""
    every = f"SELECT {table.columns} FROM {table.name}"
    order = f"ORDER BY {table.key} LIMIT {table.batch}"
    marks = ", ".join("?" * table.width)
    batch = _rows(db, f"{every} {order}")
    while batch:
        yield batch
        if len(batch) < table.batch:
            return
        batch = _rows(db, f"{every} WHERE ({table.key}) > ({marks}) {order}", *batch[-1][: table.width])


def with_keys(db: Database, table: Table, columns: str, batch: Sequence[Row]) -> list[Row]:
    """Return these columns of the rows that have the keys of a batch."""
    one = ", ".join("?" * table.width)
    marks = ", ".join(["?"] * len(batch)) if table.width == 1 else f"VALUES {', '.join([f'({one})'] * len(batch))}"
    values = [value for row in batch for value in row[: table.width]]
    return _rows(db, f"SELECT {columns} FROM {table.name} WHERE ({table.key}) IN ({marks})", *values)


def count(db: Database, table: Table) -> int:
    """Return how many rows a table has."""
    return int(_rows(db, f"SELECT count(*) FROM {table.name}")[0][0])


def _rows(db: Database, sql: str, *values: object) -> list[Row]:
    return db.insist(lambda: db.rows(sql, *values))
