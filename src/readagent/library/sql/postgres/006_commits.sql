-- A row for each transaction of the last day. A client whose COMMIT got no answer looks for its row: if it is there, the
-- transaction was committed.

CREATE TABLE commits (
    id UUID PRIMARY KEY,
    at TIMESTAMPTZ NOT NULL DEFAULT now()
);
