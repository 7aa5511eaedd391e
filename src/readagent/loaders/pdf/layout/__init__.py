"""From positioned text to paragraphs in reading order. Nothing here depends on PDF."""
