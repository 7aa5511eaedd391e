-- Vectors of texts. A key is the SHA-256 of the embedder's name and the text; a vector is a row of 32-bit floats.

CREATE TABLE vectors (
    key BLOB PRIMARY KEY,
    vector BLOB NOT NULL
);
