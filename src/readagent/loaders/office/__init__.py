"""Office: what Word files, OpenDocument texts and rich text have in common, and how each of them is gone through."""
