"""Quotations inside a statement, "he said that “the wind was a liar”", and whether a text has them."""

from __future__ import annotations

from readagent.core.patterns import lazy_pattern
from readagent.core.quotes.quotable import Quotable
from readagent.core.words import count_words

_QUOTATION = lazy_pattern(
    r"[“”„\"]([^“”„\"\n]+)[“”\"]|[«»]([^«»\n]+)[«»]|[「『]([^「」『』\n]+)[」』]|(?<!\w)‘(.+?)’(?!\w)"
)
_LEAST = 2  # words; one word in quotation marks may be a writer's own
_ENDS = " ,.;:!?…—–-"


def made_up_quotation(statement: str, text: Quotable) -> str:
    """Return the first quotation of a statement that is not in the text; "" if there is none."""
    for match in _QUOTATION.finditer(statement):
        quotation: str = next(filter(None, match.groups()))
        if count_words(quotation) >= _LEAST and not (text.locate(quotation) or text.locate(quotation.strip(_ENDS))):
            return quotation
    return ""
