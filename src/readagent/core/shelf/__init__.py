"""Ask many documents at once: a card for each, the choice among them, and one joined memory."""
