-- From this version on a closed library has no write-ahead log. ``state`` says whether changes may be in a log that is not
-- merged: if that log is missing, they are lost. ``leases`` are calls that some process is making now; others wait for
-- the reply. ``successors`` say into which document a shorter one has grown. ``files`` remember which document a file was
-- parsed into, so that an unchanged file is not parsed again.

CREATE TABLE state (open INTEGER NOT NULL);

INSERT INTO state (open) VALUES (0);

CREATE TABLE leases (
    key TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    process INTEGER NOT NULL,
    machine TEXT NOT NULL,
    expires REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE successors (
    document TEXT PRIMARY KEY,
    successor TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE INDEX successors_by_document ON successors (successor);

CREATE TABLE files (
    path BLOB PRIMARY KEY,
    digest BLOB NOT NULL,
    document TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE INDEX files_of_document ON files (document);

-- For lists: which documents have which readings, pages and questions.
CREATE INDEX readings_of_document ON readings (document, state, task);
