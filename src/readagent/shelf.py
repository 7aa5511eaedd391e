"""A shelf: many documents read through one memory of memories."""
