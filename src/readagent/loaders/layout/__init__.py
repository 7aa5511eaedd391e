"""Layout: from pieces of print on sheets to paragraphs in reading order. Nothing here knows of PDF."""
