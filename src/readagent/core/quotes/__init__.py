"""Find the place of a quote in a text by its letters and numbers, and show whole sentences of the text there.

What a model wrote is never shown as a quote, so a quote that is shown cannot be false. ``check_quotes`` returns the
passages for the quotes of a reply; ``Quotable.find`` decides about one.
"""
