"""Plain text: its encoding, its lines, its headings; what Project Gutenberg puts around a book."""
