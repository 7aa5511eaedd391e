-- How many pages a reading has, the words of their gists, and how many gists are only opening sentences, so that a list
-- of documents does not count all pages.

ALTER TABLE readings ADD COLUMN page_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE readings ADD COLUMN gist_words INTEGER NOT NULL DEFAULT 0;
ALTER TABLE readings ADD COLUMN lead_gists INTEGER NOT NULL DEFAULT 0;

UPDATE readings SET (page_count, gist_words, lead_gists) = (
    SELECT count(*), coalesce(sum(pages.gist_words), 0), count(*) FILTER (WHERE pages.gist_origin = 'lead')
    FROM pages WHERE pages.reading = readings.id
);
