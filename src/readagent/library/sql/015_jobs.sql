-- The work that `readagent serve` was asked for: it survives a restart of the server. A job is about a document or a shelf,
-- and goes with it. ``request`` is what was asked for, ``report`` how far it is and what it took, ``result`` what it made.

CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    document TEXT REFERENCES documents (id) ON DELETE CASCADE,
    shelf INTEGER REFERENCES shelves (id) ON DELETE CASCADE,
    state TEXT NOT NULL,
    created TEXT NOT NULL,
    changed TEXT NOT NULL,
    request BLOB NOT NULL,
    report BLOB NOT NULL,
    result BLOB
);

CREATE INDEX jobs_of_document ON jobs (document);
CREATE INDEX jobs_of_shelf ON jobs (shelf);
