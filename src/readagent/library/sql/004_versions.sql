-- Where documents lie. Each time a place is found to hold another text than before, that is its next version; a text
-- may lie in several places. Documents without a source, such as standard input, have no row here.

CREATE TABLE sources (
    source BLOB NOT NULL,
    version INTEGER NOT NULL,
    document TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    seen TEXT NOT NULL,
    PRIMARY KEY (source, version)
);

CREATE INDEX sources_of_document ON sources (document);

INSERT INTO sources (source, version, document, seen)
SELECT source, row_number() OVER (PARTITION BY source ORDER BY added, id), id, added
FROM documents WHERE length(source) > 0;
