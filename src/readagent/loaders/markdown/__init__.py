"""Markdown texts."""
