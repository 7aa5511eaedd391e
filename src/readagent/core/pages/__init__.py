"""Where a text pauses: its pages, found pause by pause or in one pass, and more of them as it grows."""
