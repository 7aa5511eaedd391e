"""Many documents asked at once: a card for each, the choice among them, one joined memory."""
