-- The ids of conversations as they were before a turn was forgotten or they were deleted, so that nothing that still has
-- their text adds it again. An id is a hash of the text and a random salt, which is deleted with the text.

CREATE TABLE forgotten (document TEXT PRIMARY KEY) WITHOUT ROWID;
