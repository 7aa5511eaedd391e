"""PDFium's view of a file: characters, pieces of print, and facts about the document."""
