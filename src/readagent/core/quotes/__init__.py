"""Find quotes in a text by their words, numbers and signs, so that a quote that says something else is not found."""
