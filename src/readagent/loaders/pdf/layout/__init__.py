"""From positioned text on pages to paragraphs in reading order. Nothing here depends on PDF."""
