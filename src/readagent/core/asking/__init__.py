"""Answer a question: choose the pages to open, answer, check the quotes, and respect a reading position."""
