-- Everything but the full-text index. Text that comes from outside is kept as UTF-8 bytes, since it may hold what a
-- text column refuses (halves of surrogate pairs, NUL). Large columns come last: a row is read up to the one wanted.

CREATE TABLE documents (
    id TEXT PRIMARY KEY,
    title BLOB NOT NULL,
    source BLOB NOT NULL,
    words INTEGER NOT NULL,
    added TEXT NOT NULL,
    metadata BLOB NOT NULL,
    paragraphs BLOB NOT NULL,
    text BLOB NOT NULL
);

-- One reading for each document and key; the key stands for model, prompts, plan and whatever else determines it.
CREATE TABLE readings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    model BLOB NOT NULL,
    prompts TEXT NOT NULL,
    plan BLOB NOT NULL,
    window_tokens INTEGER,
    state TEXT NOT NULL CHECK (state IN ('reading', 'done')),
    words_read INTEGER NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0,
    prompt_tokens INTEGER NOT NULL DEFAULT 0,
    reply_tokens INTEGER NOT NULL DEFAULT 0,
    cached_tokens INTEGER NOT NULL DEFAULT 0,
    cost REAL,
    started TEXT NOT NULL,
    finished TEXT,
    fallbacks BLOB NOT NULL,
    UNIQUE (document, key)
);

CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    reading INTEGER NOT NULL REFERENCES readings (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    start_offset INTEGER NOT NULL,
    end_offset INTEGER NOT NULL,
    words INTEGER NOT NULL,
    gist_words INTEGER NOT NULL,
    gist_source TEXT NOT NULL,
    gist BLOB NOT NULL,
    UNIQUE (reading, number)
);

CREATE TABLE calls (
    key TEXT PRIMARY KEY,
    step TEXT NOT NULL,
    model BLOB NOT NULL,
    finish TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    reply_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    cost REAL,
    made TEXT NOT NULL,
    reply BLOB NOT NULL,
    prompt BLOB NOT NULL
);

CREATE TABLE questions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    reading INTEGER REFERENCES readings (id) ON DELETE SET NULL,
    thread BLOB NOT NULL,
    kind TEXT NOT NULL,
    asked TEXT NOT NULL,
    text BLOB NOT NULL,
    options BLOB NOT NULL
);

CREATE INDEX questions_of_document ON questions (document);
CREATE INDEX questions_of_reading ON questions (reading);
CREATE INDEX questions_of_thread ON questions (thread);

CREATE TABLE answers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    question INTEGER NOT NULL REFERENCES questions (id) ON DELETE CASCADE,
    choice TEXT,
    pages BLOB NOT NULL,
    no_room BLOB NOT NULL,
    compression REAL NOT NULL,
    model BLOB NOT NULL,
    made TEXT NOT NULL,
    text BLOB NOT NULL,
    trace BLOB NOT NULL
);

CREATE INDEX answers_to_question ON answers (question);

CREATE TABLE servers (
    name BLOB PRIMARY KEY,
    found TEXT NOT NULL,
    facts BLOB NOT NULL
);
