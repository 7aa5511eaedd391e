"""What a model says it would have to see before it can answer: a question of its own, read out of any reply."""

from __future__ import annotations

import re

from readagent.core.asking.verify import parted
from readagent.core.parse import is_refusal, strip_thinking
from readagent.core.words import truncate

MISSING = "MISSING"  # what is said where something is missing, and for what is missing where that is not said
_LINE = re.compile(r"^[^\w\n]{0,6}missing[^\w\n]{0,4}(?:[:–—-](?P<probe>.*)|$)", re.I | re.M | re.S)
_NOTHING = frozenset("nothing none missing not the information page pages more".split())
_WORD = re.compile(r"\w{3,}")
_MOST_WORDS = 60


def without_missing(reply: str) -> tuple[str, str]:
    """What a reply says, and what it says is missing: a question, ``MISSING`` where it says no more, or nothing."""
    found = _LINE.search(reply)
    if found is None:
        return reply, ""
    said, probe = reply[: found.start()].strip(), probing(found["probe"] or "")
    return said, probe or ("" if said else MISSING)


def probing(said: str) -> str:
    """A question that can be looked up with, from whatever was said; empty if there is none in it."""
    lines = (line.strip(" \t*_\"'`>-") for line in strip_thinking(said).splitlines())
    line = next(filter(None, lines), "")
    words = set(_WORD.findall(line.lower()))
    useless = words <= _NOTHING or is_refusal(line) or not parted(line).found_in_text
    return "" if useless else truncate(line, _MOST_WORDS)
