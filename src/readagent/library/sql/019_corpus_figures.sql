-- How many calls had no known price, and the manifests that a corpus was made from, which an export must not replace.

ALTER TABLE corpus_sources ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE corpus_spending ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;

CREATE TABLE corpus_manifests (
    corpus INTEGER NOT NULL REFERENCES corpora (id) ON DELETE CASCADE,
    path BLOB NOT NULL,
    PRIMARY KEY (corpus, path)
);
