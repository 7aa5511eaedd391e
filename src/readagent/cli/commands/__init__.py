"""One module for each command; the command is the module's ``command``."""
