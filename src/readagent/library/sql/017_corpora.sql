-- Corpora: sets of sources that are read by many workers, and the state of each source. A source is known by the hash of
-- its name, since names may be long. ``owner`` is the lease of the worker that reads it. A corpus has a shelf, on which
-- the documents that were read are asked.

CREATE TABLE corpora (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name BLOB NOT NULL UNIQUE,
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    made TEXT NOT NULL
);

CREATE INDEX corpora_of_shelf ON corpora (shelf);

CREATE TABLE corpus_sources (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    corpus INTEGER NOT NULL REFERENCES corpora (id) ON DELETE CASCADE,
    key BLOB NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'reading', 'done', 'failed', 'set aside')),
    tries INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    document TEXT REFERENCES documents (id) ON DELETE SET NULL,
    stamp TEXT NOT NULL,
    changed TEXT NOT NULL,
    pages INTEGER NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0,
    tokens INTEGER NOT NULL DEFAULT 0,
    cost REAL NOT NULL DEFAULT 0,
    kind TEXT NOT NULL DEFAULT '',
    reason BLOB NOT NULL DEFAULT x'',
    source BLOB NOT NULL,
    metadata BLOB NOT NULL,
    UNIQUE (corpus, key)
);

CREATE INDEX corpus_sources_by_state ON corpus_sources (corpus, state, id);
CREATE INDEX corpus_sources_of_document ON corpus_sources (document);

-- What each worker has spent, also on sources that it has not finished.
CREATE TABLE corpus_spending (
    corpus INTEGER NOT NULL REFERENCES corpora (id) ON DELETE CASCADE,
    worker TEXT NOT NULL,
    calls INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost REAL NOT NULL,
    PRIMARY KEY (corpus, worker)
);
