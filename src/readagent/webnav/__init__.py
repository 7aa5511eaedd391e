"""Web navigation: gists and look-up applied to web pages, and an agent that decides and performs actions."""
