"""Reports: tables and an HTML page from run folders."""
