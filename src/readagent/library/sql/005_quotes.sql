-- The quotes of an answer, how many were dropped because they are not in the text, whether the text holds the answer at
-- all, and the offset up to which the text was known; NULL where all of it was.

ALTER TABLE answers ADD COLUMN quotes BLOB NOT NULL DEFAULT x'5b5d';
ALTER TABLE answers ADD COLUMN false_quotes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE answers ADD COLUMN in_text INTEGER NOT NULL DEFAULT 1;
ALTER TABLE answers ADD COLUMN up_to INTEGER;
