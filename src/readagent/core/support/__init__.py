"""Whether quotes support an answer: its statements, the rules that need no model, and the call that checks the rest."""
