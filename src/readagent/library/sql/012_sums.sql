-- The checksum of a closed library's file, and the change counter that the file has with it. No row: it is not known.

CREATE TABLE sums (
    counter INTEGER NOT NULL,
    value INTEGER NOT NULL
);
