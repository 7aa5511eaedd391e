"""Source code: which language it is in, and the units that are not to be cut."""
