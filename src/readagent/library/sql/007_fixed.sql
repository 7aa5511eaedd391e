-- Gists that a person fixed: wrote, pinned or had made anew. One for each page, which is known by its span; those of a
-- document and a task do not overlap. ``task`` is that of the memory, empty for the general one. ``made`` is the gist
-- that the page had before, as JSON, to be put back when the fixed one is let go.

CREATE TABLE fixed (
    document TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    task BLOB NOT NULL,
    start_offset INTEGER NOT NULL,
    end_offset INTEGER NOT NULL,
    gist_words INTEGER NOT NULL,
    gist_source TEXT NOT NULL,
    fixed TEXT NOT NULL,
    gist BLOB NOT NULL,
    made BLOB NOT NULL,
    PRIMARY KEY (document, task, start_offset, end_offset)
);
