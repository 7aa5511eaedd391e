"""ReadAgent: lets any language model read texts far longer than it can take in."""
