-- Version 0.2 renamed what users see. Columns and the names inside JSON follow; the data stay the same. The JSON was
-- written without spaces, and in a JSON string a quotation mark is escaped, so '"name":' matches names only.

ALTER TABLE pages RENAME COLUMN gist_source TO gist_origin;
ALTER TABLE levels RENAME COLUMN gist_source TO gist_origin;
ALTER TABLE cards RENAME COLUMN source TO origin;

ALTER TABLE fixed RENAME TO pinned;
ALTER TABLE pinned RENAME COLUMN gist_source TO gist_origin;
ALTER TABLE pinned RENAME COLUMN fixed TO pinned;

ALTER TABLE answers RENAME COLUMN no_room TO did_not_fit;
ALTER TABLE answers RENAME COLUMN in_text TO found_in_text;

UPDATE pinned SET made = CAST(replace(CAST(made AS TEXT), '"source":', '"origin":') AS BLOB);
UPDATE answers SET quotes = CAST(replace(CAST(quotes AS TEXT), '"ours":', '"by_us":') AS BLOB);
UPDATE shelf_answers SET answer = CAST(replace(replace(replace(replace(CAST(answer AS TEXT), '"source":', '"origin":'),
    '"ours":', '"by_us":'), '"no_room":', '"did_not_fit":'), '"in_text":', '"found_in_text":') AS BLOB);
UPDATE readings SET plan = CAST(replace(replace(CAST(plan AS TEXT),
    '"max_words":', '"page_words":'), '"min_words":', '"min_page_words":') AS BLOB);
