-- Answers from shelves are answers: a question is about a document or asked of a shelf. All of an answer from a shelf is
-- in its ``text``, as JSON. Their ids are new, so jobs that name them go; so do jobs that read to put on a shelf.

CREATE TABLE questions_now (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document TEXT REFERENCES documents (id) ON DELETE CASCADE,
    reading INTEGER REFERENCES readings (id) ON DELETE SET NULL,
    shelf INTEGER REFERENCES shelves (id) ON DELETE CASCADE,
    thread BLOB NOT NULL,
    kind TEXT NOT NULL,
    asked TEXT NOT NULL,
    text BLOB NOT NULL,
    options BLOB NOT NULL
);

CREATE TABLE answers_now (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    question INTEGER NOT NULL REFERENCES questions_now (id) ON DELETE CASCADE,
    choice TEXT,
    pages BLOB NOT NULL,
    did_not_fit BLOB NOT NULL,
    compression REAL NOT NULL,
    model BLOB NOT NULL,
    made TEXT NOT NULL,
    quotes BLOB NOT NULL,
    false_quotes INTEGER NOT NULL,
    found_in_text INTEGER NOT NULL,
    up_to INTEGER,
    support BLOB,
    text BLOB NOT NULL,
    trace BLOB NOT NULL
);

CREATE TABLE notes_now (
    answer INTEGER PRIMARY KEY REFERENCES answers_now (id) ON DELETE CASCADE,
    starred INTEGER NOT NULL,
    note BLOB NOT NULL
);

INSERT INTO sqlite_sequence (name, seq) SELECT name || '_now', seq FROM sqlite_sequence
WHERE name IN ('questions', 'answers');

INSERT INTO questions_now (id, document, reading, thread, kind, asked, text, options)
SELECT id, document, reading, thread, kind, asked, text, options FROM questions;

INSERT INTO questions_now (id, shelf, thread, kind, asked, text, options)
SELECT id + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'questions'), 0), shelf, x'', 'open', made, x'', x'5b5d'
FROM shelf_answers;

INSERT INTO answers_now (id, question, choice, pages, did_not_fit, compression, model, made, quotes, false_quotes,
    found_in_text, up_to, support, text, trace)
SELECT id, question, choice, pages, did_not_fit, compression, model, made, quotes, false_quotes, found_in_text, up_to,
    support, text, trace FROM answers;

INSERT INTO answers_now (id, question, pages, did_not_fit, compression, model, made, quotes, false_quotes, found_in_text,
    text, trace)
SELECT id + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'answers'), 0),
    id + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'questions'), 0), x'5b5d', x'5b5d', 0, model, made,
    x'5b5d', 0, 1, answer, trace FROM shelf_answers;

INSERT INTO notes_now (answer, starred, note) SELECT answer, starred, note FROM answer_notes;

DROP TABLE answer_notes;
DROP TABLE answers;
DROP TABLE questions;
DROP TABLE shelf_answers;
ALTER TABLE questions_now RENAME TO questions;
ALTER TABLE answers_now RENAME TO answers;
ALTER TABLE notes_now RENAME TO answer_notes;
CREATE INDEX questions_of_document ON questions (document);
CREATE INDEX questions_of_reading ON questions (reading);
CREATE INDEX questions_of_shelf ON questions (shelf);
CREATE INDEX questions_of_thread ON questions (thread);
CREATE INDEX answers_to_question ON answers (question);

DELETE FROM jobs WHERE kind = 'shelf_add' OR (kind = 'shelf_ask' AND result IS NOT NULL);
