"""Questions that an extract does not answer: those for yes or no, and those about a whole text."""

from __future__ import annotations

import re

from readagent.core.overviews.global_questions import scope_of
from readagent.core.question import Question

_YES_OR_NO = re.compile(
    r"\W*(?:and |but |so )?(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|shall|may|might"
    r"|must)"
    r"(?:n['’]t| not)?\s+(?!you (?:know|tell|say|explain|describe|name|list|show|find|give)\b)[^?]+\?*\W*$",
    re.I,
)
_ALTERNATIVE = re.compile(r"\bor\b(?! not\b)", re.I)


def why_no_extract(question: Question) -> str:
    """Return what to say instead of an extract that would read like an answer; "" if an extract can answer."""
    if _YES_OR_NO.match(question.text) and not _ALTERNATIVE.search(question.text):
        return "The offline reader does not say yes or no."
    if scope_of(question):
        return "The offline reader finds single passages, and this question is about the whole text."
    return ""
