-- Shorter gists of older pages, made from the raw page as it ages: one for each page and number of words it may have.

CREATE TABLE levels (
    reading INTEGER NOT NULL REFERENCES readings (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    words INTEGER NOT NULL,
    gist_words INTEGER NOT NULL,
    gist_source TEXT NOT NULL,
    gist BLOB NOT NULL,
    PRIMARY KEY (reading, number, words)
);
