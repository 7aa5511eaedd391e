"""Find quotes in a text by their words, numbers and signs, so that a quote that says something else is not found.

``check_quotes`` drops the quotes of a reply that are not in the text; ``Quotable.find`` decides about one.
"""
