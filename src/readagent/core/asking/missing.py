"""Parse what a model says is missing before it can answer: a question of its own."""

from __future__ import annotations

import re

from readagent.core.asking.reply_parts import split_reply
from readagent.core.failure_text import is_refusal
from readagent.core.patterns import lazy_pattern
from readagent.core.replies import plain, unfenced
from readagent.core.words import truncate

MISSING = "MISSING"  # the word for it in replies; also the value if the reply does not say what is missing
_LINE = lazy_pattern(
    r"(?:^[^\w\n]{0,6}missing|(?<=[.!?:;)] )[\"'“*]{0,3}(?-i:MISSING))[^\w\n:：–—-]{0,4}(?:[:：–—-](?P<probe>.*)|$)",
    re.I | re.M | re.S,
)
_NOTHING = frozenset("nothing none missing not the information page pages more further other needed required".split())
_LEAD_IN = lazy_pattern(r"^[^?？:：]{0,60}[:：]\s*(?=\S[^\n]*[?？])")
_WORD = lazy_pattern(r"\w{3,}")
_MOST_WORDS = 60


def split_missing(reply: str) -> tuple[str, str]:
    """Return the answer in a reply and what it says is missing: a question, ``MISSING`` alone, or "".

    Words before a question are no answer unless they quote the text: they say why it is asked.
    """
    found = _LINE.search(unfenced(reply))
    if found is None:
        return reply, ""
    answer, probe = unfenced(reply)[: found.start()].strip(), question_in(_unquoted(found["probe"] or ""))
    if probe:
        return answer if split_reply(answer).quotes else "", probe
    return answer, "" if answer else MISSING


def _unquoted(text: str) -> str:
    """Return the rest of a reply without the end of a JSON object: ``"Who paid?"}``."""
    return re.sub(r"[\s\"'”]*\}\s*$", "", text)


def question_in(text: str) -> str:
    """Return the question in a text, without what introduces it, to look up pages with; empty if there is none."""
    lines = [line.strip(" \t*_\"'`>-") for line in plain(text).splitlines()]
    asking = [line for line in lines if line.endswith(("?", "？"))]
    line = _LEAD_IN.sub("", next(filter(None, [*asking[:1], *lines]), "")).strip(" \t\"'“”")
    line = re.sub(r"^\d{1,2}[.)]\s+", "", line)
    words = set(_WORD.findall(line.lower()))
    useless = words <= _NOTHING or is_refusal(line) or not split_reply(line).found_in_text
    return "" if useless else truncate(line, _MOST_WORDS)
