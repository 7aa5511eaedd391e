"""Escape what looks like the tags of our prompts in texts that are not ours, so that no text can forge their structure.

Prompts mark pages, passages and questions with tags such as ``<Page 7>`` and ``</memory>``, and places with labels such
as ``<12>``. Servers put the marks of chat templates around prompts, such as ``<|im_start|>`` and ``[INST]``. In a text
the bracket of such a tag is replaced by ``‹`` or ``⁅``, also where invisible characters or letters of other scripts
disguise it. All other text stays as it is, letter by letter.
"""

from __future__ import annotations

import re
import unicodedata

from readagent.core.patterns import lazy_pattern

_NAMES = (
    "page|document|memory|passage|question|history|previous|earlier|cards|statements|quotes"
    "|instruction|done|part|options"  # of web navigation
)
_TAG = lazy_pattern(rf"\s*/?\s*(?:(?:{_NAMES})\b|\d+\s*[>›])")
_TOKEN = lazy_pattern(
    r"\|[^\s<>|]+\|>|/?(?:s|bos|eos|pad|unk|sop|eop|think|(?:start|end)_of_\w+|(?:fim|reserved|unused|extra_id)_?\w+)>"
    r"|[<‹]?/?sys>>|sys>>"
)
_BRACKETED = lazy_pattern(r"/?(?:inst|gmask|system_prompt|available_tools|tool_calls|tool_results)\]")
_LONGEST = 80  # characters after a bracket that are examined
_SAME_LETTER = str.maketrans(  # Cyrillic, Greek, Armenian and small capital letters
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u0261\u043c\u0442\u0433\u043f"
    "\u043d\u0432\u043a\u04cf\u04bd\u0475\u03b1\u03bf\u03c1\u03b5\u03b9\u03c5\u03bd\u03b7\u03c4\u03bc\u03ba\u03f2"
    "\u0585\u0578\u057d\u0570\u0131\u1d00\u1d04\u1d05\u1d07\u0262\u029c\u026a\u1d0d\u0274\u1d0f\u1d18\u0280\ua731"
    "\u1d1b\u1d1c\u1d20\u028f\u2223\u01c0\u2581",
    "aeopcyxsijhdqgmtrnhbklevaopeiuvntmkconshiacdeghimnoprstuvy||_",
)


def escape_tags(text: str) -> str:
    """Return a text for a prompt, without anything that looks like a tag of ours."""
    return _ANGLE.sub(lambda found: "‹" if _begins(_TAG, found) else found[0], text)


def escape_tokens(text: str) -> str:
    """Return a text for a prompt, without anything that looks like a mark of a chat template."""
    text = _ANGLE.sub(lambda found: "‹" if _begins(_TOKEN, found) else found[0], text)
    return _SQUARE.sub(lambda found: "⁅" if _begins(_BRACKETED, found) else found[0], text)


def restore_tags(text: str) -> str:
    """Return what a model copied from a prompt as it stands in the text."""
    text = _ESCAPED.sub(lambda found: "<" if _begins(_TAG, found) or _begins(_TOKEN, found) else found[0], text)
    return _ESCAPED_SQUARE.sub(lambda found: "[" if _begins(_BRACKETED, found) else found[0], text)


_ANGLE, _SQUARE = lazy_pattern("[<\uff1c\ufe64]"), lazy_pattern(r"\[")
_ESCAPED, _ESCAPED_SQUARE = lazy_pattern("‹"), lazy_pattern("⁅")


def _begins(tag: re.Pattern[str], bracket: re.Match[str]) -> bool:
    """Whether a tag follows a bracket, as a reader sees it: without accents and invisible characters."""
    following = bracket.string[bracket.end() : bracket.end() + _LONGEST]
    return tag.match(following.lower() if following.isascii() else _seen(following)) is not None


def _seen(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).casefold().translate(_SAME_LETTER)
    return "".join(one for one in letters if unicodedata.category(one) not in ("Cf", "Mn", "Me", "Cc") or one in "\n\t")
