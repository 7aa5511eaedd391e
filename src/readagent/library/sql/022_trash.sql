-- What was removed and can be restored: a document, or an answer, with all rows that belong to it packed into one value.

CREATE TABLE trash (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('document', 'answer')),
    document TEXT NOT NULL,
    removed TEXT NOT NULL,
    name BLOB NOT NULL,
    content BLOB NOT NULL
);
