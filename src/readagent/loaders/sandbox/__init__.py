"""Parse untrusted files safely: in a child process with limits, and from archives whose contents are counted."""
