"""Reports: run folders turned into tables and a page to look at."""
