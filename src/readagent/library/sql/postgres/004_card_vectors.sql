-- The vectors of cards, by which documents are found among many. A vector has one signed byte for each of its numbers,
-- which are multiplied by 127. ``embedder`` is the name of the model that made it.

CREATE TABLE card_vectors (
    reading BIGINT PRIMARY KEY REFERENCES cards (reading) ON DELETE CASCADE,
    embedder BYTEA NOT NULL,
    vector BYTEA NOT NULL
);

ALTER TABLE card_vectors ALTER COLUMN vector SET STORAGE EXTERNAL;
