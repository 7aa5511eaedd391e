-- Shelves of documents, the card of each reading, and what was asked of a shelf. A card belongs to the reading it was
-- made from, and says of which gists; it is looked for by its words, and a rowid there is that of the reading.

CREATE TABLE shelves (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name BLOB NOT NULL UNIQUE,
    made TEXT NOT NULL
);

CREATE TABLE shelf_documents (
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    document TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    added TEXT NOT NULL,
    PRIMARY KEY (shelf, document)
) WITHOUT ROWID;

CREATE INDEX shelves_of_document ON shelf_documents (document);

CREATE TABLE cards (
    reading INTEGER PRIMARY KEY REFERENCES readings (id) ON DELETE CASCADE,
    document TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    title BLOB NOT NULL,
    kind BLOB NOT NULL,
    words INTEGER NOT NULL,
    source TEXT NOT NULL,
    gists TEXT NOT NULL,
    text BLOB NOT NULL
);

CREATE INDEX cards_of_document ON cards (document);

CREATE VIRTUAL TABLE card_words USING fts5 (card, tokenize = 'porter unicode61 remove_diacritics 2');

CREATE TRIGGER cards_forgotten AFTER DELETE ON cards
BEGIN
    DELETE FROM card_words WHERE rowid = old.reading;
END;

CREATE TABLE shelf_answers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    model BLOB NOT NULL,
    made TEXT NOT NULL,
    answer BLOB NOT NULL,
    trace BLOB NOT NULL
);

CREATE INDEX answers_of_shelf ON shelf_answers (shelf);
