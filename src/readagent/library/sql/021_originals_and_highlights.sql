-- The file that a document was made from, where it was uploaded and can be shown page by page; and the passages that a
-- person has highlighted in a text.

CREATE TABLE originals (
    document TEXT PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    file BLOB NOT NULL
);

CREATE TABLE highlights (
    document TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    start_offset INTEGER NOT NULL,
    end_offset INTEGER NOT NULL,
    PRIMARY KEY (document, start_offset, end_offset)
) WITHOUT ROWID;
