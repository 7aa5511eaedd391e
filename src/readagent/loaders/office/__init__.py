"""Word processor files: Word (.docx), OpenDocument (.odt) and rich text (.rtf)."""
