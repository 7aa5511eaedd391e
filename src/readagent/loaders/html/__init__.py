"""Web pages, and HTML of any kind: the formats that are converted to HTML first (EPUB, Markdown, Word) use this too."""
