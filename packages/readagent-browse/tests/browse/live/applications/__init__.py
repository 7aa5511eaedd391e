"""Real web applications, started here and slowed down, and what a scripted model does in them."""
