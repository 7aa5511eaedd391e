"""Parse decisions from the replies of models: one tolerant parser for each kind of value. None of them raises.

A reply in the form that was asked for is read by that form alone. Other replies are read more loosely: they may be in
another wording or language, with reasoning before or after. A reply that a person would call unclear gives None.
"""
