"""What an EPUB book is made of: its package, its table of contents, and the looks of its headings."""
