"""Web navigation: the same three steps on a web page, and an agent that acts on what it remembers."""
