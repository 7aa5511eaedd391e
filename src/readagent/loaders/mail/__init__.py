"""E-mail: single messages and mailboxes."""
