"""Electronic books other than EPUB: FictionBook and Kindle."""
