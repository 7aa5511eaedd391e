"""Plain text: its encoding, its lines and headings, and the header and license of Project Gutenberg."""
