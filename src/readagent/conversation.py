"""A conversation that remembers: turns are added, older ones are kept as gists, and it can be asked about all of it."""
