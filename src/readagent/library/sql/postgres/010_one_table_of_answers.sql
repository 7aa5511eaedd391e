-- Answers from shelves are answers: a question is about a document or asked of a shelf. All of an answer from a shelf is
-- in its ``text``, as JSON. Their ids are new, so jobs that name them go; so do jobs that read to put on a shelf.

ALTER TABLE questions ALTER COLUMN document DROP NOT NULL;
ALTER TABLE questions ADD COLUMN shelf BIGINT REFERENCES shelves (id) ON DELETE CASCADE;
CREATE INDEX questions_of_shelf ON questions (shelf);

WITH moved AS MATERIALIZED (
    SELECT nextval(pg_get_serial_sequence('questions', 'id')) AS question,
        nextval(pg_get_serial_sequence('answers', 'id')) AS number, one.*
    FROM (SELECT * FROM shelf_answers ORDER BY id) AS one
), asked AS (
    INSERT INTO questions (id, shelf, thread, kind, asked, text, options)
    SELECT question, shelf, ''::bytea, 'open', made, ''::bytea, '[]'::bytea FROM moved
)
INSERT INTO answers (id, question, pages, did_not_fit, compression, model, made, quotes, false_quotes, found_in_text,
    text, trace)
SELECT number, question, '[]'::bytea, '[]'::bytea, 0, model, made, '[]'::bytea, 0, 1, answer, trace FROM moved;

DROP TABLE shelf_answers;
DELETE FROM jobs WHERE kind = 'shelf_add' OR (kind = 'shelf_ask' AND result IS NOT NULL);
