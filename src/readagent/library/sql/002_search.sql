-- The full-text index over the pages of the newest finished reading of each document; a rowid is a page's id.

CREATE VIRTUAL TABLE page_words USING fts5 (text, gist, tokenize = 'unicode61 remove_diacritics 2');
