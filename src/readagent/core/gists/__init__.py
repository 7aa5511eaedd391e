"""The gists of pages: made, improved, pinned, aged, merged, and how long they may be."""
