-- What a person noted about an answer: a star, and words of their own. No row: neither.

CREATE TABLE answer_notes (
    answer INTEGER PRIMARY KEY REFERENCES answers (id) ON DELETE CASCADE,
    starred INTEGER NOT NULL,
    note BLOB NOT NULL
);
