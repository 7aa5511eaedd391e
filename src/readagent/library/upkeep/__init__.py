"""Looking after a library: what is in it, whether it is intact, backups, repair and compaction."""
