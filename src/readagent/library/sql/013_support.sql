-- ``support`` are the statements of an answer and whether its quotes support them, as JSON; NULL for older answers.

ALTER TABLE answers ADD COLUMN support BLOB;
